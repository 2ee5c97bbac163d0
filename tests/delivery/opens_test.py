"""What a run opens and changes, and that what lies about in a folder of profiles changes no verdict."""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import socket
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, SANITIZED, main

HEALTHY = REPOSITORY / "examples/healthy.pt.trace.json.gz"
SLOW = REPOSITORY / "examples/slow.pt.trace.json.gz"

# Of the system: libraries, how many processors and how much memory there are, random numbers, the zone of times.
SYSTEM = re.compile(r"/etc/ld\.so\.\w+|(/usr)?/lib(64)?/.*\.so[.\d]*|/sys/fs/cgroup/.*|/sys/devices/system/cpu/(online|possible)|"
                    r"/proc/(self|\d+)/(cgroup|maps|fd/\d+|status|mountinfo)|/proc/(meminfo|cpuinfo|sys/vm/overcommit_memory)|"
                    r"/sys/kernel/mm/transparent_hugepage/\w+|/dev/(null|u?random|tty)|/etc/localtime|/usr/share/zoneinfo/.*")
# A file without a name, or one whose name is gone at once: the parts of a workbook.
SCRATCH = re.compile(r"/tmp(/tmp\.\w+)?")


def trace(rank=None, ranks=1, length=5):
    """A small profile: four iterations with a kernel each."""
    events = []
    for step in range(4):
        at = 1000 + step * 1000
        events += [
            {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "pid": 1, "tid": 1, "ts": at, "dur": 1000},
            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 10, "dur": 3,
             "args": {"correlation": step + 1}},
            {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": at + 20, "dur": 100 * length,
             "args": {"correlation": step + 1, "device": 0, "stream": 7}}]
    whole = {"traceEvents": events}
    if rank is not None:
        whole["distributedInfo"] = {"backend": "nccl", "rank": rank, "world_size": ranks}
    return json.dumps(whole)


