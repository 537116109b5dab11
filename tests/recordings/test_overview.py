"""A recording in one row."""

from pathlib import Path

import pytest

import ctxlab
from ctxlab.recordings.recording import Recording

SAMPLE = Path(__file__).parents[2] / "datasets" / "tidebook_agent.ctxrec.jsonl"


def test_the_row_sums_what_the_requests_say() -> None:
    recording = ctxlab.read_recording(SAMPLE)

    (row,) = ctxlab.compare_recordings([SAMPLE]).frame().to_dict("records")

    inputs = [request.usage.input for request in recording if request.usage.input is not None]
    cached = [request.usage.cached or 0 for request in recording]
    assert (row["requests"], row["whole"], row["failed"], row["reported"]) == (50, 50, 1, 49)
    assert (row["input_tokens"], row["cached_share"]) == (sum(inputs), sum(cached) / sum(inputs))
    assert row["tools"] == len(recording.requests[-1].head.tools)
    shares = [share for name, share in row.items() if str(name).endswith("_share") and name != "cached_share"]
    assert abs(sum(shares) - 1) < 1e-9
    assert row["largest_tokens"] == max(map(recording.parts.tokens, recording))
    prices = [request.usd for request in recording if request.usd is not None]
    assert (row["usd"], row["priced"]) == (sum(prices), 49)
    assert recording.frame()["usd"].sum() == pytest.approx(row["usd"])


def test_nothing_is_made_up_of_an_empty_recording() -> None:
    empty = ctxlab.read_recording(SAMPLE)
    (row,) = ctxlab.compare_recordings([Recording((), empty.session)]).frame().to_dict("records")
    assert (row["requests"], row["tool_tokens"], row["input_tokens"], row["files_share"]) == (0, 0, None, None)
    assert (row["usd"], row["priced"]) == (None, 0)
