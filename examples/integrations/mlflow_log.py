#!/usr/bin/env python3
"""Logs a report to MLflow: mlflow_log.py REPORT.json [REPORT.html]. Inside of a run it goes to that run."""
import json
import math
import sys

import mlflow


def log(report, page=None):
    if mlflow.active_run() is None:
        mlflow.start_run(run_name=report["profile"]["name"])
    values = {f"profgauge/{name}": metric["value"] for name, metric in report["metrics"].items()
              if isinstance(metric.get("value"), (int, float)) and math.isfinite(metric["value"])}
    mlflow.log_metrics(values)
    mlflow.set_tag("profgauge.verdict", report["verdict"]["status"])
    if page:
        mlflow.log_artifact(page)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        log(json.load(file), *sys.argv[2:3])
