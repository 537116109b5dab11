"""The next request of SillyTavern, from its own data folder alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import ReadError, WrongArgument
from tests.sillytavern.small_folder import PERSONA, SAID, write_folder


def words(trace: ctxlab.Trace) -> list[tuple[str, Any]]:
    return [(message["role"], message["content"]) for message in trace.messages]


def with_persona(**more: Any) -> dict[str, Any]:
    return {"persona_descriptions": {"w.png": {**PERSONA, **more}}}


def test_a_folder_is_the_request_without_a_further_argument(tmp_path: Path) -> None:
    turn = ctxlab.sillytavern(write_folder(tmp_path), chat="evening")

    assert words(turn.build(dialect="seed")) == [
        ("system", "You are Odo."),
        ("system", "A ferrywoman."),
        ("system", "He rows."),
        ("system", "[Here it begins]"),
        ("assistant", "The ferry is late."),
        ("user", "Then we wait."),
        ("assistant", "We do."),
        ("user", "Is there a lamp?"),
        ("system", "Stay brief."),
    ]


def test_without_a_name_it_is_the_chat_that_is_open(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, active_character="odo.png")
    (folder / "chats/odo/morning.jsonl").write_bytes((folder / "chats/odo/evening.jsonl").read_bytes())

    assert ctxlab.sillytavern(folder).session.id == "evening"
    assert ctxlab.sillytavern(folder, chat="odo/morning").session.id == "morning"


def test_the_folder_is_found_below_the_program_s_own(tmp_path: Path) -> None:
    write_folder(tmp_path / "data" / "default-user")

    assert ctxlab.sillytavern(tmp_path, chat="evening").agent.name == "Odo"


def test_what_is_typed_comes_last_with_its_macros_expanded(tmp_path: Path) -> None:
    turn = ctxlab.sillytavern(write_folder(tmp_path), text="Go, {{char}}. {{setvar::tide::3}}")

    trace = turn.build()

    assert ("user", "Go, Odo. ") in words(trace)
    assert trace.variables.session["tide"] == "3"


@pytest.mark.parametrize("kind", ["swipe", "regenerate"])
def test_a_reply_that_is_written_anew_is_not_sent(tmp_path: Path, kind: Any) -> None:
    folder = write_folder(tmp_path, said=SAID[:3])

    assert ("assistant", "We do.") in words(ctxlab.sillytavern(folder).build())
    assert ("assistant", "We do.") not in words(ctxlab.sillytavern(folder, kind=kind).build())


@pytest.mark.parametrize("linked", ["everyone", "chat", "persona", "character", "extra"])
def test_a_book_counts_where_something_links_it(tmp_path: Path, linked: str) -> None:
    lore: dict[str, Any] = {"globalSelect": ["sea"] if linked == "everyone" else [], "charLore": []}
    if linked == "extra":
        lore["charLore"] = [{"name": "odo", "extraBooks": ["sea"]}]
    folder = write_folder(
        tmp_path,
        worlds={"sea": "It burns fish oil.", "hill": "Never linked: lamp."},
        world_info_settings={"world_info": lore},
        metadata={"world_info": "sea"} if linked == "chat" else {},
        power_user=with_persona(lorebook="sea") if linked == "persona" else {},
        card={"extensions": {"world": "sea"}} if linked == "character" else {},
    )

    turn = ctxlab.sillytavern(folder)

    assert ("system", "It burns fish oil.") in words(turn.build())
    assert [book.book_id for book in turn.library.books] == ["sea"]
    table = turn.settings().set_index("setting")
    assert table.loc["world sea", "value"] == ("character" if linked == "extra" else linked)


def test_the_book_in_a_card_that_is_not_linked_is_not_sent(tmp_path: Path) -> None:
    inside = {"name": "own", "entries": [{"keys": ["lamp"], "content": "From the card.", "enabled": True}]}

    turn = ctxlab.sillytavern(write_folder(tmp_path, card={"character_book": inside}))

    assert "From the card." not in str(words(turn.build()))


@pytest.mark.parametrize(("interval", "is_sent"), [(0, False), (1, True), (2, True), (3, False)])
def test_the_note_is_sent_in_turns_of_its_interval(tmp_path: Path, interval: int, is_sent: bool) -> None:
    folder = write_folder(tmp_path, metadata={"note_prompt": "Wind rises.", "note_interval": interval, "note_depth": 1})

    sent = words(ctxlab.sillytavern(folder).build())

    assert (("system", "Wind rises.") in sent) is is_sent
    assert not is_sent or sent.index(("system", "Wind rises.")) == sent.index(("user", "Is there a lamp?")) - 1


def test_scripts_run_only_where_they_are_allowed(tmp_path: Path) -> None:
    script = {"id": "r", "scriptName": "r", "findRegex": "/lamp/g", "replaceString": "LAMP", "placement": [1]}
    card = {"extensions": {"regex_scripts": [{**script, "promptOnly": True}]}}
    refused = write_folder(tmp_path / "a", card=card)
    allowed = write_folder(tmp_path / "b", card=card, extension_settings={"character_allowed_regex": ["odo.png"]})

    assert ("user", "Is there a lamp?") in words(ctxlab.sillytavern(refused).build())
    assert ("user", "Is there a LAMP?") in words(ctxlab.sillytavern(allowed).build())


def test_a_text_is_stored_as_scripts_that_change_the_chat_leave_it(tmp_path: Path) -> None:
    script = {"id": "r", "scriptName": "r", "findRegex": "/oar/g", "replaceString": "OAR", "placement": [1]}
    folder = write_folder(tmp_path, extension_settings={"regex": [script]})

    turn = ctxlab.sillytavern(folder, text="An oar for {{char}}.")

    assert turn.session.node("m5").content == "An OAR for Odo."
    assert turn.stored("An oar.", role="assistant") == "An oar."


def test_settings_are_the_user_s_layout_and_a_call_says_otherwise(tmp_path: Path) -> None:
    turn = ctxlab.sillytavern(write_folder(tmp_path))

    def depth(trace: ctxlab.Trace) -> tuple[Any, Any]:
        rows = trace.pipeline.settings().set_index(["step", "setting"])
        row = rows.loc[("worldbook-processor", "scan_depth")]
        return row["value"], row["layer"]

    assert depth(turn.build()) == (3, "layout")
    assert depth(turn.build(settings={"worldbook-processor.scan_depth": 9})) == (9, "call")


def test_a_stickiness_that_runs_in_the_chat_runs_on(tmp_path: Path) -> None:
    timed = {"timedWorldInfo": {"sticky": {"sea.0": {"start": 2, "end": 5}}}}
    folder = write_folder(tmp_path, worlds={"sea": "Oil."}, metadata={"world_info": "sea", **timed})

    assert ctxlab.sillytavern(folder).options().get("activations") == {"lore:sea/0": "m2"}


def test_the_table_says_where_settings_are_from_and_which_extensions_are_not_run(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path, extension_settings={"memory": {"source": "main"}, "vectors": {}, "disabledExtensions": ["vectors"]}
    )

    table = ctxlab.sillytavern(folder).settings().set_index("setting")

    assert table.loc["world_info_settings.world_info_depth", "where"] == "settings.json"
    assert table.loc["world_info_settings.world_info_budget", "where"] == "default"
    assert table.loc["extension memory", "state"] == "not run"
    assert "extension vectors" not in table.index


def test_what_is_not_done_here_is_a_loss(tmp_path: Path) -> None:
    turn = ctxlab.sillytavern(write_folder(tmp_path, power_user={"strip_examples": True}))

    assert any("power_user.strip_examples" in loss.place for loss in turn.losses)


def test_a_member_of_a_group_speaks(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)
    (folder / "characters/ada.png").write_bytes((folder / "characters/odo.png").read_bytes())
    (folder / "groups").mkdir()
    (folder / "group chats").mkdir()
    (folder / "groups/7.json").write_text(
        '{"id": "7", "name": "Ferry", "members": ["odo.png", "ada.png"], "disabled_members": ["odo.png"],'
        ' "chats": ["g"]}'
    )
    (folder / "group chats/g.jsonl").write_bytes((folder / "chats/odo/evening.jsonl").read_bytes())

    assert ctxlab.sillytavern(folder, chat="g").agent.id == "ada"
    assert ctxlab.sillytavern(folder, character="Ferry", speaker="odo").agent.id == "odo"


def test_nothing_is_written_and_no_secret_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_folder(tmp_path, worlds={"sea": "Oil."}, metadata={"world_info": "../secrets"})
    before = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    read: list[str] = []
    plain = Path.read_bytes
    monkeypatch.setattr(Path, "read_bytes", lambda path: read.append(path.name) or plain(path))

    turn = ctxlab.sillytavern(folder)
    turn.build()

    assert "secrets.json" not in read
    assert "settings.json" in read
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()} == before
    assert any("secrets" in loss.place for loss in turn.losses)


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    folder = write_folder(tmp_path)

    with pytest.raises(ReadError, match="did you mean 'odo/evening'"):
        ctxlab.sillytavern(folder, chat="odo/evenig")
    with pytest.raises(ReadError, match="no data folder"):
        ctxlab.sillytavern(folder / "chats")
    with pytest.raises(WrongArgument, match="takes no text"):
        ctxlab.sillytavern(folder, kind="swipe", text="Again.")
    (folder / "characters/odo.png").unlink()
    with pytest.raises(ReadError, match="no card 'odo'"):
        ctxlab.sillytavern(folder)
