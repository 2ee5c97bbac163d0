"""Times the steps of a training loop and judges the profiles that PyTorch's profiler records of it.

    from profgauge.torch import StepClock, judge     # or copy this one file: it needs nothing else

    clock = StepClock(samples=128)
    with torch.profiler.profile(
            schedule=torch.profiler.schedule(wait=200, warmup=2, active=5, repeat=1),
            on_trace_ready=judge("runs/gpt", policy="policy.yaml", clock=clock)) as profiler:
        for batch in loader:
            train(batch)
            clock.step(profiler)                     # in place of profiler.step()

leaves runs/gpt/step-207/ with rank-K.pt.trace.json.gz and rank-K.run.json of each rank, and the report.
A profiler slows the host, so the steps that it does not record say how long a step takes, and the
profile says why. Nothing here raises into the loop or waits for the GPU or for other ranks: each kind
of failure is logged once, to the logger `profgauge`. Python 3.8 and later, PyTorch 1.9 and later.
"""
import atexit
import collections
import json
import logging
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import threading
import time

__all__ = ["Judge", "StepClock", "Verdict", "find_program", "judge", "place_in_run"]
LOG = logging.getLogger("profgauge")

# The limits of `profgauge.run`, schema 1: readers skip larger documents.
MOST_STEPS, MOST_RANGES, MOST_VARIABLES = 65536, 4096, 64
MOST_BYTES, MOST_BYTES_IN_TRACE = 1 << 20, 32 << 10

STEPS_ASKED_AT_ONCE = 32  # Asking for one takes 30 to 60 us beside an H100, where each call's code is cold.
MOST_PENDING = 4096       # Steps that the GPU has not finished: a launch queue holds about a thousand launches.
MOST_FAILURES = 3         # Failures in a row after which a profiler is not touched again.
LEAST_FREE_BYTES = 1 << 30
CLOCK_SLACK_SECONDS = 5   # File systems' clocks and ours differ a little.

# Kineto turns each backslash into a slash and drops line ends, so no text may need an escape. A slash
# may begin a path, and paths name people.
_PLAIN = re.compile(r"[0-9A-Za-z ._+:,;=()\[\]-]{1,128}")
_REVISION = re.compile(r"[0-9A-Za-z][0-9A-Za-z._/+-]{0,63}")  # No path from the root.
_WORD = re.compile(r"[0-9A-Za-z_-]{1,32}")
_SHARED_VARIABLE = re.compile(
    r"CUDA_LAUNCH_BLOCKING|CUDA_DEVICE_MAX_CONNECTIONS|PYTORCH_(CUDA_)?ALLOC_CONF|OMP_NUM_THREADS|XLA_FLAGS|"
    r"(NCCL|TORCH_NCCL|TF|HSA|HIP|NEURON_RT|TORCHINDUCTOR)_[0-9A-Z_]+")
