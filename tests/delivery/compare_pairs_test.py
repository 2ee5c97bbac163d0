"""Runs with one known difference each: `compare` names the cause, and none where there is none."""
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from support import REPOSITORY, main, run

sys.path.insert(0, str(REPOSITORY / "tests" / "tools"))
import made_pairs  # pylint: disable=wrong-import-position

LEAST = 28


def says(text, pattern):
    if pattern.startswith("!"):
        return not re.search(pattern[1:], text)
    return bool(re.search(pattern, text))


class ComparePairs(unittest.TestCase):
    def test_names_the_cause(self):
        named, causes = 0, 0
        with tempfile.TemporaryDirectory() as folder:
            for name, base, candidate, patterns in made_pairs.write_all(folder):
                done = run("compare", base, candidate, "--config", "none")
                self.assertEqual(0, done.returncode, done.stderr)
                if name is None:
                    self.assertIn("no significant change", done.stdout)
                    self.assertNotRegex(done.stdout, r"differs|rank \d takes|while the device idles|over three limits")
                    continue
                missing = [pattern for pattern in patterns if not says(done.stdout, pattern)]
                print(f"{'named' if not missing else 'not named':<10} {name:<32} {' and '.join(missing)}")
                causes += 1
                named += not missing
        print(f"{named} of {causes} causes are named")
        self.assertGreaterEqual(causes, 30)
        self.assertGreaterEqual(named, LEAST)

    def test_a_copy_of_a_profile_confirms_nothing(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for i in range(7):
                made_pairs.write(made_pairs.made(1), f"run {i}", folder / f"base{i}")
            slower = made_pairs.made(1, made_pairs.times("aten::layer_norm", 1.9))
            for one in ("a", "b"):
                made_pairs.write(slower, one, folder / one)
            shutil.copytree(folder / "a", folder / "copy0")
            bases = [argument for i in range(7) for argument in ("--baseline", folder / f"base{i}" / "rank0.json")]

            def check(*runs):
                return run("check", *(folder / one / "rank0.json" for one in runs), *bases, "--config", "none")

            self.assertEqual(3, check("a").returncode)
            self.assertEqual(1, check("a", "b").returncode)
            copied = check("a", "copy0")
            self.assertEqual(3, copied.returncode)
            self.assertIn("same profile", copied.stderr)


if __name__ == "__main__":
    main()