class Opens(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = pathlib.Path(place.name).resolve()
        self.work = self.place / "work"
        (self.work / ".git").mkdir(parents=True)
        (self.work / "runs").mkdir()
        shutil.copy(HEALTHY, self.work / "runs/a.pt.trace.json.gz")
        shutil.copy(SLOW, self.work / "runs/b.pt.trace.json.gz")
        (self.place / "secret").mkdir()
        (self.place / "secret/profgauge.yaml").write_text("schema: 1\n")
        (self.work / "profgauge.yaml").write_text('schema: 1\njobs: [{name: a, inputs: ["runs/a*"]}]\n')

    def contents(self):
        return {str(path.relative_to(self.place)): hashlib.sha256(path.read_bytes()).hexdigest()
                for path in self.place.rglob("*") if path.is_file() and path.name != "log"}

    def opened(self, arguments, cwd, asked=None):
        """The paths that were opened or changed, whole."""
        subprocess.run(["strace", "-f", "-qq", "-y", "-s", "4096", "-e", "trace=open,openat,openat2,creat,unlink,unlinkat,rename,"
                        "renameat,renameat2,mkdir,mkdirat,link,linkat,symlink,symlinkat,truncate,execve,connect",
                        "-o", self.place / "log", PROGRAM, *arguments], cwd=cwd, input=asked, text=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        paths, strangers = set(), set()
        for line in (self.place / "log").read_text(errors="replace").splitlines():
            call = re.match(r"(\d+) +(\w+)\((.*)$", line)
            if call is None or call[1] in strangers:
                continue
            if call[2] == "execve":  # Git tells the commit; what it opens is its own matter.
                program = pathlib.Path(re.search('"([^"]*)"', call[3])[1]).name
                self.assertIn(program, (PROGRAM.name, "git"), line)
                if program == "git":
                    strangers.add(call[1])
                continue
            self.assertNotEqual(call[2], "connect", line)
            # openat(AT_FDCWD</folder>, "name", …) or openat(4</folder>, "name", …)
            for folder, name in re.findall(r'(?:<([^>]*)>, )?"((?:[^"\\]|\\.)*)"', call[3]):
                paths.add(os.path.normpath(os.path.join(folder or cwd, name)))
        return paths

    @unittest.skipIf(shutil.which("strace") is None, "strace is not installed")
    def test_what_is_opened_and_changed(self):
        ask = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                          "params": {"name": "check", "arguments": {"paths": [str(self.work / "runs/a.pt.trace.json.gz")]}}}) + "\n"
        a, b = "runs/a.pt.trace.json.gz", "runs/b.pt.trace.json.gz"
        for arguments, outputs, asked in (
                (("check", a, "-q"), (), None),
                (("check", "-q", "--out", "o", "--ci", "generic"), ("o/",), None),
                (("report", b, "-q", "--out", "p"), ("p/",), None),
                (("inspect", "runs", "-q"), (), None),
                (("compare", a, b, "-q"), (), None),
                (("query", a, "select count(*) from kernels"), (), None),
                (("baseline", "save", a, "-o", "base.json"), ("base.json",), None),
                (("check", b, "-q", "--baseline", "base.json"), (), None),
                (("history", "add", a, "--db", "h.db", "--commit", "a"), ("h.db",), None),
                (("history", "list", "--db", "h.db"), (), None),
                (("check", b, "-q", "--db", "h.db", "--baseline", "history:main"), (), None),
                (("rules", "list"), (), None),
                (("mcp", "--root", "."), (), ask)):
            before = self.contents()
            paths = self.opened(arguments, self.work, asked)
            after = self.contents()
            if a in arguments:
                self.assertIn(str(self.work / a), paths)
            outside = [path for path in sorted(paths) if not pathlib.Path(path).is_relative_to(self.work) and
                       not SYSTEM.fullmatch(path) and not SCRATCH.fullmatch(path) and
                       not (SANITIZED and path in ("/proc/self/cmdline", "/proc/self/environ"))]
            # Folders above may be asked for what makes a repository, and no further than where one is.
            self.assertEqual(outside, [], arguments)
            changed = [name for name in {*before, *after} if before.get(name) != after.get(name)]
            strangers = [name for name in changed if not name.startswith(tuple(f"work/{output}" for output in outputs) or "/")]
            self.assertEqual(strangers, [], arguments)
            self.assertTrue(changed or not outputs, arguments)

    # Files that are no profiles, links that lead nowhere or around, pipes and folders beside profiles.
    def test_what_lies_about_changes_no_verdict(self):
        numbers = random.Random(76)
        names = ("README.md", "notes.txt", "train.log", "model.safetensors", "events.out.tfevents.17", "core.123", ".nfs0001",
                 "a.pt.trace.json.gz.tmp", "a.pt.trace.json.gz~", "loss.csv", "x.png", "run.sh", "config.yaml", ".DS_Store",
                 "a.pt.trace.json.gz.sha256", "requirements.txt", "Makefile", "a b", "-q", "*", "\u00e9\n.txt", "rank7", "x" * 200)
        texts = (b"", b"{}", b"\0" * 100, b"lr: 0.1\n", b"step,time\n1,2\n", HEALTHY.read_bytes()[:50], SLOW.read_bytes())

        def leave(folder, depth=0):
            path = folder / numbers.choice(names)
            if os.path.lexists(path):
                return
            kind = numbers.choice(("file", "file", "link", "pipe", "socket", "folder"))
            if kind == "file":
                path.write_bytes(numbers.choice(texts))
            elif kind == "link":
                path.symlink_to(numbers.choice(("nowhere", ".", "..", "/proc/sys", "/dev/zero", path.name, "../..", "/etc/passwd")))
            elif kind == "pipe":
                os.mkfifo(numbers.choice((path, folder / f"f{numbers.random()}.pt.trace.json")))
            elif kind == "socket" and len(bytes(path)) < 100:
                with socket.socket(socket.AF_UNIX) as made:
                    made.bind(bytes(path))
            elif kind == "folder":
                path.mkdir()
                for _ in range(numbers.randrange(4) if depth < 3 else 0):
                    leave(path, depth + 1)

        known = {}
        for number in range(200):
            with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as place:
                place = pathlib.Path(place)
                (place / ".git").mkdir()
                folders = [place / "runs", place / "runs/x", place / "runs/x/y"]
                folders[-1].mkdir(parents=True)
                ranks = numbers.choice((1, 2, 4))
                where = folders[-1]
                for rank in range(ranks):
                    (where / f"rank{rank}.pt.trace.json").write_text(
                        trace(rank if ranks > 1 else None, ranks, 5 + rank))
                inputs, take = numbers.choice((("runs/x/y", ""), ("runs/**/*.pt.trace.json", ""), ("runs/x/*/rank*.json", ""),
                                               ("r*/x/y/*.pt.trace.*", ""), ("**/rank?.pt.trace.json", ""),
                                               ("runs/x/y/*.json", ", take: all")))
                limit = numbers.choice(("100 us", "10 s"))
                (place / "p.yaml").write_text(f"schema: 1\nthresholds:\n  iteration.time.median: {{max: {limit}}}\n")
                (place / "profgauge.yaml").write_text(
                    f'schema: 1\npolicy: p.yaml\njobs: [{{name: a, inputs: ["{inputs}"]{take}}}]\n')

                def judged():
                    done = subprocess.run([PROGRAM, "check"], cwd=place, stdin=subprocess.DEVNULL, capture_output=True,
                                          text=True, timeout=120)
                    return done.returncode, done.stdout, done.stderr
                before = known.get((ranks, inputs, limit)) or judged()
                known[ranks, inputs, limit] = before
                self.assertIn(before[0], (0, 1, 3), before)
                for _ in range(numbers.randrange(1, 12)):
                    leave(numbers.choice(folders))
                lies = sorted(str(path.relative_to(place)) for path in place.rglob("*"))
                self.assertEqual(judged(), before, (number, inputs, lies))


if __name__ == "__main__":
    main()
