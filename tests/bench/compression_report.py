"""How often the compression report is right, by labels that were written by hand.

python -m tests.bench.compression_report CASES.json LABELS.json

CASES is a list of `{name, originals: [{id, role, text}], summary}`. LABELS names, by case, `false`: claims that are not
true, `missed`: losses that the report didn't name, both as [kind, text], and `read`: whether the whole of the case was
read for losses; recall is counted over those that were. Neither belongs in the repository where texts are others'.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from ctxlab.engines.compression import SourceText, compression_report


def counted(case: dict[str, Any], labels: dict[str, Any]) -> Counter[str]:
    """Claims of one case, those that are false, and losses that were missed; labels that claim nothing are counted."""
    report = compression_report([SourceText(**each) for each in case["originals"]], case["summary"])
    claims = [(each.kind, each.text) for each in (*report.lost, *report.weakened)]
    false = [tuple(each) for each in labels.get("false", [])]
    missed = [each for each in labels.get("missed", []) if tuple(each) not in claims]
    wrong = sum(claim in false for claim in claims)
    found = Counter({"claims": len(claims), "false": wrong, "old labels": sum(each not in claims for each in false)})
    if labels.get("read"):
        found.update({"named": len(claims) - wrong, "missed": len(missed)})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", type=Path)
    parser.add_argument("labels", type=Path)
    given = parser.parse_args()
    labels: dict[str, Any] = json.loads(given.labels.read_text())
    groups: dict[str, Counter[str]] = {}
    for case in json.loads(given.cases.read_text()):
        if case["name"] in labels:
            group = groups.setdefault(case["name"].partition("/")[0], Counter())
            group.update(counted(case, labels[case["name"]]))
    print("| texts | claims | false | precision | losses in what was read | missed | recall |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for name, n in groups.items():
        precision = 1 - n["false"] / n["claims"] if n["claims"] else 1.0
        losses = n["named"] + n["missed"]
        recall = f"{n['named'] / losses:.1%}" if losses else ""
        print(f"| {name} | {n['claims']} | {n['false']} | {precision:.1%} | {losses} | {n['missed']} | {recall} |")
        if n["old labels"]:
            print(f"{name}: {n['old labels']} labels are of claims that are no longer made")


if __name__ == "__main__":
    main()
