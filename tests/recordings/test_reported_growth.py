"""Estimates against the counts of vendors: what a request has more than the one before it, in recorded sessions."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest

import ctxlab
from ctxlab.engines.tokens import Tokenizer

ROOT = Path(__file__).parents[2]
RECORDINGS = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared")) / "data" / "recordings"
LOGS = (
    "claude-code-compaction/spotter-ae4a77f8.jsonl",
    "claude-code-compaction/spotter-258c7280.jsonl",
    "claude-code-compaction/codemie-624a4a58.jsonl",
    "claude-code-compaction/codemie-9eda1058.jsonl",
    "cline/sdk-session.messages.json",
)
LARGEST = 30_000
"""Tokens of a growth that is one of messages, not of another conversation."""


def growth(log: str, tokenizer: Tokenizer) -> float:
    """Tokens by which requests grow, divided by those that the vendor reports."""
    recording = ctxlab.read_recording(RECORDINGS / log)
    found = [
        (request.usage.input, sum(map(tokenizer.count_draft, request.trace.result.drafts)))
        for request in recording.requests
        if request.usage is not None and request.usage.input
    ]
    steps = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise(found)]
    taken = [(theirs, ours) for theirs, ours in steps if 0 < theirs < LARGEST and ours > 0]
    return sum(ours for _, ours in taken) / sum(theirs for theirs, _ in taken)


@pytest.mark.skipif(not RECORDINGS.is_dir(), reason="needs the recordings in the folder of CTXLAB_SHARED")
def test_claude_counts_more_than_the_mean_estimate_in_every_session_and_is_near_the_safe_one() -> None:
    mean, safe = ([growth(log, Tokenizer.of_encoding(name)) for log in LOGS] for name in ("by-kind", "by-kind-safe"))

    assert all(1.15 < 1 / each < 1.55 for each in mean)
    assert all(0.89 < 1 / each < 1.25 for each in safe)
