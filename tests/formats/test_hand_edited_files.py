"""Files as people and other programs leave them: nothing of them is lost unsaid, and errors are in words."""

import base64
import json
import warnings
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ctxlab import Agent, read_data
from ctxlab.documents import Greeting, MessageNode, Worldbook
from ctxlab.errors import WriteError
from ctxlab.formats import (
    agents_zip,
    card_data,
    convert,
    lorebook_json,
    preset_data,
    read,
    write,
)
from ctxlab.formats.sillytavern import card_from, preset_from, text_preset_from
from ctxlab.formats.sillytavern.cards.png import plain_picture, with_chunks

CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "data": {"name": "Mira", "description": "Keeps the lighthouse.", "first_mes": "Come in."},
}
BOOK: dict[str, Any] = {"entries": {"0": {"uid": 0, "key": ["lamp"], "content": "It burns oil."}}}
RULES: dict[str, Any] = {"presets": [{"id": "r", "rules": [{"id": "x", "regex": "a", "replacement": "b"}]}]}
SCRIPT: dict[str, Any] = {"id": "s", "scriptName": "n", "findRegex": "/a/g", "replaceString": "b", "placement": [1]}


def zipped(folder: Path, *files: tuple[str, Any]) -> Path:
    path = folder / "in.zip"
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w") as archive:
        warnings.simplefilter("ignore")  # of names that are there twice
        for name, data in files:
            archive.writestr(name, data if isinstance(data, bytes) else json.dumps(data))
    return path


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"in": value}
    return value


def said(losses: Any) -> str:
    return "\n".join(map(str, losses))


# --- no tracebacks


def test_a_character_filter_keeps_what_is_text_in_it() -> None:
    entry = {**BOOK["entries"]["0"], "characterFilter": {"names": ["Ann", None], "tags": ["sea"]}}

    found = read_data({"entries": {"0": entry}})

    filtered = found.books[0].entry(0).character_filter
    assert filtered is not None
    assert (filtered.names, filtered.tags) == (("Ann",), ("sea",))
    assert "holds what is no text" in said(found.losses)


def test_an_assets_path_that_is_no_text_is_passed_over() -> None:
    agent = Agent(id="a", assets=({"path": ["no"]}, {"path": "assets/x.png"}))

    assert list(agent.private_files()) == ["assets/x.png"]


@pytest.mark.parametrize(
    ("data", "form"),
    [
        ({"type": "AIO_Agent_Export", "agents": [{"name": "x", "parameters": deep(300)}]}, "agents"),
        ({"type": "AIO_Agent_Export", "agents": [{"name": "x", "parameters": deep(300)}]}, "agents-yaml"),
        ({"metadata": {"id": "b"}, "entries": {"0": {"key": ["a"], "new": deep(300)}}}, "worldbook"),
        ([{**SCRIPT, "new": deep(300)}], "rules"),
        ([{**SCRIPT, "new": deep(1100)}], "sillytavern-regex"),
        ([{"name": "U", "is_user": True, "mes": "x", "extra": deep(1100)}], "sillytavern-chat"),
    ],
)
def test_what_is_nested_too_deeply_to_be_written_is_refused_in_words(data: Any, form: str, tmp_path: Path) -> None:
    found = read_data(data)

    with pytest.raises(WriteError, match="nested too deeply"):
        write(found, tmp_path / "out", format=form)


def test_conditions_that_never_end_are_read_in_no_time() -> None:
    agent, losses = text_preset_from({"story_string": "{{#if wiBefore}}" * 20_000, "name": "x"}, name="x")

    assert "a condition that isn't known is left out" in said(losses)
    assert [preset.type for preset in agent.preset_messages] == ["dialogueExamples", "chat_history"]


# --- archives and pictures


def test_books_and_rules_of_an_archive_come_along(tmp_path: Path) -> None:
    path = zipped(tmp_path, ("lore.json", BOOK), ("rules.json", RULES), ("card.json", CARD))

    found = read(path)

    assert [book.book_id for book in found.books] == ["lore"]
    assert [rules.id for rules in found.rules] == ["r"]
    assert len(found.agents) == 1


def test_a_card_in_a_picture_is_read_out_of_an_archive_as_out_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    write(card_from(CARD).agent, tmp_path / "cards" / "mira.png")
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.write(tmp_path / "cards" / "mira.png", "mira.png")

    for place in ("cards", "in.zip"):
        (agent,) = read(tmp_path / place).agents
        assert (agent.name, agent.character_description) == ("Mira", "Keeps the lighthouse.")


def test_of_files_with_one_name_in_an_archive_the_last_counts_and_it_is_said(tmp_path: Path) -> None:
    export = {"type": "AIO_Agent_Export", "agents": [{"name": "A"}]}

    found = read(zipped(tmp_path, ("agents.json", export), ("assets/x", b"1"), ("assets/x", b"2")))

    assert found.files == {"assets/x": b"2"}
    assert "assets/x: the archive has several files of this name" in said(found.losses)


def test_one_book_in_two_places_of_an_archive_is_there_once_and_another_of_its_id_is_told_apart(tmp_path: Path) -> None:
    book = {"id": "w", "name": "W", **BOOK}
    export = {"type": "AIO_Agent_Export", "agents": [{"name": "A", "worldbookIds": ["w"]}], "worldbooks": [book]}

    found = read(
        zipped(
            tmp_path, ("agents.json", export), ("worldbooks/w.json", book), ("worldbooks/v.json", {**book, "name": "V"})
        )
    )

    assert [(one.book_id, one.name) for one in found.books] == [("w", "W"), ("w~2", "V")]
    assert "book 'w': its id is there twice" in said(found.losses)


