"""`ctxlab compressions`: what a recording's compressions kept, for people and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import DATASETS

GAUGE = DATASETS / "gauge_agent.recording.jsonl"


def test_a_lost_rule_is_told_with_what_came_of_it(run) -> None:
    result = run("compressions", GAUGE)

    assert result.code == 0
    assert "1 compression in 7 requests" in result.out
    assert "inferred, because 8 messages went" in result.out
    assert "Never edit gauge/legacy, the old recorder still runs on it." in result.out
    assert "later in m11, Edit, file_path: “gauge/legacy/units.py”" in result.out
    assert "said again in m14: “You were never to edit gauge/legacy!”" in result.out
    assert result.out.rstrip().endswith("not what it will.")


def test_json_has_every_fact_with_its_places(run) -> None:
    data = json.loads(run("compressions", GAUGE, "--format", "json").out)

    (found,) = data["compressions"]
    assert len(found["all_facts"]) == found["facts"] == found["kept"] + found["weakened"] + found["lost"]
    assert found["rules_lost"][0]["broken"]["where"] == "Edit, file_path"
    for fact in found["all_facts"]:
        if fact["summary_start"] is not None:
            assert found["summary"][fact["summary_start"] : fact["summary_end"]] == fact["summary_text"]


def test_a_recording_without_compressions_says_so(run, tmp_path: Path) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    file = tmp_path / "r.jsonl"
    file.write_text(json.dumps(body))

    result = run("compressions", file)

    assert (result.code, result.out) == (0, "no compression in 1 request\n")


def test_the_recording_before_has_what_went(run, tmp_path: Path) -> None:
    def session(name: str, *texts: str) -> Path:
        messages = [{"role": "user", "content": text} for text in texts]
        (tmp_path / name).write_text(json.dumps({"system_prompt": "Be brief.", "messages": messages}))
        return tmp_path / name

    before = session("before.json", "Never draw the pier.", "And the lamp?")
    after = session("after.json", "Context summary:\n\nA lamp.")

    assert "the recording has none of the messages that went" in run("compressions", after).out
    assert "lost: 1 rule" in run("compressions", after, "--before", before).out


def test_each_lost_fact_has_its_reason_and_weakened_ones_are_listed(run, tmp_path: Path) -> None:
    def session(name: str, *texts: str) -> Path:
        messages = [{"role": "user", "content": text} for text in texts]
        (tmp_path / name).write_text(json.dumps({"system_prompt": "Be brief.", "messages": messages}))
        return tmp_path / name

    error = "TypeError: Cannot read properties of pier_key"
    before = session("before.json", f"I decided to take Postgres for the pier.\n{error}\nFatal: no boat", "And?")
    told = "Context summary:\n\npier_key was missing, and Postgres was taken for the lamps."
    shown = run("compressions", session("after.json", told), "--before", before).out

    assert "weakened: 1 error" in shown
    assert "pier_key is named, in other words than the error's" in shown
