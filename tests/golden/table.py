"""The closing table: what became of each case, and which rules hit. A plugin, named in tests/conftest.py."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest

from tests.golden.rules import RULES

OUTCOMES = ("equal", "different")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    hits: dict[str, Counter[str]] = defaultdict(Counter)
    for report in _reports(terminalreporter):
        file, outcome, rules = dict(report.user_properties)["golden"]
        outcomes[file][outcome if report.outcome != "failed" else "failed"] += 1
        for rule in rules:
            hits[rule][file] += 1
    if not outcomes:
        return
    terminalreporter.section("golden cases")
    for line in [*_files(outcomes), "", *_rules(hits, outcomes)]:
        terminalreporter.write_line(line)


def _reports(terminalreporter: pytest.TerminalReporter) -> Iterator[pytest.TestReport]:
    for outcome in ("passed", "skipped", "failed"):
        for report in terminalreporter.getreports(outcome):
            if report.when == "call" and "golden" in dict(report.user_properties):
                yield report


def _files(outcomes: dict[str, Counter[str]]) -> Iterator[str]:
    columns = OUTCOMES if not any(counts["failed"] for counts in outcomes.values()) else (*OUTCOMES, "failed")
    yield _row("file", "cases", *columns)
    for file in sorted(outcomes):
        yield _row(file, outcomes[file].total(), *(outcomes[file][column] or "" for column in columns))
    together = sum(outcomes.values(), Counter[str]())
    yield _row("all", together.total(), *(together[column] for column in columns))


def _row(name: str, *cells: object) -> str:
    return f"{name:32}" + "".join(f"{cell:>11}" for cell in cells)


def _rules(hits: dict[str, Counter[str]], outcomes: dict[str, Counter[str]]) -> Iterator[str]:
    """Every rule for one of the files that were run, with its hits; a hit on over a third of a file is marked."""
    for rule in RULES:
        ran = [file for file in rule.files if file in outcomes]
        if ran:
            often = [
                f"{file} {hits[rule.id][file]}"
                + ("  OVER A THIRD" if 3 * hits[rule.id][file] > outcomes[file].total() else "")
                for file in ran
                if hits[rule.id][file]
            ]
            yield f"{rule.id}: {', '.join(often) or 'hits nothing here'}"
