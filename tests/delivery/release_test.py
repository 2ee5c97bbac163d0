"""The release workflow: its steps as they are written, with stand-ins for uploads; and the forms for issues."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from samples_support import yaml
from support import PROGRAM, REPOSITORY, environment, main

WORKFLOW = REPOSITORY / ".github/workflows/release.yml"
FORMS = REPOSITORY / ".github/ISSUE_TEMPLATE"
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")

# Commands that would leave the machine: written down instead.
STAND_IN = """#!/bin/sh
printf '%s' "$(basename "$0")" >> "$CALLS"
printf ' %s' "$@" >> "$CALLS"
echo >> "$CALLS"
"""


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        self.workflow = yaml.safe_load(WORKFLOW.read_text())
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "include/profgauge").mkdir(parents=True)
        shutil.copy(REPOSITORY / "include/profgauge/version.h", self.folder / "include/profgauge")
        shutil.copy(REPOSITORY / "CHANGELOG.md", self.folder)
        (self.folder / "bin").mkdir()
        for name in ("gh", "docker"):
            (self.folder / "bin" / name).write_text(STAND_IN)
            (self.folder / "bin" / name).chmod(0o755)
        self.calls = self.folder / "calls"
        self.version = re.search(r'kVersion = "([0-9.]+)"', (self.folder / "include/profgauge/version.h").read_text())[1]

    def step(self, job, name):
        return next(step["run"] for step in self.workflow["jobs"][job]["steps"] if step.get("name") == name)

    def run_step(self, job, name, **variables):
        path = f"{self.folder}/bin:/usr/bin:/bin"
        return subprocess.run([*BASH, self.step(job, name)], cwd=self.folder, text=True, capture_output=True, check=False,
                              env=environment(**{"PATH": path, "CALLS": str(self.calls), "GITHUB_REF_NAME": f"v{self.version}",
                                                 "GITHUB_REPOSITORY_OWNER": "Someone", "GITHUB_ACTOR": "anna", **variables}))

    def test_only_tags_publish(self):
        triggers = self.workflow[True]  # YAML's `on`.
        self.assertEqual(list(triggers), ["push"])
        self.assertEqual(list(triggers["push"]), ["tags"])
        self.assertEqual(self.workflow["permissions"], {})

    def test_a_tag_is_the_version_and_has_a_section(self):
        done = self.run_step("build", "The tag is the version")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        other = self.run_step("build", "The tag is the version", GITHUB_REF_NAME="v9.9.9")
        self.assertEqual(other.returncode, 1)
        self.assertIn("::error::the tag is v9.9.9", other.stdout)
        (self.folder / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n")
        self.assertIn("has no section", self.run_step("build", "The tag is the version").stdout)

    def test_parts_of_packages_exist(self):
        parts = self.step("build", "Packages").split()[1:]
        self.assertTrue(parts)
        script = (REPOSITORY / "ci/package.sh").read_text()
        for part in parts:
            self.assertIn(part, re.search(r"parts: ([a-z0-9 ]+);", script)[1].split())

    def test_a_sample_report_is_made_by_the_tarball(self):
        top = self.folder / f"profgauge-{self.version}-linux-x86_64"
        (top / "bin").mkdir(parents=True)
        (top / "bin/profgauge").symlink_to(PROGRAM)
        (self.folder / "dist").mkdir()
        (self.folder / "temporary").mkdir()
        shutil.copytree(REPOSITORY / "examples", self.folder / "examples", ignore=shutil.ignore_patterns("screenshots"))
        subprocess.run(["tar", "-czf", self.folder / f"dist/{top.name}.tar.gz", "-C", self.folder, top.name], check=True)
        done = self.run_step("build", "Sample report", RUNNER_TEMP=str(self.folder / "temporary"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("io/dataloader-bound", (self.folder / "dist/sample-report.html").read_text())

    def test_the_owner_finds_each_step_that_is_left(self):
        """The steps that no workflow can take: accounts, names and settings that the files of the repository assume."""
        steps = (REPOSITORY / "ci/release.md").read_text().split("## Steps of the owner")[1].split("\n## ")[0]
        for name in ("PyPI", f"environment `{self.workflow['jobs']['pypi']['environment']}`", "`release.yml`", "ghcr.io",
                     "`OWNER`", "vulnerability reporting", "Marketplace", "schemastore", "GitLab", "uv tool install profgauge"):
            self.assertIn(name, steps)

    def test_checksums_are_of_all_files(self):
        dist = self.folder / "dist"
        dist.mkdir()
        for name in ("a.tar.gz", "b.whl"):
            (dist / name).write_text(name)
        done = self.run_step("build", "Checksums")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len((dist / "SHA256SUMS").read_text().splitlines()), 2)
        (dist / "a.tar.gz").write_text("changed")
        check = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=dist, capture_output=True, check=False)
        self.assertEqual(check.returncode, 1)

    def test_notes_are_those_of_the_version(self):
        done = self.run_step("release", "Notes")
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = (self.folder / "notes.md").read_text()
        self.assertIn("### Added", notes)
        self.assertNotIn("## Unreleased", notes)
        done = self.run_step("release", "Release")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"gh release create v{self.version} --verify-tag --notes-file notes.md", self.calls.read_text())

    def test_images_have_the_tags_of_their_target(self):
        wanted = {"scratch": (self.version, self.version.rsplit(".", 1)[0], "latest"),
                  "debian": (f"{self.version}-debian", "debian")}
        for target, tags in wanted.items():
            self.calls.write_text("")
            done = self.run_step("images", "Image", TARGET=target, TOKEN="secret")
            self.assertEqual(done.returncode, 0, done.stderr)
            pushed = re.findall(r"docker push ghcr.io/someone/profgauge:(\S+)", self.calls.read_text())
            self.assertEqual(tuple(pushed), tags)
            self.assertNotIn("secret", self.calls.read_text())  # It goes through a pipe.

    def test_the_wheel_needs_an_environment(self):
        job = self.workflow["jobs"]["pypi"]
        self.assertEqual(job["environment"], "pypi")
        self.assertEqual(job["permissions"], {"id-token": "write"})
        dist = self.folder / "dist"
        dist.mkdir()
        for name in ("profgauge.whl", "profgauge.deb"):
            (dist / name).write_text("")
        self.assertEqual(self.run_step("pypi", "The wheel alone").returncode, 0)
        self.assertEqual([path.name for path in (self.folder / "wheel").iterdir()], ["profgauge.whl"])

    def test_forms_ask_for_commands_that_exist(self):
        forms = [path for path in FORMS.glob("*.yml") if path.name != "config.yml"]
        self.assertGreaterEqual(len(forms), 3)
        for path in forms:
            form = yaml.safe_load(path.read_text())
            self.assertTrue(form["name"] and form["description"])
            ids = [item["id"] for item in form["body"]]
            self.assertEqual(len(ids), len(set(ids)))
            for item in form["body"]:
                self.assertIn(item["type"], ("textarea", "input"))
                self.assertTrue(item["attributes"]["label"])


if __name__ == "__main__":
    main()
