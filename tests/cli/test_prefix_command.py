"""`ctxlab prefix` says where the prefixes of a recording's requests end, and why."""

from __future__ import annotations

import csv
import json

import ctxlab
from tests.cli.conftest import DATASETS, Run

RECORDING = DATASETS / "tidebook_agent.ctxrec.jsonl"


def test_breaks_are_listed_with_their_sentences(run: Run) -> None:
    result = run("prefix", RECORDING, "--frozen", "tools", "--frozen", "clock")
    report = ctxlab.read_recording(RECORDING).prefix(frozen=["tools", "clock"])

    assert result.code == 0
    words = " ".join(result.out.split())
    assert f"{report.lost_tokens:,} tokens that stood in the request before were read anew" in words
    assert report.frozen is not None and report.frozen.sentence in words
    for each in report.breaks:
        assert " ".join(each.sentence.split()) in words


def test_json_and_csv_have_a_row_for_each_request(run: Run) -> None:
    told = json.loads(run("prefix", RECORDING, "--format", "json").out)
    rows = [*csv.DictReader(run("prefix", RECORDING, "--format", "csv").out.splitlines())]

    report = ctxlab.read_recording(RECORDING).prefix()
    assert [each["state"] for each in told["requests"]] == [row["state"] for row in rows]
    assert [row["state"] for row in rows] == [each.state for each in report]
    assert (told["lost_tokens"], told["frozen"]) == (report.lost_tokens, None)


def test_the_made_up_recording_has_the_breaks_that_it_was_made_with() -> None:
    report = ctxlab.read_recording(RECORDING).prefix()

    assert [(each.state, each.cause.kind if each.cause else "") for each in report.breaks] == [
        ("cut", "system"),
        ("cut", "tools"),
        ("cut", "summary"),
        ("expired", ""),
    ]
    assert report.agreement == (48, 48)
