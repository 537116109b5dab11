"""`ctxlab convert`: the form that a file comes in, its picture, what is lost where, and broken trees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlab import api
from ctxlab.formats import card_png, read_data
from ctxlab.formats.sillytavern.cards.png import TEXTS, chunks, plain_picture
from tests.cli.test_begin_from_card import CARD
from tests.cli.test_wrong_input import BROKEN_TREE

PRESET = {
    "prompts": [{"identifier": "main", "name": "Main", "role": "system", "content": "Write."}],
    "prompt_order": [{"character_id": 100001, "order": [{"identifier": "main", "enabled": True}]}],
}
SCRIPT = {
    "id": "s",
    "scriptName": "Hush",
    "findRegex": "/a/g",
    "replaceString": "",
    "placement": [1],
    "promptOnly": True,
}
FORMS = {
    "card": CARD,
    "preset": PRESET,
    "lorebook": {"entries": {"0": {"uid": 0, "key": ["a"], "content": "A"}}},
    "character book": {"name": "Hers", "entries": [{"keys": ["a"], "content": "A", "extensions": {}}]},
    "worldbook": {"id": "w", "name": "Isle", "entries": {"0": {"key": ["a"], "content": "A"}}},
    "scripts": [SCRIPT, {**SCRIPT, "id": "t"}],
}


@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_conversation_goes_to_json_in_the_form_it_came_in(run, dumped, tmp_path: Path, form: str) -> None:
    source = dumped(tmp_path / "in.json", FORMS[form])

    result = run("convert", source, tmp_path / "out.json")

    assert (result.code, result.err) == (0, "")
    assert json.loads((tmp_path / "out.json").read_bytes()) == FORMS[form]


def test_two_agents_go_to_json_together(run, dumped, tmp_path: Path) -> None:
    source = dumped(tmp_path / "in.json", [CARD, {**CARD, "data": {**CARD["data"], "name": "Brook"}}])

    run("convert", source, tmp_path / "out.json")

    assert [agent.name for agent in api.read(tmp_path / "out.json").agents] == ["Rill", "Brook"]


def _picture(width: int) -> bytes:
    return plain_picture(width=width, height=7)


def _drawn(raw: bytes) -> list[bytes]:
    """All of a picture but its texts."""
    return [chunk.body for chunk in chunks(raw, "picture") if chunk.kind not in TEXTS]


@pytest.mark.parametrize("in_python", [False, True])
def test_a_card_keeps_its_picture(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_python: bool) -> None:
    monkeypatch.chdir(tmp_path)
    found = read_data(CARD)
    raw = card_png(found.agents[0], _picture(5), book=found.books[0]).data
    Path("card.png").write_bytes(raw)

    if in_python:
        assert not api.write(api.read("card.png"), "card2.png").losses
    else:
        assert "lost" not in run("convert", "card.png", "card2.png").out

    again = Path("card2.png").read_bytes()
    assert _drawn(again) == _drawn(_picture(5))
    assert api.read("card2.png").agents == api.read("card.png").agents


def test_a_card_without_a_picture_gets_a_plain_one(run, dumped, tmp_path: Path) -> None:
    result = run("convert", dumped(tmp_path / "in.json", CARD), tmp_path / "card.png")

    assert result.out.splitlines()[1:] == ["! lost in writing: picture: it came with none, so a plain one is made"]


def test_the_picture_of_one_card_is_not_given_to_another(tmp_path: Path) -> None:
    raw = card_png(read_data(CARD).agents[0], _picture(5)).data
    (tmp_path / "card.png").write_bytes(raw)
    both = api.read(tmp_path / "card.png") | read_data({**CARD, "data": {**CARD["data"], "name": "Brook"}})

    api.write(both, tmp_path / "brook.png", pick="Brook")

    assert _drawn((tmp_path / "brook.png").read_bytes()) == _drawn(plain_picture())


def test_losses_are_said_where_they_happen(run, dumped, tmp_path: Path) -> None:
    prompt = {"message_id": "p", "text": "Hi", "role": "prompter"}
    replies = [{"message_id": one, "text": one, "role": "who", "replies": []} for one in "ab"]
    source = dumped(tmp_path / "in.json", {"message_tree_id": "t", "prompt": {**prompt, "replies": replies}})

    out = run("convert", source, tmp_path / "out.md").out.splitlines()

    assert [line.partition(": ")[0] for line in out[1:]] == ["! lost in reading"] * 3 + ["! lost in writing"]


@pytest.mark.parametrize("name", ["out.md", "out.pdf", "out.png"])
def test_a_refusal_names_the_ending_to_use(run, files, tmp_path: Path, name: str) -> None:
    err = run("convert", files.book, tmp_path / name).err

    assert ".lorebook.json" in err
    assert "format=" not in err


def test_a_broken_tree_is_mended(run, dumped, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dumped(tmp_path / "b.session.json", BROKEN_TREE)
    command = "ctxlab convert b.session.json mended.session.json --repair"

    assert f"{command} writes it mended" in run("tree", "b.session.json").out
    assert f"the tree is broken: {command} writes it mended" in run("build", "b.session.json").err
    result = run(*command.split()[1:])

    assert "mended: " in result.out
    mended = api.load("mended.session.json")
    assert mended.check() == ()
    assert {node.content for node in mended.nodes.values()} >= {"A", "B", "C"}


def test_a_sound_tree_has_nothing_to_mend(run, harbour: Path, tmp_path: Path) -> None:
    assert "nothing to mend" in run("convert", harbour, tmp_path / "out.json", "--repair").out
    assert api.load(tmp_path / "out.json") == api.load(harbour)
