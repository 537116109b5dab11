"""Files of several recorded requests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ctxlab
from tests.formats.requests.rich_bodies import ANTHROPIC, CHAT, GEMINI
from tests.wire_bodies import FOLDER, RECORDINGS, bodies

CASSETTES = sorted([*RECORDINGS.glob("cassettes-*/*"), *RECORDINGS.glob("opencode-recordings/*")])


def test_each_request_is_a_session_in_the_order_of_the_file(tmp_path: Path) -> None:
    asked = [
        {"method": "HEAD", "uri": "https://example.org/pelican.jpg", "body": ""},
        {"method": "POST", "uri": "https://api.anthropic.com/v1/messages?beta=true", "parsed_body": ANTHROPIC},
        {"method": "POST", "url": "https://api.openai.com/v1/chat/completions", "body": json.dumps(CHAT)},
        {"uri": "https://g.example/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse", "parsed_body": GEMINI},
    ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps({"interactions": [{"request": one, "response": {"body": "{}"}} for one in asked]}))

    found = ctxlab.read(path)

    assert [session.id for session in found.sessions] == ["talk-2", "talk-3", "talk-4"]
    assert [agent.model_id for agent in found.agents] == ["claude-sonnet-4-5", "gpt-4o", "gemini-2.5-pro"]
    assert "interactions[0]" in [loss.place for loss in found.losses]
    assert any(loss.place == "interactions[1].response" for loss in found.losses)


def test_a_session_of_a_recording_is_that_of_its_body(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    request = {"uri": "https://api.anthropic.com/v1/messages", "parsed_body": ANTHROPIC}
    path.write_text(json.dumps({"interactions": [{"request": request}]}))

    (session,), (alone,) = ctxlab.read(path).sessions, ctxlab.read_data(ANTHROPIC, source="talk-1").sessions

    assert [node.content for node in session.path()] == [node.content for node in alone.path()]


@FOLDER
@pytest.mark.parametrize("path", CASSETTES, ids=lambda path: path.stem)
def test_every_recorded_file_is_read(path: Path) -> None:
    there = [each for each in bodies() if each.name.startswith(f"{path.parent.name}/{path.stem}[")]

    found = ctxlab.read(path)

    assert len(found.sessions) == len(there)
    assert [session.check() for session in found.sessions] == [()] * len(there)
