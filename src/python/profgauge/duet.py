"""Runs two versions of a step alternately in one process, and keeps their times for `profgauge check`.

    duet = profgauge.duet.Duet("runs/fused", blocks=20, steps=10, samples=128)
    while duet.running:
        train(batch, fused=duet.side == "B")
        duet.step()

leaves runs/fused/duet.json; `profgauge check runs/fused` judges B against A. A slow machine slows
both, and one process has no noise of starts, so that a change of 1 to 2 % is found.

Two programs, or changes that need a new process:

    python -m profgauge.duet -a "python train.py" -b "python train.py --fused" -o runs/fused
    python -m profgauge.duet --aa "python train.py" -o runs/same

Blocks are started in the order A B B A; each is a new process. A command gets

    PROFGAUGE_RUN    the file for its times: StepClock writes it
    PROFGAUGE_STEPS  how many iterations are used; it may stop when `clock.enough`
    PROFGAUGE_SIDE   A or B

and its output is in runs/fused/blocks. Profiles in runs/fused/A and runs/fused/B explain the
difference. --aa runs one command as both sides, prints the smallest change that this machine can
see, and writes noise_floor.yaml for policies.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys

try:
    from . import torch as base
except ImportError:  # A copy beside a copy of torch_handler.py.
    import torch_handler as base


def _order(blocks):
    """The sides in the order A B B A, so that a drift of the machine adds as much to A as to B."""
    return [side for pair in range(blocks) for side in ("AB", "BA")[pair % 2]]


def _document(process, warmup, a, b, blocks):
    """`duet.json`, schema 1."""
    return {"schema": 1, "kind": "duet", "order": "ABBA", "process": process, "warmup": warmup, "a": a, "b": b,
            "blocks": blocks}


def _write(path, text):
    with open(path + ".tmp", "w", encoding="ascii") as file:
        file.write(text)
    os.replace(path + ".tmp", path)


def _write_document(folder, document):
    path = os.path.join(folder, "duet.json")
    _write(path, json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n")
    return path


class Duet:
    """Blocks of A and B in the order A B B A.

    blocks, steps   how many blocks of each side, and steps of a block that count
    warmup          steps at the start of each block that do not: caches, the allocator, clocks
    both_loaded     each side has its own model or graph in memory: they differ by more than a switch
    synchronize     a function that waits for the device, called at the end of each block: only without
                    device events, if the host runs ahead into the next block
    per_step        the work of a step: samples=128, tokens=4096
    """

    def __init__(self, folder, blocks=10, steps=20, warmup=2, both_loaded=False, synchronize=None, **per_step):
        self.folder = os.fspath(folder)
        self.order = _order(blocks)
        self.block_steps, self.warmup, self.both_loaded = warmup + steps, warmup, both_loaded
        self.synchronize, self.per_step = synchronize, per_step
        self.blocks = []  # For each finished block: the points in time around its steps.
        self._timer, self._points, self._left = None, [], len(self.order)

    @property
    def running(self):
        """Whether steps are still to be run."""
        return self._left > 0

    @property
    def side(self):
        """"A" or "B": the side of the next step."""
        return self.order[min(len(self.order) - self._left, len(self.order) - 1)]

    def step(self):
        """Ends a step."""
        try:
            self._end()
        except Exception as error:  # The loop must end all the same.
            base._warn_once("a step of the duet was not timed", error)
            self._points = None
        if self._points is None or len(self._points) > self.block_steps:
            self._next_block()

    def _end(self):
        if self._timer is None:
            cuda = base._initialized("cuda")
            self._timer = base._EventTimer(cuda) if cuda else base._HostTimer(None, 1)
        if len(self._points) == self.block_steps and self.synchronize:
            self.synchronize()
        self._points.append(self._timer.end())

    def _next_block(self):
        self.blocks.append(self._points or [])
        self._points = []
        self._left -= 1
        if self._left == 0:
            self._write()

    @base._guarded("the duet was not written")
    def _write(self):
        cuda = base._initialized("cuda")
        if cuda:
            cuda.synchronize()  # Once, after everything that was timed.
        os.makedirs(self.folder, exist_ok=True)
        _write_document(self.folder, self.document())

    def document(self):
        """`duet.json`, schema 1. A block that was not timed is empty."""
        about = base._about_process()
        side = {**({"commit": about["commit"]} if about.get("commit") else {}),
                **({"per_step": self.per_step} if self.per_step else {})}
        blocks = []
        for name, points in zip(self.order, self.blocks):
            # The step before the first point is partly of the block before.
            times = [self._timer.between(start, end) for start, end in zip(points, points[1:])]
            blocks.append({"side": name, "ns": times if all(ns and ns > 0 for ns in times) else []})
        return _document("both_loaded" if self.both_loaded else "one", self.warmup, side, side, blocks)


class _Failure(Exception):
    """Why a duet ended: what happened, the next step, and its code, as the program itself says it."""

    def __init__(self, message, help_text, code, exit_code=3):
        super().__init__(f"error: {message}\n  help: {help_text}   [{code}]")
        self.exit_code = exit_code


def _steps_of(document, most):
    """The longest series of consecutive iterations, up to `most`: a pause between two is no iteration."""
    series = [segment["ns"] for segment in document["segments"]]
    if any(type(ns) is not int or ns <= 0 for steps in series for ns in steps):
        raise ValueError("a time is no whole number of nanoseconds")
    return max(series, key=len, default=[])[:most]


def _run_block(command, folder, number, side, wanted, warmup):
    """Runs a command once; its block, and what it states of its side.

    The document of an earlier duet is removed first: a command that writes none would else be timed by it.
    """
    name = os.path.join(folder, "blocks", f"{number:03}-{side}")
    run, log = name + ".run.json", name + ".log"
    if os.path.exists(run):
        os.remove(run)
    variables = {"PROFGAUGE_RUN": os.path.abspath(run), "PROFGAUGE_STEPS": str(wanted), "PROFGAUGE_SIDE": side}
    with open(log, "wb") as output:
        code = subprocess.run(command, shell=True, env={**os.environ, **variables}, stdout=output,
                              stderr=subprocess.STDOUT, check=False).returncode
    if code != 0:
        raise _Failure(f"block {number} of {side} ended with exit code {code if code > 0 else 128 - code}",
                       f"its output is in {log}", "duet/command-failed")
    why, document, steps = "", {}, []
    try:
        with open(run, encoding="utf-8") as file:
            document = json.load(file)
        steps = _steps_of(document, wanted)
    except FileNotFoundError:
        why = "the command wrote no times of iterations"
    except (ValueError, TypeError, KeyError) as error:  # Of JSON and of UTF-8, too.
        why = f"{run} is no JSON of `profgauge schema run`: {error}"
    if len(steps) < warmup + 3:
        raise _Failure(why or f"the command timed {len(steps)} iterations, after its own warm-up: {warmup + 3} are needed",
                       "time them with `profgauge.torch.StepClock(warmup=2)`, or write `profgauge.run` "
                       "(`profgauge schema run`) to $PROFGAUGE_RUN", "duet/no-times")
    about = {key: document[key] for key in ("commit", "per_step") if document.get(key)}
    return {"side": side, "start": number, "ns": steps}, about


def _check_replacing(path, mark):
    """Only files of an earlier duet are replaced."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            head = file.read(4096)
    except FileNotFoundError:
        return
    if head and mark not in head.replace(" ", ""):
        raise _Failure(f"`{path}` exists and is of no duet", "choose another folder, or remove the file",
                       "usage/not-ours", 2)


