"""Cards whose fields have other programs' names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ctxlab.formats import card_data, convert, read_data

CAMEL: dict[str, Any] = {
    "name": "Rill",
    "description": "A pilot.",
    "personality": "calm",
    "scenario": "At sea",
    "firstMessage": "Ahoy there.",
    "systemPrompt": "Stay in character.",
    "alternateGreetings": ["You again?"],
    "exampleDialogue": "<START>\n{{char}}: aye",
    "creatorNotes": "Be kind to her.",
    "appearance": "tall and thin",
    "createdAt": "2024-01-01",
}


def test_texts_count_under_the_names_of_another_program() -> None:
    found = read_data(CAMEL)
    (agent,) = found.agents

    assert [greeting.content for greeting in agent.greetings] == ["Ahoy there.", "You again?"]
    texts = {preset.name: preset.content for preset in agent.preset_messages}
    assert texts["System Prompt"] == "Stay in character."
    assert texts["Example Messages"] == "<START>\n{{char}}: aye"
    assert agent.description == "Be kind to her."


def test_a_text_that_is_not_used_is_named() -> None:
    (loss,) = read_data(CAMEL).losses

    assert str(loss) == "appearance: no field of a character card; its text is written back, and never sent"


def test_the_file_comes_back_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "in.json").write_text(json.dumps(CAMEL))

    convert(tmp_path / "in.json", tmp_path / "out.card.json")

    assert json.loads((tmp_path / "out.card.json").read_bytes()) == CAMEL


def test_a_change_is_written_under_the_name_that_the_file_has() -> None:
    agent = read_data(CAMEL).agents[0]
    first, *others = agent.greetings

    changed = card_data(agent.with_(greetings=(first.with_(content="Hello."), *others))).data

    assert changed == {**CAMEL, "firstMessage": "Hello."}


def test_a_field_of_its_own_name_wins() -> None:
    found = read_data({**CAMEL, "first_mes": "Hello."})

    assert found.agents[0].greetings[0].content == "Hello."
    assert "firstMessage" in {loss.place for loss in found.losses}


def test_a_card_with_other_names_inside_data_is_read_too() -> None:
    found = read_data({"spec": "chara_card_v2", "data": {"name": "Rill", "firstMessage": "Ahoy there."}})

    assert found.agents[0].greetings[0].content == "Ahoy there."
