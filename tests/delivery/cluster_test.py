"""The samples for clusters, run as they are written: GNU parallel, Open MPI, Slurm where its daemons
run (ci/cluster.sh starts them), and the arguments of the Kubernetes jobs in a root with only the program. A run of eight ranks,
of which one cannot be read.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time
import unittest

from support import PROGRAM, REPOSITORY, SANITIZED, SKIPPED, environment, main, run

try:
    import yaml
except ImportError:
    print("skipped: not installed: python3-yaml")
    raise SystemExit(SKIPPED)

CLUSTER = REPOSITORY / "examples" / "cluster"
MAKE_RANKS = PROGRAM.parent / "make_ranks"
POLICY = """schema: 1
rules: {"*": off, comm/straggler: default}
ranks: {expect: 8}
thresholds: {communication.exposed_share: {max: 90%}}
"""

# The fields of a Job that the samples use; anything else is a mistake of ours.
JOB = {
    "apiVersion": str, "kind": str, "metadata": {"name": str},
    "spec": {"completionMode": str, "completions": int, "parallelism": int, "backoffLimit": int,
             "backoffLimitPerIndex": int, "maxFailedIndexes": int,
             "podFailurePolicy": {"rules": [{"action": str, "onExitCodes": {
                 "containerName": str, "operator": str, "values": [int]}}]},
             "template": {"spec": {
                 "restartPolicy": str,
                 "securityContext": {"runAsNonRoot": bool, "runAsUser": int, "fsGroup": int},
                 "containers": [{"name": str, "image": str, "command": [str], "args": [str],
                                 "env": [{"name": str, "valueFrom": {"fieldRef": {"fieldPath": str}}}],
                                 "securityContext": {"readOnlyRootFilesystem": bool, "allowPrivilegeEscalation": bool},
                                 "volumeMounts": [{"name": str, "mountPath": str}]}],
                 "volumes": [{"name": str, "persistentVolumeClaim": {"claimName": str}}]}}}}


def missing(*programs):
    absent = [name for name in programs if shutil.which(name) is None]
    return f"not installed: {', '.join(absent)}" if absent else ""


def misfits(value, shape, place="job"):
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{place}: expected a mapping"]
        return [error for key, below in value.items() for error in (
            misfits(below, shape[key], f"{place}.{key}") if key in shape
            else [f"{place}.{key}: unknown"])]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{place}: expected a list"]
        return [error for i, below in enumerate(value)
                for error in misfits(below, shape[0], f"{place}[{i}]")]
    return [] if isinstance(value, shape) else [f"{place}: expected {shape.__name__}"]


class Cluster(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not MAKE_RANKS.exists():
            raise unittest.SkipTest("not built: make_ranks")
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        subprocess.run([MAKE_RANKS, cls.folder / "profiles", "--ranks", "8", "--iterations", "3",
                        "--cause", "host", "--late", "5"], check=True)
        cls.policy = cls.folder / "policy.yaml"
        cls.policy.write_text(POLICY)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def setUp(self):
        self.out = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.profiles = self.folder / "profiles"

    def damaged(self):
        """The same profiles, one of which ends early."""
        profiles = self.out / "profiles"
        shutil.copytree(self.folder / "profiles", profiles)
        broken = profiles / "rank3.pt.trace.json"
        broken.write_text(broken.read_text()[:2000])
        return profiles

    def shell(self, *command, status=0, **more):
        done = subprocess.run(list(map(str, command)), env=environment(**more), text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def check(self, status=0):
        done = run("check", self.out / "summaries", "--policy", self.policy, "--json",
                   self.out / "report.json")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        metrics = json.loads((self.out / "report.json").read_text())["metrics"]
        return done, metrics

    def test_summaries_blame_as_profiles_do(self):
        self.assertEqual(run("summarize", self.profiles, "-o", f"{self.out}/summaries/").returncode, 0)
        _, metrics = self.check()
        self.assertEqual(metrics["rank.straggler"]["value"], 5)
        merged = self.out / "run.pgsum"
        self.assertEqual(run("summarize", self.out / "summaries", "-o", merged).returncode, 0)
        again = self.out / "again.pgsum"
        files = sorted((self.out / "summaries").iterdir(), reverse=True)
        self.assertEqual(run("summarize", *files, "-o", again).returncode, 0)
        self.assertEqual(merged.read_bytes(), again.read_bytes())
        told = run("inspect", merged).stdout
        self.assertIn("rank 7 of 8", told)
        self.assertEqual(told.count("summary of"), 8)

    def test_a_rank_that_cannot_be_read(self):
        done = run("summarize", self.damaged(), "-o", f"{self.out}/summaries/")
        self.assertEqual(done.returncode, 3)
        self.assertIn("rank3.pt.trace.json", done.stderr)
        self.assertEqual(len(list((self.out / "summaries").iterdir())), 7)
        done, _ = self.check(status=3)
        self.assertIn("1 of 8 ranks is missing", done.stdout.replace("\u202f", " "))

    def test_baselines_are_those_of_profiles(self):
        run("summarize", self.profiles, "-o", f"{self.out}/summaries/")
        summaries = self.out / "summaries"
        numbers = []
        for source, name in ((self.profiles, "profiles"), (summaries, "summaries")):
            done = run("baseline", "save", source, "-o", self.out / f"{name}.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            saved = json.loads((self.out / f"{name}.json").read_text())
            saved["runs"][0].pop("name")
            numbers.append(saved)
        self.assertEqual(*numbers)
        slower = self.out / "slower"
        subprocess.run([MAKE_RANKS, slower, "--ranks", "8", "--iterations", "5", "--seed", "9"], check=True)
        run("summarize", slower, "-o", self.out / "slower.pgsum")
        answers = []
        for base, current in ((self.profiles, slower), (summaries, self.out / "slower.pgsum")):
            done = run("compare", base, current, "--json", self.out / "c.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            comparison = json.loads((self.out / "c.json").read_text())["comparison"]
            comparison.pop("baseline"), comparison.pop("candidate")
            answers.append(comparison)
        self.assertEqual(*answers)

    def test_summaries_refuse_contradictions(self):
        run("summarize", self.profiles, "-o", f"{self.out}/summaries/")
        summaries = self.out / "summaries"
        for arguments in (["what-if", summaries, "--scale", "waiting"], ["export", "kernels", summaries],
                          ["report", summaries, "--write", f"trace={self.out / 't.json'}"],
                          ["report", summaries, "--html", self.out / "r.html", "--timeline", "full"]):
            done = run(*arguments)
            self.assertEqual(done.returncode, 3, done.stderr)
            self.assertIn("summary/no-events", done.stderr)
        done = run("check", summaries, "--iter-start", "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("summary/other-selection", done.stderr)
        other = self.out / "other"
        subprocess.run([MAKE_RANKS, other, "--ranks", "4", "--iterations", "3"], check=True)
        done = run("summarize", other, summaries / "rank7.pgsum", "-o", self.out / "mixed.pgsum")
        self.assertEqual(done.returncode, 3)
        done = run("check", self.out / "summaries" / "rank0.pgsum", other)
        self.assertEqual(done.returncode, 3)
        self.assertIn("summary/other-run", done.stderr)
        whole = (summaries / "rank0.pgsum").read_bytes()
        (self.out / "cut.pgsum").write_bytes(whole[:len(whole) // 2])
        self.assertIn("summary/truncated", run("check", self.out / "cut.pgsum").stderr)
        done = run("report", summaries, "--out", self.out / "all")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess((self.out / "all" / "report.html").stat().st_size, 1_000_000)

    @unittest.skipIf(missing("parallel"), missing("parallel"))
    def test_gnu_parallel(self):
        self.shell(CLUSTER / "parallel.sh", self.profiles, self.out, self.policy)
        _, metrics = self.check()
        self.assertEqual(metrics["rank.straggler"]["value"], 5)

    @unittest.skipIf(missing("parallel"), missing("parallel"))
    def test_gnu_parallel_without_a_rank(self):
        self.shell(CLUSTER / "parallel.sh", self.damaged(), self.out, self.policy, status=3)
        self.assertEqual(len(list((self.out / "summaries").iterdir())), 7)

    @unittest.skipIf(missing("mpirun"), missing("mpirun"))
    def test_mpirun(self):
        root = ["--allow-run-as-root"] if os.getuid() == 0 else []
        self.shell("mpirun", *root, "--oversubscribe", "-n", "8", CLUSTER / "mpirun.sh", self.damaged(),
                   self.out, self.policy, OMPI_MCA_rmaps_base_oversubscribe="1")
        self.assertEqual(len(list((self.out / "summaries").iterdir())), 7)
        self.check(status=3)

    def test_node_local_ranks_share_the_files_of_their_node(self):
        for local in range(4):
            done = self.shell(CLUSTER / "mpirun.sh", self.profiles, self.out, self.policy, NODE_LOCAL="1", SLURM_PROCID=str(4 + local),
                              SLURM_NTASKS="8", SLURM_LOCALID=str(local), SLURM_NTASKS_PER_NODE="4")
            self.assertEqual(done.stderr, "")
        self.check()

    def test_without_the_program_or_a_folder(self):
        empty = self.out / "empty"
        empty.mkdir()
        whole = [self.profiles, self.out, self.policy]
        scripts = {"parallel.sh": whole, "mpirun.sh": whole, "slurm/submit.sh": whole, "slurm/check.sbatch": whole[1:],
                   "slurm/summarize.sbatch": [*whole, "8"]}
        for name, words in scripts.items():
            variables = {"PATH": "/usr/bin:/bin", "SLURM_ARRAY_TASK_ID": "0", "SLURM_PROCID": "0", "SLURM_NTASKS": "8"}
            for more in ({}, {"PROFGAUGE": "/nonexistent"}):
                done = subprocess.run(["/bin/sh", CLUSTER / name, *map(str, words)], env=variables | more, text=True,
                                      capture_output=True, check=False)
                self.assertEqual(done.returncode, 127, name)
                self.assertRegex(done.stderr, "there is no program|not found", name)
            done = subprocess.run(["/bin/sh", CLUSTER / name], env=variables | {"PROFGAUGE": str(PROGRAM)}, text=True,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr != ""), (2, True), name)
        done = subprocess.run(["/bin/sh", CLUSTER / "mpirun.sh", empty, self.out], env=variables | {"PROFGAUGE": str(PROGRAM)}, text=True,
                              capture_output=True, check=False)
        self.assertIn("rank 0: not all files of part 0/8", done.stderr)
        self.assertEqual(run("check", self.out / "summaries").returncode, 3)

    @unittest.skipIf(SANITIZED, "its root has no /proc")
    def test_kubernetes(self):
        job = yaml.safe_load((CLUSTER / "kubernetes" / "job.yaml").read_text())
        judge = yaml.safe_load((CLUSTER / "kubernetes" / "check-job.yaml").read_text())
        for manifest in (job, judge):
            self.assertEqual(misfits(manifest, JOB), [])
            self.assertEqual(manifest["spec"]["template"]["spec"]["restartPolicy"], "Never")  # podFailurePolicy needs it.
        self.assertEqual(job["spec"]["completionMode"], "Indexed")
        for profiles, status in ((self.profiles, 0), (self.damaged(), 3)):
            root = self.image()
            shutil.copytree(profiles, root / "run-data" / "profiles")
            shutil.copy(self.policy, root / "run-data" / "policy.yaml")
            for index in range(job["spec"]["completions"]):
                self.pod(job, root, 3 if status and index == 3 else 0, str(index))
            self.assertEqual(len(list((root / "run-data" / "summaries").iterdir())), 7 if status else 8)
            self.pod(judge, root, status)
            self.assertTrue((root / "run-data" / "report" / "report.json").exists())

    def image(self):
        """The contents of ci/Containerfile's last stage: the program, here with its libraries, and an empty volume."""
        if os.getuid() != 0:
            self.skipTest("only root may change the root")
        root = pathlib.Path(tempfile.mkdtemp(dir=self.out))
        listed = subprocess.run(["ldd", str(PROGRAM)], text=True, capture_output=True, check=False).stdout.split()
        for path in [str(PROGRAM), *(word for word in listed if word.startswith("/"))]:
            target = root / ("profgauge" if path == str(PROGRAM) else path.lstrip("/"))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        (root / "run-data").mkdir()
        return root

    def pod(self, manifest, root, status, index=None):
        """Executes the container's command as the kubelet does: without a shell, variables of `env` put in."""
        container = manifest["spec"]["template"]["spec"]["containers"][0]
        variables = {item["name"]: index for item in container.get("env", [])}
        words = [re.sub(r"\$\((\w+)\)", lambda found: variables[found[1]], word)
                 for word in container["command"] + container["args"]]
        done = subprocess.run([shutil.which("chroot", path="/usr/sbin:/usr/bin"), str(root), *words], env=variables, text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def need_slurm(self):
        if missing("sbatch", "squeue"):
            self.skipTest(missing("sbatch", "squeue"))
        if subprocess.run(["squeue"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no Slurm controller answers; ci/cluster.sh starts one")

    def test_slurm_trains_and_judges(self):
        self.need_slurm()
        for ending, wanted in (("", 0), ("; sys.exit(7)", 7)):
            (self.out / "train.py").write_text(
                "import os, shutil, sys\nfolder = os.path.join(sys.argv[2], 'step-8')\nos.makedirs(folder)\n"
                f"shutil.copy({str(REPOSITORY / 'examples/healthy.pt.trace.json.gz')!r}, folder){ending}\n")
            run_folder = self.out / f"run-{wanted}"
            done = subprocess.run(
                ["sbatch", "--wait", "--nodes=1", "--ntasks-per-node=1", "--gpus-per-node=0", "--output=train.log",
                 REPOSITORY / "examples/slurm/train.sbatch"], cwd=self.out, text=True, capture_output=True, check=False,
                env=environment(PROFGAUGE=str(PROGRAM), RUN=str(run_folder),
                                JUDGE_SCRIPT=str(REPOSITORY / "examples/slurm/judge.sbatch")))
            log = (self.out / "train.log").read_text()
            self.assertEqual(done.returncode, wanted, done.stderr + log)
            self.assertIn("step-8: exit 0: PASS", log)

    def test_slurm(self):
        self.need_slurm()
        self.shell(CLUSTER / "slurm" / "submit.sh", self.damaged(), self.out, self.policy)
        verdict = self.out / "verdict"
        deadline = time.monotonic() + 240
        while not verdict.exists() and time.monotonic() < deadline:
            time.sleep(1)
        self.assertTrue(verdict.exists(), "the judging job did not end")
        self.assertEqual(verdict.read_text().strip(), "3")
        self.assertEqual(len(list((self.out / "summaries").iterdir())), 7)
        log = (self.out / "check.log").read_text().replace("\u202f", " ")
        self.assertIn("1 of 8 ranks is missing", log)
        print(log)


if __name__ == "__main__":
    main()
