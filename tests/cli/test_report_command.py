"""`ctxlab report` writes one page and says where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlab.display import views


def test_a_report_is_written_and_named(run, harbour: Path, tmp_path: Path) -> None:
    out = tmp_path / "page.html"

    result = run("report", harbour, "--budget", 1500, "--out", out)

    assert result.code == 0
    assert str(out) in result.out.replace("\n", "")
    assert "ctxlab-widget" in out.read_text(encoding="utf-8")


def test_a_place_that_can_not_be_written_is_one_line(run, harbour: Path, tmp_path: Path) -> None:
    result = run("report", harbour, "--out", tmp_path / "missing" / "page.html")

    assert result.code == 2
    assert "there is no folder" in result.err
    assert "page.html" in result.err


def test_without_the_widgets_it_says_what_to_install(
    run, harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "view_for", lambda name: None)

    result = run("report", harbour, "--out", tmp_path / "page.html")

    assert result.code == 2
    assert "pip install ctxlab" in result.err


@pytest.mark.parametrize("name", ["page.pdf", "page.html.zip"])
def test_a_page_under_the_name_of_something_else_is_refused(run, harbour: Path, tmp_path: Path, name: str) -> None:
    result = run("report", harbour, "--out", tmp_path / name)

    assert (result.code, result.out, [*tmp_path.iterdir()]) == (2, "", [])
    assert f"a report is HTML, and {name} ends in" in result.err


@pytest.mark.parametrize("name", ["page", "page.HTM"])
def test_a_page_may_have_no_ending_or_that_of_html(run, harbour: Path, tmp_path: Path, name: str) -> None:
    assert run("report", harbour, "--out", tmp_path / name).code == 0


def test_a_recording_is_a_page_of_its_own(run, tmp_path: Path) -> None:
    recording = Path(__file__).parents[2] / "datasets" / "tidebook_agent.ctxrec.jsonl"
    out = tmp_path / "page.html"

    result = run("report", recording, "--out", out)

    assert result.code == 0
    assert "What was sent: tidebook_agent" in out.read_text(encoding="utf-8")
    assert run("report", recording, "--out", recording).code == 2


def test_a_programs_log_is_a_page_of_either_reading_and_the_other_one_is_named(run, tmp_path: Path) -> None:
    said = [
        {
            "type": role,
            "uuid": role,
            "parentUuid": above,
            "sessionId": "s",
            "message": {"role": role, "content": "Fog."},
        }
        for role, above in (("user", None), ("assistant", "user"))
    ]
    log, out = tmp_path / "clock.jsonl", tmp_path / "page.html"
    log.write_text("\n".join(map(json.dumps, said)), encoding="utf-8")

    told = run("report", log, "--out", out)
    assert told.code == 0 and "--as recording" in " ".join(told.out.split())
    assert "What was sent: clock" not in out.read_text(encoding="utf-8")

    asked = run("report", log, "--as", "recording", "--out", out)
    assert asked.code == 0 and "--as" not in asked.out
    assert "What was sent: clock" in out.read_text(encoding="utf-8")
    assert "--as" not in run("report", log, "--as", "conversation", "--out", out).out
