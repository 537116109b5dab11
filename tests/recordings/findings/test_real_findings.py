"""Findings in recordings of real programs: no rule raises, every place is there, and known ones are found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import ctxlab
from ctxlab.errors import ReadError
from ctxlab.recordings.findings.checked_context import CheckedContext

RECORDINGS = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[4] / "shared")) / "data" / "recordings"
pytestmark = pytest.mark.skipif(not RECORDINGS.is_dir(), reason="needs the recordings in the folder of CTXLAB_SHARED")

# file: how often rules speak
KNOWN = {
    "claude-code-compaction/spotter-258c7280.jsonl": {
        "text-twice": 4,
        "old-file-version": 5,
        "results-fill-context": 2,
        "empty-results": 1,
        "unread-prefix": 1,
    },
    "claude-code-compaction/spotter-ae4a77f8.jsonl": {
        "text-twice": 6,
        "old-file-version": 2,
        "result-cut": 7,
        "model-changed": 1,
        "results-fill-context": 2,
        "empty-results": 1,
    },
    "traces-ctrace/ctxdiff-demo.ctrace": {"moving-prefix": 1},
    "cassettes-other/openllmetry__test_openai_prompt_caching.yaml": {"same-request-again": 1, "unread-prefix": 1},
    "wire-lingua/anthropicMixedToolResultWithText__anthropic__followup-request.json": {},
    "cline/sdk-session.messages.json": {"result-cut": 1, "model-changed": 1, "results-fill-context": 1},
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_recordings_have_these_findings(name: str) -> None:
    found = ctxlab.check(RECORDINGS / name)

    assert {rule: len(findings) for rule, findings in found.by_rule.items()} == KNOWN[name]


def test_no_rule_raises_and_every_place_is_there() -> None:
    checked = 0
    for file in sorted(path for path in RECORDINGS.rglob("*") if path.is_file()):
        try:
            recording = ctxlab.read_recording(file)
        except ReadError:
            continue
        found = ctxlab.check(recording)
        assert not found.notes, file
        context = CheckedContext(recording)
        for finding in found:
            assert finding.tokens >= 0
            for place in finding.places:
                assert not place.request or recording.request(place.request)
                if place.node and place.start is not None and place.end is not None:
                    assert 0 <= place.start < place.end <= len(context.node(place.node).content), (file, finding)
        checked += 1
    assert checked > 100
