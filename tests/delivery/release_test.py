"""The release workflow: its steps as they are written, with stand-ins for uploads; and the forms for issues."""
import json
import pathlib
import platform
import re
import shutil
import subprocess
import sys
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
        done = self.run_step("draft", "Notes")
        self.assertEqual(done.returncode, 0, done.stderr)
        notes = (self.folder / "notes.md").read_text()
        self.assertIn("### Added", notes)
        self.assertNotIn("## Unreleased", notes)
        done = self.run_step("draft", "Draft")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"gh release create v{self.version} --draft --verify-tag --notes-file notes.md", self.calls.read_text())

    def test_nothing_is_public_before_everything_worked(self):
        def before(job):
            needs = self.workflow["jobs"][job].get("needs", [])
            needs = [needs] if isinstance(needs, str) else needs
            return set(needs).union(*map(before, needs))
        self.assertEqual(before("draft"), {"build", "smoke"})
        self.assertEqual(before("publish"), {"build", "smoke", "draft", "images", "pypi"})
        self.assertEqual(self.run_step("publish", "Release").returncode, 0)
        self.assertIn(f"gh release edit v{self.version} --draft=false", self.calls.read_text())

    def tarball(self):
        """dist/ with a tarball of this machine, with and without a version."""
        machine, name = platform.machine(), f"profgauge-{self.version}-linux-{platform.machine()}"
        (self.folder / name / "bin").mkdir(parents=True)
        shutil.copy(PROGRAM, self.folder / name / "bin/profgauge")
        (self.folder / "dist").mkdir()
        subprocess.run(["tar", "-czf", self.folder / f"dist/{name}.tar.gz", "-C", self.folder, name], check=True)
        done = self.run_step("build", "Names without a version, for addresses that stay")
        self.assertEqual(done.returncode, 0, done.stderr)
        return machine

    def test_the_program_runs_before_it_is_published(self):
        machine = self.tarball()
        self.assertTrue((self.folder / f"dist/profgauge-linux-{machine}.tar.gz").exists())
        prefix = self.folder / "prefix"
        prefix.mkdir()
        done = self.run_step("smoke", "The program judges its example", PREFIX=str(prefix))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertTrue((self.folder / "out/report.html").exists())
        (prefix / "bin/profgauge").unlink()
        subprocess.run(["tar", "-czf", self.folder / f"dist/profgauge-linux-{machine}.tar.gz", "-C", self.folder, "bin"], check=True)
        self.assertNotEqual(self.run_step("smoke", "The program judges its example", PREFIX=str(prefix)).returncode, 0)

    def test_images_hold_the_program_of_the_tarball(self):
        machine = self.tarball()
        for target in ("scratch", "debian"):
            self.calls.write_text("")
            done = self.run_step("images", "Image of one machine", TARGET=target, TOKEN="secret",
                                 GITHUB_REPOSITORY="Someone/profgauge", GITHUB_SHA="3f2a1c")
            self.assertEqual(done.returncode, 0, done.stderr)
            calls = self.calls.read_text()
            self.assertIn(f"docker push ghcr.io/someone/profgauge:{self.version}-{target}-{machine}", calls)
            self.assertIn("org.opencontainers.image.revision=3f2a1c", calls)
            self.assertEqual("--target debian" in calls, target == "debian")
            self.assertNotIn("secret", calls)  # It goes through a pipe.
        self.assertEqual((self.folder / f"image/{machine}/profgauge").read_bytes(), PROGRAM.read_bytes())
        stages = (REPOSITORY / "ci/package/Containerfile").read_text()
        self.assertEqual(stages.count("COPY ${MACHINE}/profgauge"), 2)

    def test_images_of_both_machines_have_one_tag(self):
        done = self.run_step("publish", "Tags for both machines", TOKEN="secret")
        self.assertEqual(done.returncode, 0, done.stderr)
        made = re.findall(r"imagetools create --tag ghcr.io/someone/profgauge:(\S+) (.*)", self.calls.read_text())
        self.assertEqual([tag for tag, _ in made], [self.version, self.version.rsplit(".", 1)[0], "latest",
                                                    f"{self.version}-debian", "debian"])
        for _, parts in made:
            self.assertTrue("x86_64" in parts and "aarch64" in parts)

    def test_the_wheel_needs_an_environment(self):
        job = self.workflow["jobs"]["pypi"]
        self.assertEqual(job["environment"], "pypi")
        self.assertEqual(job["permissions"], {"id-token": "write"})
        dist = self.folder / "dist"
        dist.mkdir()
        for name in ("profgauge.whl", "profgauge.deb"):
            (dist / name).write_text("")
        self.assertEqual(self.run_step("pypi", "The wheels alone").returncode, 0)
        self.assertEqual([path.name for path in (self.folder / "wheel").iterdir()], ["profgauge.whl"])

    def test_pull_requests_run_what_developers_run(self):
        workflow = yaml.safe_load((WORKFLOW.parent / "ci.yml").read_text())
        self.assertEqual(set(workflow[True]), {"pull_request", "push"})
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        for job in workflow["jobs"]["test"]["strategy"]["matrix"]["include"]:
            for command in job["run"].split(" && "):
                script, *words = command.split()
                text = (REPOSITORY / script).read_text()
                for word in words:
                    self.assertRegex(text, rf"(?m)^  (\w+ \| )*{word}( \| \w+)*\)", f"{script} knows no {word}")
        parts = workflow["jobs"]["package"]["steps"][-2]["run"].split("ci/package.sh ")[1].split()
        self.assertEqual(parts, ["static", "wheel", "deb"])

    def test_components_are_those_whose_licenses_are_shipped(self):
        """In ci/package.sh the list of linked packages makes both."""
        archives = self.folder / "archives"
        (archives / "sources").mkdir(parents=True)
        for name in ("libxlsxwriter", "libisal", "fmtlib"):
            (archives / f"sources/{name}_1.0-1.dsc").write_text(f"Format: 3.0\nSource: {name}\nVersion: 1.0-1\n")
        linked = re.search(r"^linked=\(([^)]*)\)", (REPOSITORY / "ci/package.sh").read_text(), re.M)[1].split()
        if any(subprocess.run(["dpkg", "-s", package], capture_output=True, check=False).returncode for package in linked):
            self.skipTest("not all of the linked libraries are installed")
        made = subprocess.run([sys.executable, REPOSITORY / "ci/package/sbom.py", archives, *linked], text=True,
                              capture_output=True, check=True, env=environment(SOURCE_DATE_EPOCH="1700000000")).stdout
        document = json.loads(made)
        self.assertEqual(document["creationInfo"]["created"], "2023-11-14T22:13:20Z")
        names = {package["name"] for package in document["packages"]} - {"profgauge"}
        sources = {subprocess.run(["dpkg-query", "-W", "-f", "${source:Package}\n", package], text=True, capture_output=True,
                                  check=True).stdout.splitlines()[0] for package in linked}
        self.assertEqual(names, sources | {"libxlsxwriter", "libisal", "fmtlib"})
        self.assertEqual(len(document["relationships"]), len(names) + 1)

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


