#!/usr/bin/env python3
"""Every dimension of ci/growth.py ends with a verdict, in small: how fast and how large is its script's to say.

Ranges of a user 64 deep without an operator crashed where no other test had more than three.
"""
import importlib.util
import json
import pathlib
import tempfile
import unittest

from support import REPOSITORY, main, run

SOME = 300  # Beyond what the analysis looks at in depth, 64, and at once.


def growth():
    spec = importlib.util.spec_from_file_location("growth", REPOSITORY / "ci/growth.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class ShapesTest(unittest.TestCase):
    def test_each_kind_of_many_events_is_judged(self):
        for name, (_, events) in growth().EVENTS.items():
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                trace = pathlib.Path(folder) / "t.json"
                trace.write_text(json.dumps({"traceEvents": events(SOME)}))
                done = run("report", trace, "-q", "--out", pathlib.Path(folder) / "o")
                self.assertIn(done.returncode, (0, 1, 3), done.stderr)


if __name__ == "__main__":
    main()
