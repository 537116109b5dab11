"""The page that compares programs: its figures are those of the logs it names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import ctxlab

ROOT = Path(__file__).parents[2]
RECORDINGS = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared")) / "data" / "recordings"
PAGE = ROOT / "docs" / "what_programs_send.md"
LOGS = (
    "claude-code-compaction/spotter-ae4a77f8.jsonl",
    "claude-code-compaction/spotter-258c7280.jsonl",
    "claude-code-compaction/codemie-624a4a58.jsonl",
    "claude-code-compaction/codemie-tmp-4c2ddfdc.jsonl",
    "claude-code-compaction/codemie-9eda1058.jsonl",
    "codex/rollout-2026-02-23T12-54-34-019c8a59-e9dd-71f0-9ae3-4079fe9726a9.jsonl",
    "codex/rollout-2026-05-11T11-26-55-019e1625-789d-76c0-80ab-3724b5ddb799.jsonl",
    "codex/agtrace-codex_session.jsonl",
    "cline/sdk-session.messages.json",
    "gemini-cli/agtrace-gemini_session.json",
)
SHARES = ("system", "summaries", "reminders", "files", "results", "attachments", "history", "calls", "reasoning")


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="needs the recordings in the folder of CTXLAB_SHARED")
def test_the_page_has_the_figures_of_the_logs() -> None:
    written = re.search("<!-- figures -->\n(.*)<!-- /figures -->", PAGE.read_text("utf-8"), re.DOTALL)
    assert written is not None
    assert written[1] == tables(ctxlab.compare_recordings([RECORDINGS / log for log in LOGS]).frame())


def tables(rows: pd.DataFrame) -> str:
    """Both tables of the page."""
    found = [{str(key): value for key, value in row.items()} for row in rows.to_dict("records")]
    sizes = [sizes_of(row) for row in found]
    shares = [[named(row), *(percent(row[f"{source}_share"]) for source in SHARES)] for row in found]
    first = ["log", "requests", "counted, median", "largest", "unseen", "reported input", "cached", "compressions"]
    return f"\n{table(first, sizes)}\n{table(['of what was sent, %', *SHARES], shares)}\n"


def sizes_of(row: dict[str, Any]) -> list[str]:
    counts = [f"{row[name]:,}" for name in ("requests", "median_tokens", "largest_tokens", "unseen_tokens")]
    return [named(row), *counts, f"{row['input_tokens']:,}", f"{row['cached_share']:.1%}", str(row["compressions"])]


def named(row: dict[str, Any]) -> str:
    return f"{row['program']}, `{row['recording'].removeprefix('rollout-')[:22]}`"


def percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.005 else ""


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---", *("---:" for _ in head[1:])], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


if __name__ == "__main__":
    made = tables(ctxlab.compare_recordings([RECORDINGS / log for log in LOGS]).frame())
    text = PAGE.read_text("utf-8")
    PAGE.write_text(re.sub("(?s)(?<=<!-- figures -->\n).*(?=<!-- /figures -->)", lambda _: made, text), "utf-8")
