"""Answers of the second reading by the suite's protocol:
`python conformance/run.py --lines "python conformance/second_reading"`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))


def answer(case: dict) -> dict:
    """The answer to a case, or why this reading has none."""
    from second_reading import entries, prompts, texts

    readers = {"messages": prompts.read, "drops": prompts.read, "budgets": prompts.read, "lore": entries.read}
    readers |= {"rules": texts.rules, "macros": texts.macros}
    if case["topic"] not in readers:
        return {"skipped": f"{case['topic']} are not read here"}
    try:
        return readers[case["topic"]](case["input"])
    except NotImplementedError as why:
        return {"skipped": str(why)}


def main() -> None:
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line)), ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
