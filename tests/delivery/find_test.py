"""`inspect DIR` and `check DIR` on the folders that frameworks leave: a tree for each layout, made of the
four ranks of examples/ddp; and the shares of --part.
"""
import gzip
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import PROGRAM, REPOSITORY, main, run

EXAMPLES = REPOSITORY / "examples"
DDP = EXAMPLES / "ddp"
# By layout: the files of two runs, with {rank} and {step}.
LAYOUTS = {
    "torchtitan": "profile_traces/iteration_{step}/rank{rank}_trace.json.gz",
    "torchtitan with a leaf": "profile_traces/iteration_{step}/full/rank{rank}_trace.json.gz",
    "Megatron": "run{step}/torch_profile/rank-{rank}.json.gz",
    "Accelerate": "step_{step}/profile_{rank}.json.gz",
    "tensorboard_trace_handler, vLLM": "node{rank}_41.17000000{step}000000000.pt.trace.json.gz",
    "tensorboard_trace_handler with the rank in its name":
        "worker{rank}_step_{step}.17000000{step}{rank}{rank}{rank}.pt.trace.json.gz",
    "SGLang": "17000000{step}.123-TP-{rank}.trace.json.gz",
    "Composer": "rank{rank}.{step}.pt.trace.json.gz",
    "ours": "step-{step}/run.rank{rank}.pt.trace.json.gz",
}


class FindTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def put(self, path, source):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)

    def ranks(self):
        return sorted(DDP.iterdir())

    def found(self, *arguments):
        done = run("inspect", ".", "--part", "0/1", "--json", "-", *arguments, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["runs"]

    def test_every_layout_has_two_runs_of_four_ranks(self):
        for name, layout in LAYOUTS.items():
            with self.subTest(name):
                for path in list(self.folder.iterdir()):
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                for step in (10, 20):
                    for rank, source in enumerate(self.ranks()):
                        self.put(layout.format(rank=rank, step=step), source)
                runs = self.found()
                self.assertEqual([one["ranks"] for one in runs], [[0, 1, 2, 3], [0, 1, 2, 3]], runs)
                self.assertEqual([one.get("complete") for one in runs], [True, True])
                self.assertTrue(all("20" in pathlib.PurePath(file).as_posix() for file in runs[1]["files"]))
                has_step = name != "Megatron" and ("17000000" not in layout or "step" in layout.split("17000000")[0])
                self.assertEqual([one.get("step") for one in runs], [10, 20] if has_step else [None, None])
                self.assertEqual({one["format"] for one in runs}, {"kineto"})
                for one in runs:
                    done = run(*one["command"].split()[1:], "--json", "out.json", "--config", "none", cwd=self.folder)
                    self.assertIn(done.returncode, (0, 1), one["command"] + done.stderr)
                    self.assertEqual(json.loads((self.folder / "out.json").read_text())["profile"]["ranks"], 4)
                    (self.folder / "out.json").unlink()

    def test_one_run_is_taken_and_several_are_listed(self):
        for step in (10, 20):
            for rank, source in enumerate(self.ranks()):
                self.put(f"tt/iteration_{step}/rank{rank}_trace.json.gz", source)
        done = run("check", "tt", cwd=self.folder)
        self.assertEqual(done.returncode, 3)
        self.assertIn("[input/several-runs]", done.stderr)
        self.assertIn("help: profgauge check tt/iteration_10\n", done.stderr)
        self.assertLess(done.stderr.index("iteration_10"), done.stderr.index("iteration_20"))
        self.assertIn("help: the last is the latest; `profgauge inspect tt` lists all", done.stderr)
        done = run("init", "--project", "tt", cwd=self.folder)
        self.assertIn("help: profgauge init --project tt/iteration_10\n", done.stderr)
        self.assertIn("help: runs of one program go together: `profgauge init --project FILE FILE FILE`", done.stderr)
        listed = run("inspect", "tt", cwd=self.folder)
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertEqual(listed.stdout.splitlines()[2::3], ["  profgauge check tt/iteration_10", "  profgauge check tt/iteration_20"])
        self.assertIn("kineto · 4 of 4 ranks · step 20", listed.stdout)
        runs = json.loads(run("inspect", "tt", "--json", "-", cwd=self.folder).stdout)
        self.assertEqual([(one["step"], one["command"]) for one in runs["runs"]],
                         [(10, "profgauge check tt/iteration_10"), (20, "profgauge check tt/iteration_20")])
        second = run("inspect", "tt", "--part", "1/2", cwd=self.folder)
        self.assertEqual(second.stdout.splitlines(), listed.stdout.splitlines()[3:])
        shutil.rmtree(self.folder / "tt/iteration_10")
        done = run("report", "tt", "--json", "o.json", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("note: the only run below the folder is iteration_20/", done.stderr)
        # One run is shown; a share is a list, whatever the folder has.
        self.assertIn("  format        kineto", run("inspect", "tt", cwd=self.folder).stdout)
        self.assertIn("profgauge check tt/iteration_20\n", run("inspect", "tt", "--part", "0/1", cwd=self.folder).stdout)

    def test_a_folder_that_is_one_run_with_other_files_is_shown(self):
        done = run("inspect", EXAMPLES / "graphs")  # A profile, and the capture of its graph.
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("  format "), 1)

    def test_a_share_is_of_one_folder(self):
        for arguments in ((DDP, EXAMPLES), (DDP, "--explain", "iterations")):
            done = run("inspect", *arguments, "--part", "0/1")
            self.assertEqual(done.returncode, 2)
            self.assertIn("[usage/conflict]", done.stderr)

    def test_a_folder_without_profiles_lists_its_files(self):
        (self.folder / "a/b").mkdir(parents=True)
        (self.folder / "a/b/notes.txt").write_text("hello")
        for command in (("check", "a"), ("inspect", "a"), ("inspect", "a", "--part", "0/1")):
            done = run(*command, cwd=self.folder)
            self.assertEqual(done.returncode, 3)
            self.assertIn("[input/no-profiles]", done.stderr)
            self.assertIn("note: a/b/notes.txt: ", done.stderr)

    def test_unstated_runs_are_not_merged(self):
        done = run("check", "healthy.pt.trace.json.gz", "slow.pt.trace.json.gz", cwd=EXAMPLES)
        self.assertEqual(done.returncode, 3)
        self.assertIn("[input/ranks-unknown]", done.stderr)
        self.assertIn("--ranks as-listed", done.stderr)
        for name in ("healthy", "slow"):
            self.put(f"{name}.pt.trace.json.gz", EXAMPLES / f"{name}.pt.trace.json.gz")
        self.assertEqual([len(one["files"]) for one in self.found()], [1, 1])

    def test_recorded_ranks_need_no_names(self):
        for name, source in zip("dbca", self.ranks()):
            self.put(f"one/{name}.json.gz", source)
        self.assertEqual([(one["ranks"], one["complete"], one["command"]) for one in self.found()],
                         [([0, 1, 2, 3], True, "profgauge check ./one")])
        # Rank 0 twice: which of them belongs to the others is unknown.
        self.put("one/e.json.gz", self.ranks()[0])
        self.assertEqual([len(one["files"]) for one in self.found()], [1] * 5)

    def test_sessions_of_jax_and_tables_of_one_profile(self):
        plane = gzip.decompress((EXAMPLES / "h200/jax_fp32.xplane.pb.gz").read_bytes())
        for time in ("2026_11_25", "2026_11_26"):
            for host in ("h1", "h2"):
                self.put(f"log/plugins/profile/{time}/{host}.xplane.pb", EXAMPLES / "h200/jax_fp32.xplane.pb.gz")
                (self.folder / f"log/plugins/profile/{time}/{host}.xplane.pb").write_bytes(plane)
            self.put(f"log/plugins/profile/{time}/h1.trace.json.gz", EXAMPLES / "slow.pt.trace.json.gz")
        self.assertEqual([(one["name"], len(one["files"])) for one in self.found()],
                         [("log/plugins/profile/2026_11_25/*", 2), ("log/plugins/profile/2026_11_26/*", 2)])
        shutil.rmtree(self.folder / "log")
        done = run("export", "dlprof", EXAMPLES / "slow.pt.trace.json.gz", "--out", self.folder / "tables")
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = self.found()
        self.assertEqual([(one["format"], one["command"]) for one in runs], [("dlprof_report", "profgauge check ./tables")])
        self.assertIn(run(*runs[0]["command"].split()[1:], cwd=self.folder).returncode, (0, 1))

    def test_other_json_and_reports_are_no_runs(self):
        self.put("run/a.json.gz", self.ranks()[0])
        for name, text in (("run/a.run.json", '{"schema": 1, "segments": []}'), ("run/package.json", '{"name": "x"}'),
                           ("run/b.pt.trace.json.tmp", '{"traceEvents": ['), ("list.json", "[1, 2]")):
            (self.folder / name).write_text(text)
        done = run("report", "run/a.json.gz", "--ci", "generic", cwd=self.folder)
        self.assertTrue((self.folder / "profgauge-report/run.pgsum").exists(), done.stderr)
        self.assertEqual([one["name"] for one in self.found()], ["run/a.json.gz"])

    def test_a_result_among_others_is_no_run_of_all(self):
        for name in ("run7", "other"):
            (self.folder / name).mkdir()
        self.put("run7/a_results.db", self.ranks()[0])
        self.put("other/b.json.gz", self.ranks()[1])
        self.assertEqual(sorted(one["command"] for one in self.found()),
                         ["profgauge check ./other/b.json.gz", "profgauge check ./run7/a_results.db"])

    def test_all_levels_are_searched_and_links_have_an_end(self):
        self.put("1/2/3/4/5/deep.json.gz", self.ranks()[0])
        self.put("1/2/3/4/5/6/7/deeper.json.gz", self.ranks()[0])
        (self.folder / "loop").symlink_to(self.folder)
        self.assertEqual(sorted(one["name"] for one in self.found()), ["1/2/3/4/5/6/7/deeper.json.gz", "1/2/3/4/5/deep.json.gz"])

    def test_shares_together_are_the_whole(self):
        for rank, source in enumerate(self.ranks()):
            self.put(f"run/rank{rank}.json.gz", source)
        whole = run("summarize", "run", "-o", "whole.pgsum", cwd=self.folder)
        self.assertEqual(whole.returncode, 0, whole.stderr)
        (self.folder / "parts").mkdir()
        for index in range(3):
            done = run("summarize", "run", "--part", f"{index}/3", "-o", "parts/", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(list((self.folder / "parts").iterdir())), 4)
        merged = run("summarize", "parts", "-o", "merged.pgsum", cwd=self.folder)
        self.assertEqual(merged.returncode, 0, merged.stderr)
        self.assertEqual((self.folder / "merged.pgsum").read_bytes(), (self.folder / "whole.pgsum").read_bytes())
        for text in ("3/3", "1", "-1/2", "1/0", "a/b", "1/2x"):
            done = run("summarize", "run", f"--part={text}", "-o", "x.pgsum", cwd=self.folder)
            self.assertEqual(done.returncode, 2, text)
            self.assertIn("[usage/bad-value]", done.stderr)

    @unittest.skipUnless((PROGRAM.parent / "make_ranks").exists(), "not built: make_ranks")
    def test_eight_shares_of_512_files_are_one_call(self):
        subprocess.run([PROGRAM.parent / "make_ranks", self.folder / "run", "--ranks", "512", "--iterations", "2"], check=True)
        done = run("summarize", "run", "-o", "whole/", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        for index in range(8):
            done = run("summarize", "run", "--part", f"{index}/8", "-o", "parts/", cwd=self.folder)
            self.assertEqual((done.returncode, done.stderr), (0, "wrote summaries of 64 ranks to parts/\n"))
        whole, parts = ({path.name: path.read_bytes() for path in (self.folder / name).iterdir()} for name in ("whole", "parts"))
        self.assertEqual(len(whole), 512)
        self.assertEqual(whole, parts)
        for name in ("whole", "parts"):
            done = run("summarize", name, "-o", f"{name}.pgsum", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((self.folder / "whole.pgsum").read_bytes(), (self.folder / "parts.pgsum").read_bytes())
        self.assertIn(("run/rank*.pt.trace.json", 512), [(one["name"], len(one["files"])) for one in self.found()])
        # As many named one by one, by a job or by the folder above, are judged one by one, too.
        (self.folder / "profgauge.yaml").write_text("schema: 1\njobs:\n  - {name: many, inputs: run/*.json}\n")
        for arguments in ((), ("run",), sorted((self.folder / "run").iterdir())):
            done = run("report", *arguments, "--out", "report", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r"(judging|comparing) 512 profiles from summaries")
            shutil.rmtree(self.folder / "report")

    def test_shares_of_the_only_run_below_a_folder(self):
        for rank, source in enumerate(self.ranks()):
            self.put(f"run/iteration_10/rank{rank}_trace.json.gz", source)
        for index in range(2):
            done = run("summarize", "run", "--part", f"{index}/2", "-o", f"parts{index}/", cwd=self.folder)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(sorted(path.name for path in (self.folder / f"parts{index}").iterdir()),
                             [f"rank{index}.pgsum", f"rank{index + 2}.pgsum"])


if __name__ == "__main__":
    main()
