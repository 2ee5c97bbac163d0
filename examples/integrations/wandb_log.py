#!/usr/bin/env python3
"""Logs a report to Weights & Biases: wandb_log.py REPORT.json [REPORT.html]. Inside of a run it goes to that run."""
import json
import math
import sys

import wandb


def log(report, page=None):
    run = wandb.run or wandb.init(job_type="profile", name=report["profile"]["name"])
    values = {f"profgauge/{name}": metric["value"] for name, metric in report["metrics"].items()
              if isinstance(metric.get("value"), (int, float)) and math.isfinite(metric["value"])}
    run.log(values)
    run.summary["profgauge/verdict"] = report["verdict"]["status"]
    if page:
        artifact = wandb.Artifact("profgauge-report", type="report")
        artifact.add_file(page)
        run.log_artifact(artifact)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        log(json.load(file), *sys.argv[2:3])
