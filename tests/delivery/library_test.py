"""Installs the library and builds tests/consumer against it, with CMake and with pkg-config.

  library_test.py PROFGAUGE REPOSITORY      PROFGAUGE is in the build folder to install from
"""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, SANITIZED, main, need

need("cmake", "pkg-config", "c++")
SLOW = REPOSITORY / "examples" / "slow.pt.trace.json.gz"
CONSUMER = REPOSITORY / "tests" / "consumer"


def call(*arguments, **more):
    done = subprocess.run([str(a) for a in arguments], text=True, capture_output=True, check=False,
                          **more)
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@unittest.skipIf(SANITIZED, "the example's build is not")
class LibraryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.prefix = cls.folder / "prefix"
        call("cmake", "--install", PROGRAM.parent, "--prefix", cls.prefix, "--component", "library")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def judges(self, program):
        done = subprocess.run([program, SLOW], text=True, capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, "fail 1 0.503 page\n"), done.stderr)

    def test_with_cmake(self):
        build = self.folder / "cmake"
        call("cmake", "-S", CONSUMER, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}")
        call("cmake", "--build", build)
        self.judges(build / "consumer")

    def test_with_pkg_config(self):
        found = next(self.prefix.rglob("profgauge.pc")).parent
        flags = call("pkg-config", f"--define-variable=prefix={self.prefix}", "--cflags", "--libs", "profgauge",
                     env={**os.environ, "PKG_CONFIG_PATH": str(found)}).split()
        program = self.folder / "consumer"
        call("c++", CONSUMER / "consumer.cc", "-o", program, *flags)
        self.judges(program)


if __name__ == "__main__":
    main()
