"""A card where a conversation is wanted: the chat begins with its greeting, its book and its rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab import api
from ctxlab.formats import card_png, read_data

SCRIPT = {
    "id": "s",
    "scriptName": "Hush",
    "findRegex": "/\\*[^*]+\\*/g",
    "replaceString": "",
    "placement": [1, 2],
    "promptOnly": True,
}
BOOK = {"name": "Hers", "entries": [{"keys": ["reef"], "content": "The reef is hers.", "enabled": True}]}
CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {
        "name": "Rill",
        "description": "A pilot.",
        "first_mes": "Ahoy {{user}}, *waves* at the reef.",
        "alternate_greetings": ["You again?"],
        "character_book": BOOK,
        "extensions": {"regex_scripts": [SCRIPT]},
    },
}
BEGUN = "rill.png has no conversation in it: begun with the greeting of Rill"


@pytest.fixture
def card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    found = read_data(CARD)
    path = tmp_path / "rill.png"
    path.write_bytes(card_png(found.agents[0], book=found.books[0]).data)
    return path


def test_a_build_begins_with_the_greeting_the_book_and_the_rules(run, card: Path) -> None:
    result = run("build", card, "--pending", "Hi", "--format", "json")

    messages = json.loads(result.out)
    assert [message["role"] for message in messages[-2:]] == ["assistant", "user"]
    assert {message["role"] for message in messages[:-2]} == {"system"}
    assert any("The reef is hers." in message["content"] for message in messages[:-2])
    assert messages[-2]["content"] == "Ahoy User,  at the reef."
    assert messages[-1]["content"] == "Hi"
    assert result.err == f"ctxlab: {BEGUN}; --leaf takes another one, such as node-2\n"


def test_it_sends_what_python_sends(run, card: Path) -> None:
    whole = api.read(card)

    assert json.loads(run("build", card, "--format", "json").out) == api.build(api.begin(whole), whole).messages


def test_another_greeting_is_a_leaf(run, card: Path) -> None:
    assert json.loads(run("build", card, "--leaf", "node-2", "--format", "json").out)[-1]["content"] == "You again?"


@pytest.mark.parametrize("name", ["build", "explain", "step", "ledger", "compare", "lore", "tree", "report"])
def test_every_command_begins_one(run, card: Path, name: str) -> None:
    result = run(name, card, *(["--out", "page.html"] if name == "report" else []))

    assert result.code == 0, result.err
    assert BEGUN in result.err


def test_of_several_agents_one_is_named(run, dumped, tmp_path: Path) -> None:
    cards = dumped(tmp_path / "cards.json", [CARD, {**CARD, "data": {**CARD["data"], "name": "Brook"}}])

    assert "holds no conversation but 2 agents to begin one with, 'card-Rill', 'card-Brook'; --agent" in (
        run("build", cards).err
    )
    assert "begun with the greeting of Brook" in run("build", cards, "--agent", "Brook").err


def test_an_agent_without_a_greeting_begins_empty(run, dumped, tmp_path: Path) -> None:
    preset = {"id": "p", "role": "system", "content": "Be kind.", "type": "message", "isEnabled": True}
    agent = dumped(tmp_path / "a.json", {"id": "a", "name": "A", "presetMessages": [preset]})

    result = run("build", agent, "--pending", "Hi", "--format", "json")

    assert [message["content"] for message in json.loads(result.out)] == ["Be kind.", "Hi"]
    assert result.err == "ctxlab: a.json has no conversation in it: begun empty, for A has no greeting\n"


def test_a_book_alone_names_the_next_step(run, files) -> None:
    assert run("build", files.book).err == (
        f"ctxlab: {files.book} holds no conversation, only 1 book; ctxlab build CHAT --book {files.book}, "
        "where CHAT is a conversation or a card\n"
    )
    assert f"ctxlab build CHAT --rules {files.rules}, where" in run("tree", files.rules).err
