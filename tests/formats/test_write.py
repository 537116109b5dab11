"""Values written by the ending of a file's name."""

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.documents import (
    Agent,
    Library,
    ModelProfile,
    QuickAction,
    KnowledgeBase,
    KnowledgeEntry,
    QuickActionSet,
    RegexConfig,
    RegexPreset,
    RegexRule,
    Session,
    UserProfile,
    Worldbook,
)
from ctxlab.errors import WriteError
from ctxlab.formats import FORMATS, Export, Import, card_png, openai_messages, path_markdown, session_json
from ctxlab.formats.sillytavern.cards.png import plain_picture

CHAT = Session(id="s", name="Tea").append("", role="system", id="r").append("Hi", id="u")
AGENT = Agent(id="ada", name="Ada", worldbook_ids=("w",))
BOOK = Worldbook.model_validate(
    {"id": "w", "name": "Town", "entries": {"0": {"uid": 0, "keys": ["a"], "content": "b"}}}
)
ACTIONS = QuickActionSet(id="q", name="Wraps", actions=(QuickAction(id="1", label="B", content="<b>{{input}}</b>"),))
BASE = KnowledgeBase(id="k", name="灯塔", entries=(KnowledgeEntry(id="1", key="a", content="b", tags=({"name": "t"},)),))
RULES = RegexPreset(id="r", name="House", rules=(RegexRule(id="x", regex="x"),))


@pytest.mark.parametrize(
    ("value", "ending"),
    [
        (CHAT, ".json"),
        (CHAT, ".zip"),
        ([CHAT, CHAT.model_copy(update={"id": "t"})], ".json"),
        (AGENT, ".json"),
        (UserProfile(id="u", name="U"), ".json"),
        (BOOK, ".worldbook.json"),
        (RULES, ".rules.json"),
        (ACTIONS, ".quickactions.json"),
        (BASE, ".knowledge.json"),
        (ctxlab.KnowledgeBase(id="e", name="Empty"), ".knowledge.json"),
        ([CHAT, AGENT, UserProfile(id="u", name="U")], ".zip"),
    ],
    ids=repr,
)
def test_what_is_written_is_read_again(tmp_path: Path, value: Any, ending: str) -> None:
    export = ctxlab.write(value, tmp_path / f"out{ending}")

    found = ctxlab.read(tmp_path / f"out{ending}")
    values = [*found.sessions, *found.agents, *found.users, *found.books, *found.rules, *found.quick_actions]
    values += found.knowledge_bases
    assert values == (value if isinstance(value, list) else [value])
    assert (tmp_path / f"out{ending}").read_bytes() == export.data
    assert export.losses == found.losses == ()


@pytest.mark.parametrize("form", [form for form in FORMATS if form.write], ids=lambda form: form.name)
def test_every_ending_of_a_format_asks_for_it(tmp_path: Path, form: Any) -> None:
    everything = Import(
        (CHAT,),
        (AGENT,),
        books=(BOOK,),
        rules=(RULES,),
        quick_actions=(ACTIONS,),
        knowledge_bases=(BASE,),
        source="everything",
    )

    for ending in form.endings:
        by_ending = ctxlab.write(everything, tmp_path / f"out{ending.upper()}")
        by_name = ctxlab.write(everything, tmp_path / "out", format=form.name)

        assert by_ending.data == by_name.data == form.write(everything, None).data


def test_rules_are_written_from_their_configuration(tmp_path: Path) -> None:
    ctxlab.write(RegexConfig(presets=(RULES,)), tmp_path / "out.rules.json")

    assert ctxlab.read(tmp_path / "out.rules.json").rules == (RULES,)


def test_one_of_several_is_picked(tmp_path: Path) -> None:
    ctxlab.write([AGENT, Agent(id="bob", name="Bob")], tmp_path / "out.card.json", pick="bob")

    assert ctxlab.read(tmp_path / "out.card.json").agents[0].name == "Bob"


def test_an_export_is_written_as_it_is(tmp_path: Path) -> None:
    exports: list[Export[Any]] = [
        card_png(AGENT, plain_picture()),
        path_markdown(CHAT),
        openai_messages(CHAT),
        session_json(CHAT),
    ]

    for export in exports:
        assert ctxlab.write(export, tmp_path / "any.name").losses == export.losses

    ctxlab.write(path_markdown(CHAT), tmp_path / "any.md")
    assert (tmp_path / "any.md").read_text() == str(path_markdown(CHAT))
    ctxlab.write(openai_messages(CHAT), tmp_path / "any.json")
    assert json.loads((tmp_path / "any.json").read_bytes()) == [{"role": "user", "content": "Hi"}]


def test_what_a_format_has_no_place_for_is_a_loss(tmp_path: Path) -> None:
    everything = Import(
        (CHAT,), books=(BOOK,), rules=(RULES,), quick_actions=(ACTIONS,), files={"a.png": b"x"}, source="everything"
    )

    losses = ctxlab.write(everything, tmp_path / "out.json").losses

    assert [loss.place for loss in losses] == ["book 'w'", "set of rules 'r'", "set of quick actions 'q'", "files"]


def test_a_library_is_written_with_losses_for_what_no_format_holds(tmp_path: Path) -> None:
    library = Library(sessions=(CHAT,), agents=(AGENT,), models=(ModelProfile(id="m"),), presets=CHAT.path()[:1])

    export = ctxlab.write(library, tmp_path / "out.json")

    found = ctxlab.read(tmp_path / "out.json")
    assert (found.sessions, found.agents) == (library.sessions, library.agents)
    assert [loss.place for loss in export.losses] == ["model 'm'", "preset 'r'"]


@pytest.mark.parametrize(
    ("value", "name", "message"),
    [
        (
            BOOK,
            "out.json",
            "Worldbook holds no session or agent or user, which .* needs as native; end the name in one of",
        ),
        (BOOK, "out.json", r"one of \.worldbook\.json, \.lorebook\.json, \.character_book\.json$"),
        (RULES, "out.png", r"holds no agent, .*one of \.regex\.json, \.rules\.json$"),
        (
            CHAT,
            "out.pdf",
            r"out\.pdf' doesn't say what to write; end it in one of \.json, \.branch\.json, .*, or say format=",
        ),
        (AGENT, "out", r"one of \.agent\.json, \.json, \.card\.json, \.preset\.json, .*, or say format="),
        (Import(source="in.json"), "out.json", "in.json holds no session or agent or user, .*; it holds nothing"),
        ([], "out.json", "a list of 0 holds no session"),
        ("Hi", "out.json", "str can't be written; a session, an agent, .*, or a Library can"),
        ([CHAT, 7], "out.json", "int can't be written"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_line(tmp_path: Path, value: Any, name: str, message: str) -> None:
    with pytest.raises(WriteError, match=message) as refusal:
        ctxlab.write(value, tmp_path / name)

    assert "\n" not in str(refusal.value)
    assert not list(tmp_path.iterdir())