def _measure(folder):
    """Prints what `profgauge baseline power` says of a duet of one command, and writes the noise floor."""
    program = base.find_program()
    if program is None:
        raise _Failure("`profgauge` was not found", f"where it is installed, run `profgauge baseline power {shlex.quote(folder)}`",
                       "duet/no-program")
    done = subprocess.run([program, "baseline", "power", folder], stdout=subprocess.PIPE, check=False)
    if done.returncode != 0:
        raise _Failure("the noise between starts was not measured", "see the error of `profgauge baseline power` above",
                       "duet/not-measured", done.returncode)
    text, floor = done.stdout.decode().splitlines()
    print(text)
    path = os.path.join(folder, "noise_floor.yaml")
    _write(path, f"{_FLOOR_HEAD}\nschema: 1\nbaseline:\n  {floor}\n")
    print(f"wrote {path}: extend it in the policy", file=sys.stderr)


_FLOOR_HEAD = "# Noise between starts, as `python -m profgauge.duet --aa` measured it on this machine."


def _run(a, b, folder, blocks, steps, warmup):
    os.makedirs(os.path.join(folder, "blocks"), exist_ok=True)
    _check_replacing(os.path.join(folder, "duet.json"), '"kind":"duet"')
    if a == b:
        _check_replacing(os.path.join(folder, "noise_floor.yaml"), _FLOOR_HEAD.replace(" ", ""))
    sides, done = {}, []
    for number, side in enumerate(_order(blocks)):
        if sys.stderr.isatty():
            print(f"\rrunning {side}, {number + 1} of {2 * blocks}", end="", file=sys.stderr, flush=True)
        block, sides[side] = _run_block(a if side == "A" else b, folder, number, side, warmup + steps, warmup)
        done.append(block)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    path = _write_document(folder, _document("restarted", warmup, sides["A"], sides["B"], done))
    print(f"wrote {path} ({len(done)} blocks)", file=sys.stderr)
    if a == b:
        _measure(folder)
    else:
        print(f"help: `profgauge check {shlex.quote(folder)}` judges it", file=sys.stderr)


def main(arguments=None):
    """`python -m profgauge.duet`: returns the exit code: 2 for a wrong call, 3 for a block that failed, 4 for a file."""
    parser = argparse.ArgumentParser(
        prog="python -m profgauge.duet", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Run two commands alternately on this machine and time both.",
        epilog=__doc__[__doc__.index("Two programs"):])
    parser.add_argument("-a", metavar="CMD", help="the command to compare with")
    parser.add_argument("-b", metavar="CMD", help="the command to judge")
    parser.add_argument("--aa", metavar="CMD", help="one command as both sides, to measure the machine")
    parser.add_argument("-o", metavar="DIR", required=True, help="the folder to write to")
    parser.add_argument("--blocks", metavar="N", type=int, default=10, help="blocks of each side (default: 10)")
    parser.add_argument("--steps", metavar="N", type=int, default=20, help="iterations of a block (default: 20)")
    parser.add_argument("--warmup", metavar="N", type=int, default=2,
                        help="leave out the first N iterations of each block (default: 2)")
    given = parser.parse_args(arguments)
    if bool(given.aa) == bool(given.a or given.b) or bool(given.a) != bool(given.b):
        parser.error("two commands are needed, -a and -b, or one for --aa")
    if not 3 <= given.blocks <= 1000 or given.steps < 3 or given.warmup < 0:
        parser.error("3 to 1000 blocks of 3 iterations or more are needed")
    try:
        _run(given.aa or given.a, given.aa or given.b, given.o, given.blocks, given.steps, given.warmup)
    except _Failure as failure:
        print(failure, file=sys.stderr)
        return failure.exit_code
    except OSError as error:
        print(f"error: {error}", file=sys.stderr)
        return 4
    return 0


if __name__ == "__main__":
    sys.exit(main())
