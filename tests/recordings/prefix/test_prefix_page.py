"""The page on prefixes: its figures are those of the logs, and nine of ten states are those of the vendors' usage."""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

import ctxlab
from ctxlab.errors import ReadError
from ctxlab.recordings.prefix import PrefixReport

ROOT = Path(__file__).parents[3]
RECORDINGS = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared")) / "data" / "recordings"
PAGE = ROOT / "docs" / "prefix.md"
FIGURES = "(?s)(?<=<!-- figures -->\n).*(?=<!-- /figures -->)"
KINDS = ("whole", "cut", "expired", "other model", "short")
AGENTS = ("claude-code-compaction", "codex", "cline", "gemini-cli")
"""Folders of agents' logs, which have a row each; the others are one row."""
pytestmark = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="needs the recordings in the folder of CTXLAB_SHARED")


@cache
def reports() -> dict[str, PrefixReport]:
    """The reports of all recordings with requests to compare, by file."""
    found: dict[str, PrefixReport] = {}
    for path in sorted(RECORDINGS.rglob("*")):
        if path.is_file():
            try:
                report = ctxlab.read_recording(path).prefix()
            except ReadError:
                continue
            if report.agreement[1]:
                found[path.relative_to(RECORDINGS).as_posix()] = report
    return found


def test_nine_of_ten_states_are_those_of_the_vendors_usage() -> None:
    right, known = map(sum, zip(*(report.agreement for report in reports().values()), strict=True))
    assert known > 800
    assert right >= 0.9 * known


def test_tokens_that_could_be_read_are_those_that_were() -> None:
    """Where the states agree, nine of ten requests read what was expected within a twentieth."""
    agreeing = [e for report in reports().values() for e in report if e.agrees and e.state in ("whole", "cut")]
    off = [abs((e.expected_tokens or 0) - (e.reported.cached or 0)) / (e.expected_tokens or 1) for e in agreeing]
    assert sum(share <= 0.05 for share in off) >= 0.9 * len(off)


def test_the_page_has_the_figures_of_the_logs() -> None:
    written = re.search(FIGURES, PAGE.read_text("utf-8"))
    assert written is not None
    assert written[0] == figures()


def test_the_page_has_what_the_breaks_of_the_logs_cost() -> None:
    found = [*reports().values()]
    lost = [each for report in found for each in report if each.lost_tokens]
    missed = [each for report in found for each in report.unexplained]
    unknown = sum(len(report.unknown_losses) for report in found)
    usd = [sum(each.cost_usd or 0.0 for each in lost), sum(each.unexplained_usd or 0.0 for each in missed)]
    page = " ".join(PAGE.read_text("utf-8").split())

    assert f"{len(lost)} requests that lost {sum(e.lost_tokens or 0 for e in lost):,} tokens" in page
    assert f"for US$ {usd[0]:.2f}, {unknown} breaks of which the loss isn't known" in page
    assert f"{len(missed)} requests that read {sum(e.unexplained_tokens for e in missed):,} tokens fewer" in page
    assert f"for US$ {usd[1]:.2f}, without a cause" in page


def figures() -> str:
    """Both tables of the page: a row a log, and ours against theirs over all."""
    rows = [row(_named(name), [report]) for name, report in reports().items() if name.startswith(AGENTS)]
    others = [report for name, report in reports().items() if not name.startswith(AGENTS)]
    rows += [row(f"{len(others)} cassettes, pairs and traces", others), row("all", list(reports().values()))]
    head = ["log", "with usage", "compared", "ours", "theirs", "alike", ""]
    pairs = Counter((e.state, e.reported.state) for r in reports().values() for e in r if e.agrees is not None)
    against = [[ours, *(f"{pairs[ours, theirs]:,}" for theirs in KINDS)] for ours in KINDS]
    return f"\n{table(head, rows)}\n{table(['ours, by theirs', *KINDS], against)}\n"


def row(name: str, found: list[PrefixReport]) -> list[str]:
    known = [each for report in found for each in report if each.agrees is not None]
    usage = sum(each.reported.cached is not None for report in found for each in report)
    ours, theirs = (Counter(states) for states in zip(*((e.state, e.reported.state) for e in known), strict=True))
    right = sum(bool(each.agrees) for each in known)
    words = [", ".join(f"{states[kind]:,} {kind}" for kind in KINDS if states[kind]) for states in (ours, theirs)]
    return [name, f"{usage:,}", f"{len(known):,}", *words, f"{right:,}", f"{right / len(known):.1%}"]


def _named(name: str) -> str:
    folder, _, file = name.partition("/")
    program = {"claude-code-compaction": "Claude Code", "codex": "Codex", "cline": "Cline", "gemini-cli": "Gemini CLI"}
    return f"{program[folder]}, `{Path(file).stem.removeprefix('rollout-')[:22]}`"


def table(head: list[str], rows: list[list[str]]) -> str:
    right = {"with usage", "compared", "alike", "", *KINDS}
    lines = [head, ["---:" if name in right else "---" for name in head], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    PAGE.write_text(re.sub(FIGURES, lambda _: figures(), PAGE.read_text("utf-8")), "utf-8")
