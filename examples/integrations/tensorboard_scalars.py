#!/usr/bin/env python3
"""Writes reports as scalars for TensorBoard: tensorboard_scalars.py LOGDIR REPORT.json…

The step is the number in the name of a folder above the report (runs/step-207/report/report.json: 207),
as the handler of examples/torch_handler.py writes it; without one, the position in the command line.
"""
import json
import math
import re
import sys

from torch.utils.tensorboard import SummaryWriter


def step_of(path, position):
    found = re.findall(r"step-(\d+)(?=/)", path)
    return int(found[-1]) if found else position


def write(logdir, paths):
    writer = SummaryWriter(logdir)
    for position, path in enumerate(paths):
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        for name, metric in report["metrics"].items():
            value = metric.get("value")
            if isinstance(value, (int, float)) and math.isfinite(value):
                writer.add_scalar(f"profgauge/{name}", value, step_of(path, position))
    writer.close()


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2:])