_SECRET = re.compile(r"TF_VAR_|TOKEN|SECRET|PASSW|KEY|CREDENTIAL|AUTH")  # TF_ is Terraform's, too.
_COMMIT_VARIABLES = ("PROFGAUGE_COMMIT", "PT_PROFILER_JOB_VERSION", "GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT")
_JOB_VARIABLES = ("PROFGAUGE_JOB", "PT_PROFILER_JOB_NAME")
# Libraries that tracers put into every process that they watch, recording or not.
_TRACER_VARIABLES = ("CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "ROCP_TOOL_LIBRARIES")

_said = set()


def _warn_once(what, error=None):
    """One line for each kind of failure; a loop may meet it at every step."""
    kind = (what, type(error))
    if kind not in _said:
        _said.add(kind)
        try:
            LOG.warning("profgauge: %s%s", what, f": {type(error).__name__}: {error}" if error else "")
        except Exception:  # A log that fails has no better place to go.
            pass


def _guarded(what):
    """A decorator: the function's exceptions are logged, and it returns None."""
    def decorate(function):
        def guarded(*arguments, **options):
            try:
                return function(*arguments, **options)
            except Exception as error:
                _warn_once(what, error)
                return None
        guarded.__doc__, guarded.__name__ = function.__doc__, function.__name__
        return guarded
    return decorate


def _torch():
    """PyTorch, if the program has imported it: this module never loads it."""
    return sys.modules.get("torch")


def _initialized(part):
    """torch.distributed or torch.cuda where they are in use, else None."""
    module = getattr(_torch(), part, None)
    return module if module and module.is_available() and module.is_initialized() else None


def place_in_run():
    """Rank and world size: PyTorch's, else the launcher's, else 0 of 1."""
    try:
        if distributed := _initialized("distributed"):
            return distributed.get_rank(), distributed.get_world_size()
    except Exception as error:
        _warn_once("torch.distributed has no rank", error)
    # Slurm sets SLURM_NTASKS for the batch script as well, which is one process: only srun sets the step's.
    for names in (("RANK", "WORLD_SIZE"), ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
                  ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")):
        rank, size = (os.environ.get(name, "") for name in names)
        if re.fullmatch("[0-9]{1,7}", rank) and re.fullmatch("[0-9]{1,7}", size) and int(rank) < int(size):
            return int(rank), int(size)
    return 0, 1


class _HostTimer:
    """The host's clock. With `synchronize` the device is waited for after every `window` steps."""
    name = "host"

    def __init__(self, synchronize, window):
        self.synchronize, self.window, self.steps = synchronize, window, 0

    def end(self):
        self.steps += 1
        if self.synchronize and self.steps % self.window == 0:
            self.synchronize()  # So the last step of a window takes the time that the host was ahead.
        return time.perf_counter_ns()

    def waited(self):
        return self.synchronize and self.steps % self.window == 0

    def begin(self):
        return time.perf_counter_ns()

    def between(self, start, end):
        return end - start


class _EventTimer:
    """Events on the compute stream: the device's clock, read once the device has passed them."""
    name = "device_event"

    def __init__(self, cuda):
        self.cuda, self.unused = cuda, []
        self.capturing = getattr(cuda, "is_current_stream_capturing", lambda: False)  # PyTorch 1.11 and later.

    def end(self):
        if self.capturing():
            return None  # It would become part of the graph.
        event = self.unused.pop() if self.unused else self.cuda.Event(enable_timing=True)
        event.record()
        return event

    begin = end

    def waited(self):
        return False

    def between(self, start, end):
        if not end.query():
            return None
        ns = round(start.elapsed_time(end) * 1e6)
        self.unused.append(start)  # `end` still begins the next step.
        return ns


class StepClock:
    """Times the steps that no profiler records, and writes them as `profgauge.run`.

    Call `step(profiler)` once at the end of every step. With a GPU an event on the current stream marks
    each step's end, and its time is read some steps later. Without one, the host's clock is read.

    warmup       steps at the start that are not kept
    keep         how many steps are kept: the first half of them, and the latest
    clock        "auto", or "host" for the host's clock where there is a GPU
    synchronize  a function that waits for the device, called after every `window` steps. Only without
                 device events: the host runs ahead, and only sums between two waits are exact.
    after        number of steps after a profile until the published documents are written again
    conditions   a profgauge.conditions.Conditions, for clocks and power of the GPU
    per_step     the work of a step: samples=128, tokens=4096
    """

    def __init__(self, warmup=20, keep=10000, clock="auto", synchronize=None, window=50, after=500, conditions=None,
                 **per_step):
        self.warmup, self.clock, self.synchronize, self.window, self.after = warmup, clock, synchronize, window, after
        self.conditions = conditions
        self.number = None  # Number of the running step.
        self.per_step = {name: value for name, value in per_step.items()
                         if _WORD.fullmatch(name) and isinstance(value, (int, float)) and 0 < value < 1e18}
        if self.per_step != per_step:
            _warn_once("the work of a step is a positive number: others are left out")
        keep = max(2, min(keep, MOST_STEPS))
        self._first, self._most_first, self._latest = [], keep // 2, collections.deque(maxlen=keep - keep // 2)
        self._pending = collections.deque()  # Steps that the device may not have finished.
        self._marks, self._recorded, self._waits = (collections.deque(maxlen=MOST_RANGES) for _ in range(3))
        self._timer, self._start, self._due, self._failures = None, None, None, 0
        self._profiler, self._about = {}, None
        self._documents, self._process = [], os.getpid()
        self._writing, self._writer = threading.Lock(), None
        if os.environ.get("PROFGAUGE_RUN") and place_in_run()[0] == 0:
            self._documents.append(os.environ["PROFGAUGE_RUN"])  # Who started this program wants its document.
        asked = os.environ.get("PROFGAUGE_STEPS", "")
        self._asked = int(asked) if re.fullmatch("[0-9]{1,7}", asked) else 0
        atexit.register(self._finish)

    def step(self, profiler=None, phase="", recorded=False):
        """Ends a step, and steps `profiler`.

        phase     of a step that was not a usual one: "eval", "checkpoint", "compile", ...
        recorded  true while another profiler records (Nsight Systems, rocprofv3)
        """
        before = 2 if recorded else _action(profiler)
        try:
            self._end(profiler, before, phase)
        except Exception as error:
            self._lose(error)
        if profiler is not None and self._failures < MOST_FAILURES:
            try:
                profiler.step()  # May stop, export and judge.
                self._failures = 0
            except Exception as error:
                self._failures += 1
                _warn_once("the profiler failed in step()", error)
        after = _action(profiler)
        if after != before:
            self._changed(profiler, before, after)

    @property
    def enough(self):
        """Whether as many steps are timed as `python -m profgauge.duet` asks for; without it always false."""
        return 0 < self._asked <= len(self._first) + len(self._latest) + len(self._pending)

    def restart(self):
        """The step begins only now: call it after work between two steps, e.g. an evaluation."""
        try:
            self._waits.append(None)
            self._start = self._timer.begin() if self._timer else None
        except Exception as error:
            self._lose(error)

    def _end(self, profiler, action, phase):
        if self.number is None:
            self.number = getattr(profiler, "step_num", 0)
        number, self.number = self.number, self.number + 1
        if profiler is not None and not self._profiler:
            self._profiler = _described(profiler) or {"name": "torch"}
        if phase:
            _extend(self._marks, number, phase if _WORD.fullmatch(phase) else "other")
        if action:
            self._start = None
            if action > 1:
                _extend(self._recorded, number)
            elif profiler is not None:
                self._announce(profiler)  # Only from the warm-up on is there a trace that takes it.
            return
        if self._timer is None:
            cuda = _initialized("cuda") if self.clock != "host" else None
            self._timer = _EventTimer(cuda) if cuda else _HostTimer(self.synchronize, self.window)
            if self.conditions is not None:
                self.conditions.start()
        now = self._timer.end()
        if self._timer.waited():
            self._waits.append(number)
        if self._start is not None and now is not None and number >= self.warmup:
            self._pending.append((number, self._start, now))
        self._start = now
        if number % STEPS_ASKED_AT_ONCE == 0 and now is not None:  # Asking would break the capture of a graph.
            self._settle()
        if self._due is not None and number >= self._due:
            self._due = None
            self._settle()  # Here, since only this thread may; JSON takes milliseconds, and has its own.
            writer = threading.Thread(target=self._write_all, args=(self._kept(),), daemon=True)
            writer.start()
            self._writer = writer

    def _changed(self, profiler, before, after):
        """The profiler was set up or wrote its trace inside of step(): the next step begins only now."""
        if after == 0:
            self.restart()
            self._due = self.number + self.after
        elif before == 0 and after > 1:  # A schedule without warm-up.
            self._announce(profiler)

    def _settle(self):
        """Keeps the times of the steps that the device has finished."""
        while self._pending:
            number, start, end = self._pending[0]
            ns = self._timer.between(start, end)
            if ns is None:
                break
            self._pending.popleft()
            if ns > 0:
                (self._first if len(self._first) < self._most_first else self._latest).append((number, ns))
        if len(self._pending) > MOST_PENDING:
            self._pending.clear()

    def _lose(self, error):
        self._start = None
        self._pending.clear()
        _warn_once("a step was not timed", error)

    def _finish(self):
        """At the end of the program: the last document has all steps, so an earlier one must not follow it."""
        if self._writer is not None and os.getpid() == self._process:
            self._writer.join()
        self._write_all()

    def _kept(self):
        return self._first + list(self._latest)

    def document(self, steps=None):
        """`profgauge.run`, schema 1, of all steps that are kept, or of some: (number, nanoseconds)."""
        steps, segments = self._kept() if steps is None else steps, []
        for number, ns in steps:
            if not segments or segments[-1]["first"] + len(segments[-1]["ns"]) != number:
                segments.append({"first": number, "ns": []})
            segments[-1]["ns"].append(ns)
        rank, size = place_in_run()
        self._about = self._about or _about_process()
        document = {"schema": 1, "clock": self._timer.name if self._timer else "host", "warmup": self.warmup,
                    "segments": segments, "windows": _windows(list(self._waits), dict(steps)),
                    "marks": list(self._marks), "recorded": [range_[:2] for range_ in self._recorded],
                    "profiler": self._profiler, "per_step": self.per_step, "rank": rank, "world_size": size,
                    **self._about}
        if self.conditions is not None and document["devices"]:
            document["devices"] = [{**document["devices"][0], **self.conditions.document()}]
        return {key: value for key, value in document.items() if value not in ([], {}, "") or key == "segments"}

    def text(self, limit=MOST_BYTES, steps=None):
        """The document as JSON of at most `limit` bytes, in ASCII and without any escape; the oldest steps go first."""
        if steps is None:
            try:
                self._settle()
            except Exception as error:  # After an error of CUDA the earlier measurements still count.
                self._lose(error)
            steps = self._kept()
        while True:
            text = json.dumps(self.document(steps), separators=(",", ":"), allow_nan=False)
            if len(text) <= limit and "\\" not in text:
                return text
            if not steps:
                raise ValueError("the document is too large or needs an escape")
            steps = steps[len(steps) // 2 + 1:]

    @_guarded("the trace has no step times")
    def _announce(self, profiler):
        # A preset goes into the trace that starts next; while one records, it would go into a later one.
        preset = getattr(profiler, "preset_metadata_json", None) if _action(profiler) == 1 else None
        (preset or profiler.add_metadata_json)("profgauge.run", self.text(MOST_BYTES_IN_TRACE))

    @_guarded("the times of steps were not written")
    def write(self, path, steps=None):
        """Writes the document; a reader never sees half of it."""
        part = f"{os.fspath(path)}.tmp"
        text = self.text(steps=steps)
        with self._writing:  # One thread at a time: two would mix their texts in one file.
            try:
                with open(part, "w", encoding="ascii") as file:
                    file.write(text + "\n")
                os.replace(part, path)
            finally:
                _remove(part)

    def publish(self, path):
        """Writes the document now, again some steps later, and at the end of the program."""
        self._documents.append(path)
        self.write(path)

    def retract(self, path):
        """Removes a published document."""
        self._documents = [other for other in self._documents if other != path]
        _remove(path)

    @_guarded("the times of steps were not written")
    def _write_all(self, steps=None):
        for path in list(self._documents) if os.getpid() == self._process else ():  # No forked process writes.
            if os.path.isdir(os.path.dirname(path) or "."):  # Who removed the folder wants no document.
                self.write(path, steps)


def _action(profiler):
    """0 none, 1 warm-up, 2 record, 3 record and save."""
    return getattr(getattr(profiler, "current_action", None), "value", 0)


def _extend(ranges, number, *word):
    """Adds a step to the last range if it continues that, else begins one."""
    if ranges and ranges[-1][1] == number - 1 and ranges[-1][2:] == list(word):
        ranges[-1][1] = number
    else:
        ranges.append([number, number, *word])


def _windows(waits, times):
    """[first, steps, ns] between two waits for the device, where each step was timed."""
    found = []
    for before, last in zip(waits, waits[1:]):
        if before is not None and last is not None:
            ns = [times.get(number, 0) for number in range(before + 1, last + 1)]
            found += [[before + 1, len(ns), sum(ns)]] if all(ns) else []
    return found


def _remove(path):
    try:
        os.remove(path)
    except OSError:
        pass


@_guarded("the profiler's settings are unknown")
def _described(profiler):
    """Schedule and switches of PyTorch's profiler, as far as it shows them."""
    switches = {"shapes": "record_shapes", "memory": "profile_memory", "stack": "with_stack", "flops": "with_flops",
                "modules": "with_modules"}
    found = {"name": "torch", "options": [name for name, of in switches.items() if getattr(profiler, of, 0) is True]}
    schedule = getattr(profiler, "schedule", None)
    names = getattr(getattr(schedule, "__code__", None), "co_freevars", ())
    values = dict(zip(names, [cell.cell_contents for cell in getattr(schedule, "__closure__", None) or ()]))
    wanted = [values.get(name) for name in ("wait", "warmup", "active", "repeat")]
    return {**found, "schedule": wanted} if all(isinstance(value, int) for value in wanted) else found


def _about_process():
    """The facts of the process that a comparison needs; unknown ones are left out."""
    env = [(name, value) for name, value in sorted(os.environ.items())
           if _SHARED_VARIABLE.fullmatch(name) and not _SECRET.search(name) and _PLAIN.fullmatch(value)]
    found = {"commit": _first_variable(_COMMIT_VARIABLES), "job": _first_variable(_JOB_VARIABLES),
             "versions": _versions() or {}, "devices": _devices() or [], "env": dict(env[:MOST_VARIABLES])}
    return {**found, "attached": True} if any(map(os.environ.get, _TRACER_VARIABLES)) else found


def _first_variable(names):
    return next((os.environ[name] for name in names if _REVISION.fullmatch(os.environ.get(name, ""))), "")


@_guarded("versions are unknown")
def _versions():
    torch, distributed = _torch(), _initialized("distributed")
    version = getattr(torch, "version", None)
    found = {"torch": getattr(torch, "__version__", ""), "cuda": getattr(version, "cuda", ""),
             "hip": getattr(version, "hip", "")}
    if distributed and distributed.get_backend() == "nccl":
        found["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))
    try:
        with open("/proc/driver/nvidia/version", encoding="ascii", errors="replace") as file:
            found["driver"] = re.search(r"Kernel Module.*?\s(\d+(?:\.\d+)+)\s", file.read(4096))[1]
    except (OSError, TypeError):
        pass
    return {name: str(value) for name, value in found.items() if _REVISION.fullmatch(str(value or ""))}


@_guarded("devices are unknown")
def _devices():
    cuda = _initialized("cuda")
    if not cuda:
        return []
    number = cuda.current_device()
    properties = cuda.get_device_properties(number)
    uuid = str(getattr(properties, "uuid", ""))  # PyTorch 2.5 and later.
    found = {"name": properties.name, "uuid": f"GPU-{uuid}" if uuid and not uuid.startswith("GPU-") else uuid}
    return [{"id": number, **{key: value for key, value in found.items() if _PLAIN.fullmatch(str(value))}}]


Verdict = collections.namedtuple("Verdict", "step status exit_code line report")
Verdict.__doc__ = """How a step was judged: status is "pass", "fail", "no_verdict" or "not_judged"."""
_STATUS = {0: ("pass", "PASS"), 1: ("fail", "FAIL"), 3: ("no_verdict", "NO VERDICT")}


def find_program(program=None):
    """The program's path: as given, $PROFGAUGE_PROGRAM, beside this Python, or in the search path."""
    if chosen := program or os.environ.get("PROFGAUGE_PROGRAM"):
        return shutil.which(chosen)
    package = os.path.dirname(os.path.abspath(__file__))
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
               os.path.join(os.path.dirname(package), "bin")]
    return shutil.which("profgauge", path=os.pathsep.join(filter(None, folders))) or shutil.which("profgauge")


class Judge:
    """For `on_trace_ready`: writes each rank's trace, and rank 0 has the step judged in the background.

    folder      where folders step-N are made; ranks share it. File names have no part of the model.
    policy, baseline, arguments  for `profgauge check`
    clock       a StepClock, whose document is written beside the trace
    on          "rank0", or "none" where ranks share no folder: judge later
    wait        seconds until ranks without a trace are given up
    keep        the newest folders that are kept; 0 keeps all
    exit_wait   seconds that the end of the program waits for verdicts
    timeout     seconds after which a judgement is given up
    on_verdict  called with each Verdict, by another thread; `verdicts` has them all
    blocking    judge before returning, for tests
    """

    def __init__(self, folder, policy=None, baseline=None, arguments=(), clock=None, on="rank0", wait=60, keep=5,
                 exit_wait=30, timeout=3600, program=None, on_verdict=None, blocking=False):
        self.folder, self.clock, self.wait, self.keep = os.fspath(folder), clock, wait, keep
        self.exit_wait, self.timeout, self.on_verdict, self.blocking = exit_wait, timeout, on_verdict, blocking
        self.arguments = [*(("--policy", os.fspath(policy)) if policy else ()),
                          *(("--baseline", os.fspath(baseline)) if baseline else ()), *map(str, arguments)]
        self.verdicts, self._folders, self._threads, self._judging, self._called = [], [], [], set(), False
        self._process, self._started, self._rank = os.getpid(), time.time(), 0
        self.program = _guarded("the program was not found")(find_program)(program) if on != "none" else None
        if on != "none" and not self.program:
            step = os.path.join(self.folder, "step-N")
            _warn_once("the program `profgauge` was not found: profiles are written and not judged. "
                       f"Later: profgauge check {step} --out {os.path.join(step, 'report')}")
        atexit.register(self._finish)

    @_guarded("a profile was not written")
    def __call__(self, profiler):
        self._called = True
        rank, size = place_in_run()
        step = int(profiler.step_num)
        folder = os.path.join(self.folder, f"step-{step}")
        os.makedirs(folder, exist_ok=True)
        if shutil.disk_usage(folder).free < LEAST_FREE_BYTES:
            _warn_once("less than 1 GiB of disk space is free: profiles are skipped")
            return
        if self.clock is not None:  # First, since a reader waits for the trace.
            self.clock.publish(os.path.join(folder, f"rank-{rank}.run.json"))
        part = os.path.join(self.folder, f".step-{step}-rank-{rank}.tmp.gz")
        try:
            profiler.export_chrome_trace(part)
            os.replace(part, os.path.join(folder, _trace(rank)))
        finally:
            _remove(part)
        self._folders.append(folder)
        self._rank = rank
        self._forget()
        if rank == 0 and self.program:
            self._judging.add(folder)
            thread = threading.Thread(target=self._judge, args=(folder, step, size), daemon=True)
            self._threads.append(thread)
            thread.start()
            if self.blocking:
                thread.join()

    def _forget(self):
        """Removes the files of this rank in folders that are too old and not being judged."""
        rank = self._rank
        while 0 < self.keep < len(self._folders) and self._folders[0] not in self._judging:
            old = self._folders.pop(0)
            if self.clock is not None:
                self.clock.retract(os.path.join(old, f"rank-{rank}.run.json"))
            _remove(os.path.join(old, _trace(rank)))
            if rank == 0:
                shutil.rmtree(os.path.join(old, "report"), ignore_errors=True)
            if not os.listdir(old):
                os.rmdir(old)

    def _fresh(self, folder, size):
        """The ranks whose trace is of this run: an earlier run may have left its own."""
        names = set(os.listdir(folder))
        earliest = self._started - CLOCK_SLACK_SECONDS
        return [rank for rank in range(size)
                if _trace(rank) in names and os.stat(os.path.join(folder, _trace(rank))).st_mtime >= earliest]

    @_guarded("a step was not judged")
    def _judge(self, folder, step, size):
        try:
            end = time.monotonic() + self.wait
            while len(ranks := self._fresh(folder, size)) < size and time.monotonic() < end:
                time.sleep(0.2)
            if missing := sorted(set(range(size)) - set(ranks)):
                LOG.warning("profgauge: step %d: %d of %d ranks left no profile within %g s: %s", step, len(missing),
                            size, self.wait, ", ".join(map(str, missing[:20])))
            self._ended(self._run(folder, step, ranks))
        finally:
            self._judging.discard(folder)

    def _run(self, folder, step, ranks):
        traces = sorted(map(_trace, ranks))
        older = [name for name in os.listdir(folder) if name.endswith(_trace("")[5:]) and name not in traces]
        profiles = [os.path.join(folder, name) for name in traces] if older else [folder]
        report, log = os.path.join(folder, "report"), _log(folder)
        os.makedirs(report, exist_ok=True)  # Nothing is written beside the profiles.
        nice = [tool, "-n", "10"] if (tool := shutil.which("nice")) else []
        command = [*nice, self.program, "check", "--out", report, "--jobs", "2", *self.arguments, "--", *profiles]
        with open(log, "wb") as output, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output,
                                                         stderr=subprocess.STDOUT, start_new_session=True) as process:
            try:
                code = process.wait(self.timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
        with open(log, encoding="utf-8", errors="replace") as text:
            lines = [" ".join(line.split()) for line in text if line.strip()]
        if not lines:
            _remove(log)
        page = os.path.join(report, "report.html")
        return Verdict(step, *_verdict(code, lines), page if os.path.exists(page) else log)

    @_guarded("the function for verdicts failed")
    def _ended(self, verdict):
        self.verdicts.append(verdict)
        # A warning, since Python shows nothing less where a program sets up no logging.
        LOG.warning("profgauge: step %d %s (%s)", verdict.step, verdict.line, verdict.report)
        if self.on_verdict:
            self.on_verdict(verdict)

    @_guarded("the end of the program did not wait for a verdict")
    def _finish(self):
        if os.getpid() == self._process:
            if not self._called:
                _warn_once("nothing was recorded: the training ended before the profiler's schedule did")
            end = time.monotonic() + self.exit_wait
            for thread in self._threads:
                thread.join(max(0, end - time.monotonic()))
            self._forget()
            for folder in sorted(self._judging):
                LOG.warning("profgauge: no verdict yet: it will be in %s", _log(folder))


def _log(folder):
    return os.path.join(folder, "report", "judge.log")


def _trace(rank):
    return f"rank-{rank}.pt.trace.json.gz"


def _verdict(code, lines):
    """Status, exit code and the program's last line, which is the verdict, or else its first error."""
    status, word = _STATUS.get(code, (None, None))
    verdict = next((line for line in reversed(lines) if word and line.startswith(("PASS", "FAIL", word))), None)
    if verdict:
        return status, code, verdict
    error = next((line for line in lines if "error" in line), lines[0] if lines else "no output")
    if code == 3:
        return status, code, f"{word}: {error[:300]}"
    return "not_judged", code, f"NOT JUDGED, exit code {code}: {error[:300]}"  # Also 0 without a verdict.


judge = Judge
