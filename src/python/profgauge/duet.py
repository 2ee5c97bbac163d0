"""Runs two versions of a step alternately in one process, and keeps their times for `profgauge check`.

    duet = profgauge.duet.Duet("runs/fused", blocks=20, steps=10, samples=128)
    while duet.running:
        train(batch, fused=duet.side == "B")
        duet.step()

leaves runs/fused/duet.json; `profgauge check runs/fused` judges B against A. A slow machine slows
both, and one process has no noise of starts, so that a change of 1 to 2 % is found. Two programs, or
changes that need a new process: `profgauge duet -a CMD -b CMD`.
"""
import json
import os

try:
    from . import torch as base
except ImportError:  # A copy beside a copy of torch_handler.py.
    import torch_handler as base


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
        self.order = [side for pair in range(blocks) for side in ("AB", "BA")[pair % 2]]
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
        path = os.path.join(self.folder, "duet.json")
        with open(path + ".tmp", "w", encoding="ascii") as file:
            file.write(json.dumps(self.document(), separators=(",", ":"), allow_nan=False) + "\n")
        os.replace(path + ".tmp", path)

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
        return {"schema": 1, "kind": "duet", "order": "ABBA", "process": "both_loaded" if self.both_loaded else "one",
                "warmup": self.warmup, "a": side, "b": side, "blocks": blocks}
