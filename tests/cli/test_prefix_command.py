"""`ctxlab prefix` says where the prefixes of a recording's requests end, and why."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

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
    assert (told["priced"], told["usd"]) == (49, pytest.approx(ctxlab.read_recording(RECORDING).frame()["usd"].sum()))


def test_the_made_up_recording_has_the_breaks_that_it_was_made_with() -> None:
    report = ctxlab.read_recording(RECORDING).prefix()

    assert [(each.state, each.cause.kind if each.cause else "") for each in report.breaks] == [
        ("cut", "system"),
        ("cut", "tools"),
        ("cut", "summary"),
        ("expired", ""),
    ]
    assert report.agreement == (48, 48)


def test_what_the_vendor_reports_and_the_log_does_not_explain_is_a_block_of_its_own(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("\n".join(map(json.dumps, lines())), encoding="utf-8")
    report = ctxlab.read_recording(log).prefix()
    words = " ".join(run("prefix", log).out.split())
    assert report.unexplained_tokens > 0
    assert f"{report.unexplained_tokens:,} tokens that stood in the request before were read anew" in words
    assert "in 1 request: the vendor reports it, and the log doesn't say why" in words
    assert "breaks that the vendor reports and the log doesn't explain" in words
    usd = ctxlab.read_recording(log).frame()["usd"].sum()
    assert f"${usd:,.4f} at list prices for all of them" in words
    told = json.loads(run("prefix", log, "--format", "json").out)
    assert told["unexplained"] == {
        "requests": 1,
        "tokens": report.unexplained_tokens,
        "usd": report.unexplained_usd,
    }


def lines() -> list[dict[str, Any]]:
    """A log of Claude Code whose third request reads nothing, though it goes on."""
    found: list[dict[str, Any]] = []
    for number, cached in enumerate((0, 9_000, 0)):
        usage = {
            "input_tokens": 10,
            "cache_read_input_tokens": cached,
            "cache_creation_input_tokens": 9_000 + 100 * number - cached,
            "output_tokens": 5,
        }
        answer = {"id": f"r{number}", "model": "claude-sonnet-4-5", "content": "Fog.", "usage": usage}
        for role, more in (("user", {"content": "And?"}), ("assistant", answer)):
            above = found[-1]["uuid"] if found else None
            message = {"role": role, **more}
            line = {"type": role, "uuid": f"{role}{number}", "parentUuid": above, "sessionId": "s", "message": message}
            found.append(line)
    return found
