"""A chat of SillyTavern that is built alone: its author's note and its character's name are those of its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ctxlab
from tests.sillytavern.small_folder import write_folder

NOTE = "Wind rises, {{char}}."


def said(trace: ctxlab.Trace) -> list[tuple[str, str]]:
    return [(message["role"], message["content"]) for message in trace.messages]


def chat(tmp_path: Path, **about: Any) -> tuple[Path, Path]:
    """A data folder, and the chat's file in it."""
    folder = write_folder(tmp_path, metadata={"note_prompt": NOTE, **about})
    return folder, folder / "chats" / "odo" / "evening.jsonl"


@pytest.mark.parametrize(
    "about",
    [
        {},
        {"note_depth": 0},
        {"note_depth": 2, "note_role": 1},
        {"note_position": 0, "note_role": 2},
        {"note_position": 2},
        {"note_interval": 0},
        {"note_interval": 2},
        {"note_interval": 3},
        {"note_depth": -1, "note_interval": -2},
        {"note_position": 9, "note_role": 9, "note_depth": "3", "note_interval": "two"},
        {"note_prompt": "a\r\nb\rc"},
        {"note_prompt": ""},
    ],
)
def test_the_note_of_a_chats_file_is_sent_as_that_of_its_folder_is(tmp_path: Path, about: dict[str, Any]) -> None:
    folder, file = chat(tmp_path, **about)
    turn = ctxlab.sillytavern(folder)

    alone = ctxlab.build(file, turn.agent, user=turn.user)

    assert said(alone) == said(turn.build())


def test_the_character_of_a_chat_without_a_card_is_the_one_that_its_file_names(tmp_path: Path) -> None:
    header = {"user_name": "Wenna", "chat_metadata": {"note_prompt": NOTE, "note_depth": 1}}
    lines = [
        {"name": "Odo", "is_user": False, "mes": "I am {{char}}."},
        {"name": "Wenna", "is_user": True, "mes": "Hm."},
    ]
    for named in ({"character_name": "Odo"}, {"character_name": "unused"}, {}):
        trace = ctxlab.build(ctxlab.read_data([{**header, **named}, *lines]))

        assert [text for _, text in said(trace)] == ["I am Odo.", "Wind rises, Odo.", "Hm."]
        assert ctxlab.rebuild(trace, agent=ctxlab.Agent(name="Zed")).start.input.facts == {}


@pytest.mark.parametrize(("position", "has_flag"), [(1, True), (0, False)])
def test_a_note_that_is_not_sent_is_told_with_the_next_step(tmp_path: Path, position: int, has_flag: bool) -> None:
    _, file = chat(tmp_path, note_depth=1, note_position=position)

    trace = ctxlab.build(file, dialect="seed")

    assert all("Wind" not in text for _, text in said(trace))
    (told,) = [note.text for note in trace.start.notes if "author's note" in note.text]
    assert "dialect='sillytavern-1.19' sends it" in told
    assert (f"--note '{NOTE}@1'" in told) is has_flag
    assert any("Wind" in text for _, text in said(ctxlab.build(file, dialect="sillytavern-1.19")))
    again = ctxlab.rebuild(trace, presets=[])
    assert [note.text for note in again.start.notes].count(told) == 1


def test_a_note_that_is_given_takes_the_place_of_the_chats(tmp_path: Path) -> None:
    _, file = chat(tmp_path, note_depth=1)

    given = ctxlab.build(file, presets=[ctxlab.authors_note("Fog.", depth=1)])
    none = ctxlab.build(file, presets=[ctxlab.authors_note("")])

    assert [text for _, text in said(given)].count("Fog.") == 1
    assert all("Wind" not in text for trace in (given, none) for _, text in said(trace))


def test_another_session_brings_its_own_note(tmp_path: Path) -> None:
    _, file = chat(tmp_path, note_depth=1)
    trace = ctxlab.build(file)

    other = ctxlab.rebuild(trace, session=ctxlab.Session(id="s").append("Hm.", role="user", id="u"))
    back = ctxlab.rebuild(other, session=file)

    assert said(other) == [("user", "Hm.")]
    assert said(back) == said(trace)