def test_a_file_that_would_stand_where_a_book_stands_is_lost_with_a_word() -> None:
    agent = Agent(id="a", worldbook_ids=("w",))

    export = agents_zip([agent], books=[Worldbook(id="w")], files={"worldbooks/w.json": b"mine", "agents.json": b""})

    assert [loss.place for loss in export.losses] == ["agents.json", "worldbooks/w.json"]
    assert repr(export) == f"Export({len(export.data):,} bytes, 2 losses)"


def test_a_card_in_a_picture_may_begin_with_a_mark_and_end_short(tmp_path: Path) -> None:
    text = base64.b64encode(b"\xef\xbb\xbf" + json.dumps(CARD).encode() + b" ").decode().rstrip("=")
    path = tmp_path / "card.png"
    path.write_bytes(with_chunks(plain_picture(), {"chara": text}))

    assert read(path).agents[0].name == "Mira"


# --- changes, and what is lost


def test_changing_a_prompt_leaves_the_others_where_they_are() -> None:
    prompts = [{"identifier": name, "name": name, "content": name, "own": name} for name in ("b", "a", "b")]
    order = [{"identifier": name, "enabled": True} for name in ("a", "chatHistory", "b")]
    raw = {"prompts": prompts, "prompt_order": [{"character_id": 100001, "order": order}]}
    agent = preset_from(raw, name="p")[0]
    changed = tuple(one.with_(content="new") if one.id == "a" else one for one in agent.preset_messages)

    written = preset_data(agent.with_(preset_messages=changed)).data

    assert written == {**raw, "prompts": [prompts[0], {**prompts[1], "content": "new"}, prompts[2]]}


@pytest.mark.parametrize("order", [{}, {"prompt_order": None}, {"prompt_order": []}])
def test_a_preset_without_an_order_has_sillytaverns_usual_one(order: dict[str, Any]) -> None:
    prompts = [{"identifier": name, "name": name, "content": name} for name in ("jailbreak", "extra", "main")]
    raw = {"prompts": prompts, **order}

    found = read_data(raw)

    on = [one.id for one in found.agents[0].preset_messages if one.enabled]
    assert (on[0], on[-2:]) == ("main", ["chatHistory", "jailbreak"])
    assert "extra" not in on
    assert "the file has none" in said(found.losses)
    assert preset_data(found.agents[0]).data == raw


def test_what_was_read_as_the_reference_does_is_written_as_it_was() -> None:
    script = {**SCRIPT, "markdownOnly": True, "promptOnly": True, "placement": [6]}
    card = {**CARD, "data": {**CARD["data"], "extensions": {"regex_scripts": [script]}}}
    order = [{"identifier": "chatHistory", "enabled": True}, {"identifier": "x", "enabled": True}]
    raw = {"prompts": [{"identifier": "x", "content": "X", "injection_depth": 2}], "prompt_order": order}

    agent = card_from(card, compat="reference").agent
    preset = preset_from(raw, name="p", reading="reference")[0]

    assert agent.regex_config is not None
    assert agent.regex_config.presets[0].rules[0].apply_to.request is False
    assert (card_data(agent).data, preset_data(preset).data) == (card, raw)


def test_a_text_of_the_character_that_isnt_written_is_a_loss() -> None:
    agent = card_from(CARD).agent

    export = card_data(agent.with_(character_description="Sails."))

    assert export.data == CARD
    assert "character_description: the preset 'charDescription' says something else" in said(export.losses)


def test_what_a_card_has_no_place_for_is_a_loss() -> None:
    agent = card_from({**CARD, "data": {**CARD["data"], "extensions": {"regex_scripts": [SCRIPT]}}}).agent
    assert agent.regex_config is not None
    off = agent.regex_config.presets[0].with_(enabled=False)

    export = card_data(
        agent.with_(
            greetings=(Greeting(id="first_mes", content="Hi", role="user"),),
            regex_config={"presets": [off]},
            worldbook_ids=("one", "two"),
            model_id="m",
        )
    )

    places = ["", "greeting 'first_mes'", "set of rules 'card-Mira-regex'", "book 'two'"]
    assert [loss.place for loss in export.losses] == places


def test_parameters_that_a_preset_has_no_name_for_are_losses() -> None:
    agent = Agent(id="a", parameters={"temperature": 1, "minP": 0.1}, preset_messages=(MessageNode(content="x"),))

    assert "parameters.minP: a preset has no place for it" in said(preset_data(agent).losses)


def test_a_book_in_sillytaverns_own_form_inside_a_card_stays_in_it(tmp_path: Path) -> None:
    raw = {
        **CARD,
        "data": {**CARD["data"], "character_book": {"entries": {"0": {"key": ["a"], "content": "c", "own": 1}}}},
    }
    (tmp_path / "in.json").write_text(json.dumps(raw))

    convert(tmp_path / "in.json", tmp_path / "out.card.json")

    assert json.loads((tmp_path / "out.card.json").read_bytes()) == raw


def test_fields_that_a_lorebook_has_no_place_for_are_losses_and_the_name_comes_along(tmp_path: Path) -> None:
    book = {"metadata": {"id": "w", "name": "Harbour"}, "entries": {"0": {"key": ["a"], "new": 1}}}
    (tmp_path / "in.json").write_text(json.dumps(book))

    losses = convert(tmp_path / "in.json", tmp_path / "out.lorebook.json").losses

    assert said(losses) == "entry '0': new: no field of a lorebook's entry; left out"
    assert json.loads((tmp_path / "out.lorebook.json").read_bytes())["name"] == "Harbour"


def test_keys_are_changed_under_either_name() -> None:
    book = read_data(BOOK, source="lore.json").books[0]

    written = json.loads(lorebook_json(book.with_entry("0", keys=("tower",))).data)

    assert written == {"entries": {"0": {**BOOK["entries"]["0"], "key": ["tower"]}}}
