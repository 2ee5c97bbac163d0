"""ProfGauge from Python: run the program and get typed results, or time steps and record profiles in training
programs (see `torch.py`).

    import profgauge
    verdict = profgauge.check("runs/step-20/", policy="policy.yaml")
    verdict.status, verdict.findings[0].message
    profgauge.query("runs/step-20/", "select rank, sum(duration) t from gap_events group by 1")
"""
from .api import (Error, Finding, Metric, Table, Verdict, check, compare, export, find, find_program, query, report,
                  tables, version)

__all__ = ["Error", "Finding", "Metric", "Table", "Verdict", "check", "compare", "export", "find", "find_program",
           "query", "report", "tables", "version"]
