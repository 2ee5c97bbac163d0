"""`python -m profgauge …` is the program itself."""
import os
import sys

from .api import Error, find_program


def main() -> None:
    try:
        program = find_program()
    except Error as error:
        sys.exit(f"error: {error}")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
