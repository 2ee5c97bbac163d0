#!/usr/bin/env python3
"""Holds the promise of examples/stability.md that a rule is born as a warning.

  ci/new_rules.py [TAG]

Compares the rules with those of the last tag (or TAG), and prints each that is new, or whose condition or limits changed,
and that can fail a run under builtin:recommended all the same. Exit code: 0 none, or there is no tag; 1 some.
"""
import pathlib
import subprocess
import sys

import yaml

ROOT = pathlib.Path(__file__).resolve().parent.parent
DECIDES = ("for_each", "where", "when", "level", "sure_when", "params", "group_by")


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, text=True, capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def rules_of(texts):
    """Rule id -> what decides whether it fires, and at which level."""
    rules = {}
    for text in texts:
        document = yaml.safe_load(text) or {}
        for rule in document.get("rules") or [] if isinstance(document, dict) and "namespace" in document else []:
            metric = rule.get("metric") or {}
            limits = {key: value for key, value in metric.items() if key.startswith(("warn_", "error_", "value"))}
            rules[f"{document['namespace']}/{rule['id']}"] = {**{key: rule.get(key) for key in DECIDES}, "limits": limits}
    return rules


def can_fail(rule):
    return rule["level"] == "error" or any(key.startswith("error_") for key in rule["limits"])


def main():
    tag = sys.argv[1] if len(sys.argv) > 1 else (git("describe", "--tags", "--abbrev=0") or "").strip()
    if not tag:
        return 0
    names = [name for name in (git("ls-tree", "--name-only", tag, "rules/") or "").split()
             if name.endswith(".yaml") and not name.endswith(".test.yaml")]
    before = rules_of(git("show", f"{tag}:{name}") for name in names)
    now = rules_of(path.read_text(encoding="utf-8") for path in sorted((ROOT / "rules").glob("*.yaml"))
                   if not path.name.endswith(".test.yaml"))
    wrong = [f"{id}: {'changed' if id in before else 'new'} since {tag}, and can fail a run"
             for id, rule in now.items() if rule != before.get(id) and can_fail(rule)]
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
