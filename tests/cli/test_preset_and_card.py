"""A preset's file and a card's are joined, whichever is named first; of two agents none is dropped in silence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ctxlab
from ctxlab.errors import WrongArgument


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A card with a book, a preset, and a chat."""
    place = tmp_path_factory.mktemp("sillytavern")
    harbour = ctxlab.example("harbour")
    card = ctxlab.Library(agents=(harbour.agent().with_(worldbook_ids=("b",)),), books=(harbour.book().with_(id="b"),))
    ctxlab.write(card, place / "card.png")
    ctxlab.write(harbour.session(), place / "chat.jsonl")
    prompts = [
        {"identifier": "tone", "role": "system", "content": "Write the next reply."},
        {"identifier": "charDescription", "marker": True},
        {"identifier": "chatHistory", "marker": True},
    ]
    order = [{"identifier": each["identifier"], "enabled": True} for each in prompts]
    preset = {"prompts": prompts, "prompt_order": [{"character_id": 100001, "order": order}]}
    text = json.dumps({**preset, "openai_max_context": 4095, "openai_max_tokens": 300})
    (place / "story.preset.json").write_text(text, encoding="utf-8")
    return place


@pytest.mark.parametrize("names", [("story.preset.json", "card.png"), ("card.png", "story.preset.json")])
def test_a_preset_and_a_card_are_one_agent(run, folder: Path, names: tuple[str, str]) -> None:
    agents = [each for name in names for each in ("--agent", folder / name)]
    whole = ctxlab.joined(folder / "story.preset.json", folder / "card.png")

    result = run("build", folder / "chat.jsonl", *agents, "--format", "json")

    assert json.loads(result.out) == json.loads(json.dumps(ctxlab.build(folder / "chat.jsonl", whole).messages))
    assert "Write the next reply." in result.out
    assert "entries fired" in run("build", folder / "chat.jsonl", *agents).out  # of the card's own book


def test_a_conversation_begins_with_both(run, folder: Path) -> None:
    result = run("build", folder / "card.png", "--agent", folder / "story.preset.json")

    assert (result.code, "Write the next reply." in result.out) == (0, True)
    assert "budget 3,795, the agent's" in result.out


@pytest.mark.parametrize(
    "names", [("card.png", "card.png"), ("story.preset.json", "story.preset.json"), ("card.png", "keeper"), "abc"]
)
def test_no_agent_is_dropped_in_silence(run, folder: Path, names: tuple[str, ...]) -> None:
    agents = [each for name in names for each in ("--agent", folder / name if "." in name else name)]

    result = run("build", folder / "chat.jsonl", *agents)

    assert (result.code != 0, result.out) == (True, "")
    assert "--agent takes one agent, or the files of a preset and of a card" in result.err
    assert all(name in result.err for name in names)


def test_a_list_of_a_preset_and_a_card_is_one_agent_in_either_order(folder: Path) -> None:
    preset, card = folder / "story.preset.json", folder / "card.png"
    whole = ctxlab.build(folder / "chat.jsonl", ctxlab.joined(preset, card)).messages

    assert ctxlab.build(folder / "chat.jsonl", [preset, card]).messages == whole
    assert ctxlab.build(folder / "chat.jsonl", [ctxlab.read(card), ctxlab.read(preset)]).messages == whole
    assert ctxlab.build(folder / "chat.jsonl", [card]).messages == ctxlab.build(folder / "chat.jsonl", card).messages
    with pytest.raises(WrongArgument, match=r"agent takes one agent, or \[preset, card\] .* got 2 values, 0 of"):
        ctxlab.build(folder / "chat.jsonl", [card, card])
