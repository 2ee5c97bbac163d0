"""What a file, a folder, a history or a link can do to a run: wait for ever, show a secret, lose a run, leave a file."""
import gzip
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
import zipfile

from support import PROGRAM, REPOSITORY, main

HEALTHY = REPOSITORY / "examples/healthy.pt.trace.json.gz"
SLOW = REPOSITORY / "examples/slow.pt.trace.json.gz"
SECRET = "xyzzy-17"


class Hardening(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name)
        shutil.copy(HEALTHY, self.place / "a.json.gz")

    def run_it(self, *arguments, cwd=None, wait=10, limit=None, **more):
        def bound():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=cwd or self.place, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", timeout=wait, preexec_fn=bound, **more)

    def add(self, profile=HEALTHY, branch="main", commit="a"):
        done = self.run_it("history", "add", profile, "--branch", branch, "--commit", commit, "--db", "h.db")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    # A pipe that nobody writes into, at every door.
    def test_pipes(self):
        os.mkfifo(self.place / "f")
        (self.place / "p.yaml").write_text("schema: 1\nextends: f\n")
        judged = ("check", "a.json.gz", "-q")
        for arguments, code in (
                ((*judged, "--policy", "f"), 2), ((*judged, "--policy", "p.yaml"), 2),
                ((*judged, "--baseline", "f"), 3), ((*judged, "--html", "f"), 4),
                ((*judged, "--step-times", "f"), None), (("history", "list", "--db", "f"), 2),
                (("history", "add", "a.json.gz", "--db", "f"), 2), (("render", "f", "--html", "x.html"), 3)):
            done = self.run_it(*arguments)
            self.assertIn(done.returncode, (code,) if code is not None else (2, 3), (arguments, done.stderr))
            self.assertTrue(done.stderr.strip(), arguments)
        # A profile may be a pipe whose writer is late, and a policy one that has a writer.
        late = subprocess.Popen([PROGRAM, "check", "f", "-q", "--policy", "builtin:report-only"], cwd=self.place,
                                stdout=subprocess.DEVNULL)
        time.sleep(0.3)
        self.assertIsNone(late.poll())
        with open(self.place / "f", "wb") as pipe:
            pipe.write(HEALTHY.read_bytes())
        self.assertEqual(late.wait(timeout=10), 0)
        done = subprocess.run(["bash", "-c", '"$0" check a.json.gz -q --policy <(echo "schema: 1")', PROGRAM], cwd=self.place,
                              capture_output=True, text=True, timeout=10)
        self.assertEqual(done.returncode, 0, done.stderr)

    # A writer may be done before the pipe would be opened once more.
    def test_a_pipe_whose_writer_is_done(self):
        os.mkfifo(self.place / "f")
        for _ in range(25):
            writer = subprocess.Popen(["bash", "-c", "echo '{}' > f"], cwd=self.place)
            time.sleep(0.01)
            self.assertEqual(self.run_it("check", "f", "-q").returncode, 3)
            self.assertEqual(writer.wait(timeout=10), 0)

    # What a configuration names lies in its repository, wherever links lead.
    def test_configuration_stays_in_its_repository(self):
        inside = self.place / "in"
        (inside / ".git").mkdir(parents=True)
        (inside / "rules").mkdir()
        shutil.copy(HEALTHY, inside / "a.json.gz")
        (self.place / "outside.yaml").write_text(f"schema: 1\n{SECRET}: 1\n")
        jobs = 'jobs: [{name: a, inputs: ["a.json.gz"]}]\n'
        (inside / "rules" / "x.yaml").symlink_to(self.place / "outside.yaml")
        for name, config, policy in (
                ("policy", "policy: /proc/self/environ\n", None), ("policy", "policy: ../outside.yaml\n", None),
                ("db", "db: ../h.db\n", None), ("baseline", "baseline: ../outside.yaml\n", None),
                ("extends", "policy: p.yaml\n", "schema: 1\nextends: /proc/self/environ\n"),
                ("devices", "policy: p.yaml\n", "schema: 1\ndevices: ../outside.yaml\n"),
                ("rules", "policy: p.yaml\n", "schema: 1\nrule_files: [../outside.yaml]\n"),
                ("link in rules", "policy: p.yaml\n", "schema: 1\nrule_files: [rules/]\n")):
            (inside / "profgauge.yaml").write_text(f"schema: 1\n{config}{jobs}")
            if policy is not None:
                (inside / "p.yaml").write_text(policy)
            done = self.run_it("check", cwd=inside, env={"SECRET_TOKEN": SECRET})
            self.assertEqual(done.returncode, 2, (name, done.stderr))
            self.assertIn("[config/outside-repository]", done.stderr, name)
            self.assertNotIn(SECRET, done.stdout + done.stderr, name)
        (inside / "profgauge.yaml").unlink()
        (inside / ".profgauge.yaml").symlink_to("/proc/self/environ")
        done = self.run_it("check", cwd=inside, env={"SECRET_TOKEN": SECRET})
        self.assertEqual(done.returncode, 2)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        # The command line may name any file, also instead of one that the configuration names.
        (self.place / "p.yaml").write_text("schema: 1\n")
        done = self.run_it("check", "a.json.gz", "-q", "--config", "none", "--policy", "../p.yaml", cwd=inside)
        self.assertEqual(done.returncode, 0, done.stderr)
        (inside / ".profgauge.yaml").unlink()
        (inside / "profgauge.yaml").write_text(f"schema: 1\ndb: ../h.db\npolicy: ../p.yaml\n{jobs}")
        (inside / "deep").mkdir()
        here = {"cwd": inside / "deep"}
        add = ("history", "add", "../a.json.gz", "--commit", "a")
        done = self.run_it(*add, "--policy", "../../p.yaml", **here)
        self.assertEqual(done.returncode, 2)
        self.assertIn("help: give it on the command line: `--db ../../h.db`", done.stderr)
        done = self.run_it(*add, "--policy", "../../p.yaml", "--db", "../../h.db", **here)
        self.assertEqual(done.returncode, 0, done.stderr)
        named = {"PROFGAUGE_DB": "../../h.db", "PROFGAUGE_POLICY": "../../p.yaml"}
        self.assertEqual(self.run_it("check", "../a.json.gz", "-q", env=named, **here).returncode, 0)

    # A journal beside a history is SQLite's order to delete files; it is named, and nothing else.
    def test_a_journal_beside_a_history(self):
        self.add()
        journal = self.place / "h.db-journal"
        journal.write_bytes(bytes.fromhex("d9d505f920a163d7") + b"\0" * 600)
        before = journal.read_bytes()
        listed = self.run_it("history", "list", "--db", "h.db")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertIn("h.db-journal is beside the history and is not used", listed.stderr)
        self.add(SLOW, commit="b")
        self.assertEqual(journal.read_bytes(), before)
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["a.json.gz", "h.db", "h.db-journal"])

    # Views and triggers are nobody's runs.
    def test_a_history_with_another_schema(self):
        self.add()
        base = sqlite3.connect(self.place / "h.db")
        base.execute("create trigger t after insert on run begin delete from run; end")
        base.commit()
        base.close()
        before = (self.place / "h.db").read_bytes()
        for arguments in (("history", "list"), ("history", "add", SLOW), ("history", "remove", "1"),
                          ("check", HEALTHY, "--baseline", "history:main")):
            done = self.run_it(*arguments, "--db", "h.db")
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn("[history/foreign]", done.stderr)
        self.assertEqual((self.place / "h.db").read_bytes(), before)

    # Writers wait for each other, a reader sees a whole history, and a killed writer leaves the one before.
    def test_writers_and_readers(self):
        profiles = []
        for i in range(8):
            profile = self.place / f"p{i}.json.gz"
            profile.write_bytes(HEALTHY.read_bytes() + subprocess.run(["gzip", "-c"], input=b" " * (i + 1),
                                                                      capture_output=True, check=True).stdout)
            profiles.append(profile)
        add = [PROGRAM, "history", "add", "--db", "h.db"]
        writers = [subprocess.Popen([*add, profile], cwd=self.place, stderr=subprocess.DEVNULL) for profile in profiles]
        while any(writer.poll() is None for writer in writers):
            done = self.run_it("history", "list", "--db", "h.db", "--json", "-")
            self.assertIn(done.returncode, (0, 2), done.stderr)
            if done.returncode == 2:
                self.assertIn("history/missing", done.stderr)
        self.assertEqual([writer.returncode for writer in writers], [0] * 8)
        for i in range(6):
            victim = subprocess.Popen([*add, SLOW, "--branch", f"b{i}"], cwd=self.place, stderr=subprocess.DEVNULL)
            time.sleep(0.02 * i)
            victim.send_signal(signal.SIGKILL)
            victim.wait()
        runs = json.loads(self.run_it("history", "list", "--db", "h.db", "--json", "-").stdout)["rows"]
        self.assertGreaterEqual(len(runs), 8)

    # A limit on files is an error of writing, and nothing is left.
    def test_a_limit_on_files(self):
        self.add()
        before = (self.place / "h.db").read_bytes()
        for arguments in (("report", HEALTHY, "-o", "out", "-q"), ("history", "add", SLOW, "--db", "h.db")):
            done = self.run_it(*arguments, limit=20 * 1024)
            self.assertEqual(done.returncode, 4, (arguments, done.stderr))
        self.assertEqual((self.place / "h.db").read_bytes(), before)
        self.assertEqual([path for path in self.place.rglob("*") if "tmp" in path.name], [])

    # What killed writers left is in nobody's way, and a file of others that has its name stays.
    def test_files_of_killed_writers(self):
        self.add()
        for i in range(100):
            (self.place / ("h.db.tmp" if i == 0 else f"h.db.{i}.tmp")).write_bytes((self.place / "h.db").read_bytes()[:i * 40])
        self.add(SLOW, commit="b")
        self.assertFalse((self.place / "h.db.tmp").exists())
        (self.place / "h.db.tmp").write_text("mine")
        (self.place / "h.db.1.tmp").unlink()
        self.add(SLOW, branch="b", commit="c")
        self.assertEqual((self.place / "h.db.tmp").read_text(), "mine")

    @unittest.skipUnless(os.geteuid() == 0, "only root gives a file to another")
    def test_a_history_stays_its_owners(self):
        self.add()
        os.chown(self.place / "h.db", 12345, 12346)
        (self.place / "h.db").chmod(0o664)
        self.add(SLOW, commit="b")
        found = (self.place / "h.db").stat()
        self.assertEqual((found.st_uid, found.st_gid, found.st_mode & 0o777), (12345, 12346, 0o664))

    # A link leads to the history, be it there or not; a folder that is missing is named.
    def test_where_a_history_is_made(self):
        (self.place / "link.db").symlink_to("h.db")
        done = self.run_it("history", "add", HEALTHY, "--db", "link.db")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.place / "link.db").is_symlink() and (self.place / "h.db").is_file())
        done = self.run_it("history", "add", HEALTHY, "--db", "none/h.db")
        self.assertEqual(done.returncode, 2)
        self.assertIn("help: create its folder first", done.stderr)

    # The user named the folder, and not where links in it lead.
    def test_links_below_out(self):
        inside = self.place / "in"
        for name in ("report.html", "report.json"):
            (inside / "o").mkdir(parents=True)
            (inside / "o" / name).symlink_to("../../x")
            done = self.run_it("report", HEALTHY, "-q", "--out", "o", cwd=inside)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("[output/link]", done.stderr)
            self.assertFalse((self.place / "x").exists())
            shutil.rmtree(inside / "o")
        (inside / "o").mkdir()
        (inside / "o" / "report.html").symlink_to("page.html")  # A link that stays is followed.
        done = self.run_it("report", HEALTHY, "-q", "--out", "o", cwd=inside)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((inside / "o" / "page.html").is_file())
        self.assertEqual(self.run_it("check", HEALTHY, "-q", "--html", self.place / "y.html").returncode, 0)
        # A link that the user named is followed; one that --ci names is not.
        (inside / "o" / "mine.html").symlink_to("../../z.html")
        done = self.run_it("check", HEALTHY, "-q", "--out", "o", "--html", "o/mine.html", cwd=inside)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.place / "z.html").is_file())
        (inside / "o" / "junit.xml").symlink_to("../../x")
        done = self.run_it("check", HEALTHY, "-q", "--out", "o", "--ci", "generic", cwd=inside)
        self.assertEqual(done.returncode, 4, done.stderr)
        (self.place / "summary.md").write_text("")
        (inside / "summary").symlink_to("../summary.md")
        done = self.run_it("check", HEALTHY, "-q", "--write", "step-summary", cwd=inside, env={"GITHUB_STEP_SUMMARY": "summary"})
        self.assertEqual(done.returncode, 4)
        self.assertIn("help: name the file itself", done.stderr)

    # Nobody named these paths: what a pull request has there does not lead to another project's files.
    def test_links_at_default_paths(self):
        inside, elsewhere = self.place / "in", self.place / "elsewhere"
        elsewhere.mkdir()
        (inside / ".git").mkdir(parents=True)
        shutil.copy(HEALTHY, inside / "a.json.gz")
        (inside / "profgauge-report").symlink_to("../elsewhere")
        (inside / "profgauge-history.db").symlink_to("../elsewhere/h.db")
        check, add = ("check", "a.json.gz", "-q", "--ci", "generic"), ("history", "add", "a.json.gz")
        for arguments, option in ((check, "--out"), (add, "--db")):
            done = self.run_it(*arguments, cwd=inside)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"help: give it on the command line: `{option} profgauge-", done.stderr)
        (inside / "profgauge.yaml").write_text('schema: 1\njobs: [{name: a, inputs: ["a.json.gz"]}]\n')
        self.assertEqual(self.run_it("check", "--ci", "generic", cwd=inside).returncode, 2)
        # Nor does a link whose target is not there yet, at a path that the configuration names.
        (inside / "named.db").symlink_to("../elsewhere/h.db")
        (inside / "profgauge.yaml").write_text("schema: 1\ndb: named.db\n")
        self.assertEqual(self.run_it(*add, cwd=inside).returncode, 2)
        self.assertEqual(list(elsewhere.iterdir()), [])
        (inside / "profgauge.yaml").unlink()
        self.assertEqual(self.run_it(*check, "--out", "profgauge-report", cwd=inside).returncode, 0)
        self.assertEqual(self.run_it(*add, "--db", "profgauge-history.db", cwd=inside).returncode, 0)
        self.assertTrue((elsewhere / "h.db").is_file() and (elsewhere / "verdict.json").is_file())

    # A document that is too large is told so at once, whatever it holds.
    def test_a_document_that_is_too_large(self):
        with open(self.place / "times.csv", "wb") as file:
            file.truncate(1 << 40)
        done = self.run_it("check", "a.json.gz", "-q", "--step-times", "times.csv")
        self.assertEqual(done.returncode, 3)
        self.assertIn("over 256 MiB of text", done.stderr)

    # Nor where the folder of a job leads, or the list of jobs.
    def test_links_of_jobs_below_out(self):
        inside, elsewhere = self.place / "in", self.place / "elsewhere"
        elsewhere.mkdir()
        (inside / "o").mkdir(parents=True)
        shutil.copy(HEALTHY, inside / "a.json.gz")
        (inside / "profgauge.yaml").write_text('schema: 1\njobs: [{name: a, inputs: ["a.json.gz"]}]\n')
        for name, target in (("a", "../../elsewhere"), ("verdict.json", "../../elsewhere/verdict.json")):
            (inside / "o" / name).unlink(missing_ok=True)
            (inside / "o" / name).symlink_to(target)
            done = self.run_it("check", "--out", "o", "--ci", "generic", cwd=inside)
            self.assertEqual(done.returncode, 4, (name, done.stderr))
            self.assertIn("[output/link]", done.stderr)
            self.assertEqual(list(elsewhere.iterdir()), [])
            (inside / "o" / name).unlink()
        self.assertEqual(self.run_it("check", "--out", "o", "--ci", "generic", cwd=inside).returncode, 0)

    # What a profile's names would do to a terminal, a page, a workbook or a log is shown and not done, in every output.
    def test_names_that_mislead(self):
        evil = ("\x1b]0;t\x07\x9b31m", "\u202egpj.exe\u2066\u2028", "</script><script>alert(1)</script><img src=x onerror=a>",
                "=HYPERLINK(\"http://evil\")", "[x](javascript:a) ![x](http://evil) @team", "a\n::error::pwned\n", "a\x00\x7f\ud800")
        trace = json.loads(gzip.decompress(SLOW.read_bytes()))
        for i, event in enumerate(trace["traceEvents"]):
            if event.get("cat") in ("kernel", "cpu_op", "gpu_memcpy"):
                event["name"] += evil[i % len(evil)]
        trace["deviceProperties"][0]["name"] = "".join(evil)
        (self.place / "evil.json").write_text(json.dumps(trace))
        kinds = {"summary": "summary.md", "junit": "j.xml", "sarif": "x.sarif", "github": "log.txt", "code-quality": "q.json",
                 "metrics": "m.prom", "row": "row.csv", "text": "t.txt", "trace": "t.json", "html-dir": "page", "verdict": "v.json"}
        done = self.run_it("check", "evil.json", "--out", "o", "-v", *[word for kind, name in kinds.items()
                                                                        for word in ("--write", f"{kind}=o/{name}")], wait=60)
        self.assertEqual(done.returncode, 1, done.stderr)
        texts = {"terminal": done.stdout + done.stderr}
        for path in (self.place / "o").rglob("*"):
            if path.suffix == ".xlsx":
                with zipfile.ZipFile(path) as book:
                    texts |= {name: book.read(name).decode() for name in book.namelist()}
            elif path.is_file():
                texts[path.name] = path.read_text()
        self.assertGreater(len(texts), 40)
        for name, text in texts.items():
            found = re.search("[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]", text)
            self.assertIsNone(found, found and (name, text[max(0, found.start() - 40):found.end() + 40]))
            self.assertNotIn("<script>alert", text if name.endswith((".html", ".xml")) else "", name)
            self.assertNotIn("<f>HYPERLINK", text, name)
        self.assertEqual([line for line in texts["log.txt"].splitlines() if not re.match("::(error|warning|notice) ", line)], [])

    # An agent's roots hold wherever links lead, for every file that is opened.
    def test_links_out_of_an_agents_roots(self):
        root, secret = self.place / "root", self.place / "secret"
        root.mkdir(), secret.mkdir()
        shutil.copy(HEALTHY, root / "a.json.gz")
        (secret / "x.run.json").write_text('{"schema": 1, "run": {"samples": 64}}')
        shutil.copy(SLOW, secret / "b.pt.trace.json.gz")
        (secret / "h.db").write_bytes(b"")

        def ask(name, **arguments):
            request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
            return subprocess.run([PROGRAM, "mcp", "--root", "root"], input=json.dumps(request) + "\n", cwd=self.place,
                                  capture_output=True, text=True, timeout=10).stdout
        before = ask("check", paths=[str(root / "a.json.gz")])
        self.assertIn('"verdict"', before)
        (root / "a.json.gz.run.json").symlink_to("../secret/x.run.json")
        self.assertEqual(ask("check", paths=[str(root / "a.json.gz")]), before)
        (root / "python").symlink_to("/usr/bin/env")
        (root / "b.pt.trace.json.gz").symlink_to("../secret/b.pt.trace.json.gz")
        found = ask("find", path=str(root))
        self.assertIn("a.json.gz", found)
        self.assertNotIn("b.pt.trace", found)
        self.assertIn("outside", ask("check", paths=[str(root / "b.pt.trace.json.gz")]))
        # Whatever is asked of a folder of ranks, a rank that is left out is told.
        for name, asked in (("find", {"path": str(root)}), ("check", {"paths": [str(root)]}), ("inspect", {"paths": [str(root)]})):
            self.assertIn("links that lead outside of the server's folders", ask(name, **asked), name)
        os.mkfifo(root / "f.json")
        self.assertIn("pipe", ask("inspect", paths=[str(root / "f.json")]))


if __name__ == "__main__":
    main()