class NewRules(unittest.TestCase):
    """ci/new_rules.py: a rule that is new since the last tag fails no run."""

    RULE = """schema: 2
namespace: mine
category: compute
rules:
  - id: ID
    title: ID
    metric: {value: gpu.idle.mean, warn_above: 5%, LIMIT}
"""

    def test_a_rule_is_born_as_a_warning(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for part in ("ci", "rules"):
                (folder / part).mkdir()
            shutil.copy(REPOSITORY / "ci/new_rules.py", folder / "ci")

            def git(*words):
                subprocess.run(["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b.c", *words], check=True,
                               capture_output=True)

            def write(id, limit):
                (folder / f"rules/{id}.yaml").write_text(self.RULE.replace("ID", id).replace("LIMIT", limit))

            def check():
                done = subprocess.run([folder / "ci/new_rules.py"], text=True, capture_output=True, check=False)
                return done.returncode, done.stdout.strip() + done.stderr

            write("old", "error_above: 30%")
            git("init", "-q")
            git("add", ".")
            git("commit", "-qm", "one")
            self.assertEqual(check(), (0, ""))  # There was no release.
            git("tag", "v0.1.0")
            self.assertEqual(check(), (0, ""))
            write("new", "show_as: percent")
            self.assertEqual(check(), (0, ""))
            write("new", "error_above: 30%")
            self.assertEqual(check(), (1, "mine/new: new since v0.1.0, and can fail a run"))
            write("new", "show_as: percent")
            write("old", "error_above: 20%")
            self.assertEqual(check(), (1, "mine/old: changed since v0.1.0, and can fail a run"))


if __name__ == "__main__":
    main()
