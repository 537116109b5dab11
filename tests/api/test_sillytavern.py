"""The next request of SillyTavern, from its own data folder alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import ReadError, WrongArgument
from tests.sillytavern.case_folder import as_bytes, picture
from tests.sillytavern.small_folder import PERSONA, PRESET, SAID, write_folder


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


def test_a_setting_that_says_nothing_known_is_a_loss(tmp_path: Path) -> None:
    turn = ctxlab.sillytavern(write_folder(tmp_path, world_info_settings={"world_info_character_strategy": 7}))

    assert [loss.place for loss in turn.losses] == ["settings.json, world_info_settings.world_info_character_strategy"]


@pytest.mark.parametrize(
    ("power_user", "sent"),
    [({"strip_examples": True}, 0), ({"pin_examples": True}, 1), ({}, 1)],
)
def test_examples_are_sent_as_the_settings_say(tmp_path: Path, power_user: dict[str, Any], sent: int) -> None:
    folder = write_folder(tmp_path, power_user=power_user, card={"mes_example": "<START>\n{{char}}: Row."})

    trace = ctxlab.sillytavern(folder).build()

    assert [each.get("content") for each in trace.messages].count("Row.") == sent


@pytest.mark.parametrize(("preferred", "main"), [(True, "The card's Odo."), (False, "You are Odo.")])
def test_a_cards_own_prompt_counts_where_it_is_preferred(tmp_path: Path, preferred: bool, main: str) -> None:
    card = {"system_prompt": "The card's {{char}}."}
    folder = write_folder(tmp_path, card=card, power_user={"prefer_character_prompt": preferred})

    assert words(ctxlab.sillytavern(folder).build())[0] == ("system", main)


def texts(trace: ctxlab.Trace) -> list[Any]:
    return [message["content"] for message in trace.messages]


def test_a_cards_texts_are_read_without_one_another_and_the_persona(tmp_path: Path) -> None:
    card = {
        "description": "D {{char}} {{persona}}{{personality}}.",
        "scenario": "S {{description}}.",
        "mes_example": "{{char}}: {{persona}}E.",
        "system_prompt": "Sys {{description}} {{original}}",
    }
    persona = with_persona(description="P {{description}}")
    format = {"scenario_format": "{{persona}}: {{scenario}}"}
    folder = write_folder(tmp_path, card=card, power_user=persona, oai_settings={**PRESET, **format})

    sent = texts(ctxlab.sillytavern(folder).build())

    assert sent[:4] == ["Sys  You are Odo.", "P D Odo .", "D Odo .", "P : S ."]
    assert "E." in sent


def test_what_the_older_engine_leaves_of_a_card_is_filled_where_it_is_sent(tmp_path: Path) -> None:
    card = {"description": "D {{persona}}", "mes_example": "{{char}}: E {{persona}}."}
    folder = write_folder(tmp_path, card=card, power_user={"experimental_macro_engine": False, **with_persona()})

    sent = texts(ctxlab.sillytavern(folder).build())

    assert "D A ferrywoman." in sent
    assert "E {{persona}}." in sent


def test_a_cards_words_lose_carriage_returns_and_the_users_keep_them(tmp_path: Path) -> None:
    card = {
        "description": "D\r.",
        "system_prompt": "S\ry {{description}} {{original}}",
        "mes_example": "{{char}}: E\r.",
    }
    prompts = [{**each, "content": "M\r."} if each["identifier"] == "main" else each for each in PRESET["prompts"]]
    persona = with_persona(description="P\r.")
    folder = write_folder(tmp_path, card=card, power_user=persona, oai_settings={**PRESET, "prompts": prompts})

    sent = texts(ctxlab.sillytavern(folder).build())

    assert sent[:3] == ["Sy  M\r.", "P\r.", "D."]
    assert "E." in sent


@pytest.mark.parametrize(("typed", "sent"), [(" t\r\nu\n", " t\nu\n"), ("  ", "  ")])
def test_a_typed_text_keeps_the_blanks_around_it(tmp_path: Path, typed: str, sent: str) -> None:
    assert ("user", sent) in words(ctxlab.sillytavern(write_folder(tmp_path), text=typed).build())


def test_a_note_has_line_ends_of_one_kind(tmp_path: Path) -> None:
    note = {"note_prompt": "a\r\nb\rc", "note_interval": 1, "note_position": 0}
    folder = write_folder(tmp_path, metadata=note)

    assert texts(ctxlab.sillytavern(folder).build())[1] == "a\nb\nc"


WORDS_FOR_NOTHING = {**PRESET, "send_if_empty": " [nothing {{char}} said] "}


@pytest.mark.parametrize("text", [None, ""])
def test_an_empty_box_sends_the_presets_words_whoever_wrote_last(tmp_path: Path, text: str | None) -> None:
    folder = write_folder(tmp_path, oai_settings=WORDS_FOR_NOTHING)

    assert words(ctxlab.sillytavern(folder, text=text).build())[-2] == ("user", "[nothing Odo said]")


@pytest.mark.parametrize(("kind", "text"), [("normal", "Row."), ("continue", None), ("swipe", None)])
def test_the_words_for_an_empty_box_are_for_no_other_turn(tmp_path: Path, kind: Any, text: str | None) -> None:
    folder = write_folder(tmp_path, oai_settings=WORDS_FOR_NOTHING, said=SAID[:3])

    assert "[nothing Odo said]" not in texts(ctxlab.sillytavern(folder, kind=kind, text=text).build())


@pytest.mark.parametrize(
    ("position", "note", "sent"),
    [
        (2, "Mind.", "Wen.\nAb.\nMind.\nBe."),
        (3, "Mind.", "Ab.\nMind.\nBe.\nWen."),
        (2, "", "Wen.\nAb.\n\nBe."),
        (3, "", "Ab.\n\nBe.\nWen."),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_persona_stands_around_the_note_and_its_lore(
    tmp_path: Path, position: int, note: str, sent: str, place: int
) -> None:
    lore = {"world_info": {"globalSelect": ["around"], "charLore": []}}
    metadata = {"note_prompt": note, "note_interval": 1, "note_position": place, "note_depth": 0}
    persona = with_persona(description="Wen.", position=position)
    folder = write_folder(tmp_path, metadata=metadata, power_user=persona, world_info_settings=lore)
    entries = {
        str(uid): {"uid": uid, "key": ["lamp"], "content": text, "position": at, "order": 100}
        for uid, (text, at) in enumerate((("Ab.", 2), ("Be.", 3)))
    }
    (folder / "worlds").mkdir()
    (folder / "worlds/around.json").write_bytes(as_bytes({"entries": entries}))

    assert sent in texts(ctxlab.sillytavern(folder).build())


def test_a_persona_beside_the_note_is_not_sent_without_it(tmp_path: Path) -> None:
    persona = with_persona(description="Wen.", position=2)
    folder = write_folder(tmp_path, metadata={"note_prompt": "Mind.", "note_interval": 9}, power_user=persona)

    assert not [text for text in texts(ctxlab.sillytavern(folder).build()) if "Wen." in text]


def test_a_chats_own_scenario_stands_for_the_cards(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, card={"scenario": "A quay."}, metadata={"scenario": "A weir."})

    sent = words(ctxlab.sillytavern(folder).build())

    assert ("system", "A weir.") in sent
    assert ("system", "A quay.") not in sent


def test_a_reply_begins_with_the_words_that_are_wanted(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, power_user={"user_prompt_bias": "Well, {{user}}:"})

    assert words(ctxlab.sillytavern(folder).build())[-1] == ("assistant", "Well, Wenna:")
    assert words(ctxlab.sillytavern(folder, kind="impersonate").build())[-1] != ("assistant", "Well, Wenna:")


def test_the_older_macro_engine_is_the_older_dialect(tmp_path: Path) -> None:
    card = {"description": "{{setvar::a::1}}{{getvar::a}}{{if 1}}yes{{/if}}"}
    new = ctxlab.sillytavern(write_folder(tmp_path / "new", card=card))
    old = ctxlab.sillytavern(write_folder(tmp_path / "old", card=card, power_user={"experimental_macro_engine": False}))

    assert new.turn.dialect.name == "sillytavern-1.19"
    assert old.turn.dialect.name == "sillytavern-1.12"
    assert ("system", "1yes") in words(new.build())
    assert ("system", "1yes") not in words(old.build())


def test_the_prompt_of_a_quiet_turn_is_looked_through_for_lore(tmp_path: Path) -> None:
    folder = write_folder(
        tmp_path, said=SAID[:3], worlds={"sea": "Oil."}, world_info_settings={"world_info": {"globalSelect": ["sea"]}}
    )

    assert ("system", "Oil.") in words(ctxlab.sillytavern(folder, kind="quiet", text="Describe the lamp.").build())
    assert ("system", "Oil.") not in words(ctxlab.sillytavern(folder, kind="quiet", text="Describe the oars.").build())


def test_a_quiet_prompt_and_an_impersonation_stand_last(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, oai_settings={**PRESET, "impersonation_prompt": "Write as {{user}}."})

    quiet = ctxlab.sillytavern(folder, kind="quiet", text="Sum {{char}} up.").build()
    own = ctxlab.sillytavern(folder, kind="impersonate").build()

    assert words(quiet)[-2:] == [("system", "Stay brief."), ("system", "Sum Odo up.")]
    assert words(own)[-2:] == [("system", "Stay brief."), ("system", "Write as Wenna.")]
    assert quiet.start.input.turn == "quiet"


@pytest.mark.parametrize("prefill", [False, True])
def test_a_reply_that_is_continued_stands_last_before_the_nudge(tmp_path: Path, prefill: bool) -> None:
    more = {"continue_nudge_prompt": "On from: {{lastChatMessage}}", "continue_prefill": prefill}
    folder = write_folder(tmp_path, said=SAID[:3], oai_settings={**PRESET, **more})

    sent = words(ctxlab.sillytavern(folder, kind="continue").build())

    nudge = [] if prefill else [("system", "On from: We do.")]
    assert sent[-2 - len(nudge) :] == [("system", "Stay brief."), ("assistant", "We do."), *nudge]
    assert sent.count(("assistant", "We do.")) == 1


def test_a_nudge_has_the_message_that_is_continued_without_blanks_and_with_its_macros(tmp_path: Path) -> None:
    said = (*SAID[:2], ("Odo", False, "  We do, {{user}}. \n"))
    folder = write_folder(
        tmp_path, said=said, oai_settings={**PRESET, "continue_nudge_prompt": "[{{lastChatMessage}}]"}
    )

    trace = ctxlab.sillytavern(folder, kind="continue").build()

    assert words(trace)[-2:] == [("assistant", "  We do, Wenna. \n"), ("system", "[We do, Wenna.]")]


def test_what_is_typed_stays_in_the_box_of_an_impersonation_and_its_macro_shows_it(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, oai_settings={**PRESET, "impersonation_prompt": "From: {{input}}"})

    typed = ctxlab.sillytavern(folder, kind="impersonate", text="I wave").build()
    empty = ctxlab.sillytavern(folder, kind="impersonate").build()

    assert words(typed)[-1] == ("system", "From: I wave")
    assert words(empty)[-1] == ("system", "From: ")
    assert ("user", "I wave") not in words(typed)


def test_a_message_without_a_word_counts_where_keys_are_looked_for_and_is_not_sent(tmp_path: Path) -> None:
    worlds = {"sea": "Oil."}
    at = {"world_info": {"globalSelect": ["sea"]}, "world_info_depth": 2}
    lamp = ("Wenna", True, "Is there a lamp?")
    near = write_folder(
        tmp_path / "near", said=(*SAID[:2], lamp, ("Odo", False, "")), worlds=worlds, world_info_settings=at
    )
    far = write_folder(
        tmp_path / "far",
        said=(SAID[0], lamp, ("Odo", False, ""), ("Wenna", True, "  ")),
        worlds=worlds,
        world_info_settings=at,
    )

    assert ("system", "Oil.") in words(ctxlab.sillytavern(near, chat="evening").build())
    sent = ctxlab.sillytavern(far, chat="evening").build()
    assert ("system", "Oil.") not in words(sent)
    assert "" not in [text for _, text in words(sent)]
    assert ("user", "  ") in words(sent)
    assert any(group.cause.rule == "empty" for group in sent.result.dropped)


def test_a_persona_at_a_depth_calls_up_lore(tmp_path: Path) -> None:
    at = {"world_info": {"globalSelect": ["sea"]}}
    deep, usual = (
        write_folder(
            tmp_path / str(place),
            said=SAID[:3],
            worlds={"sea": "Oil."},
            world_info_settings=at,
            power_user=with_persona(description="Wenna holds a lamp.", position=place),
        )
        for place in (4, 0)
    )

    assert ("system", "Oil.") in words(ctxlab.sillytavern(deep, chat="evening").build())
    assert ("system", "Oil.") not in words(ctxlab.sillytavern(usual, chat="evening").build())


def write_group(folder: Path, **more: Any) -> Path:
    own = {"new_group_chat_prompt": "[All]", "group_nudge_prompt": "Now {{char}}."}
    write_folder(folder, oai_settings={**PRESET, **own})
    ada = {"name": "Ada", "description": "{{char}} keeps the lock.", "mes_example": "{{char}}: Up."}
    prompt = {"depth_prompt": {"prompt": "{{char}} hums.", "depth": 1, "role": "user"}}
    (folder / "characters/ada.png").write_bytes(
        picture({"spec": "chara_card_v2", "data": {**ada, "extensions": prompt}})
    )
    group = {"id": "7", "name": "Ferry", "members": ["odo.png", "ada.png"], "activation_strategy": 1, "chats": ["g"]}
    for place, content in (("groups/7.json", as_bytes({**group, **more})), ("group chats/g.jsonl", chat_of(folder))):
        (folder / place).parent.mkdir()
        (folder / place).write_bytes(content)
    return folder


def chat_of(folder: Path) -> bytes:
    return (folder / "chats/odo/evening.jsonl").read_bytes()


def test_the_first_member_that_is_not_muted_replies_unless_another_is_asked(tmp_path: Path) -> None:
    folder = write_group(tmp_path, disabled_members=["odo.png"])

    assert ctxlab.sillytavern(folder, chat="g").agent.name == "Ada"
    assert ctxlab.sillytavern(folder, character="Ferry", speaker="Odo").agent.name == "Odo"
    with pytest.raises(ReadError, match="its members are Odo, Ada"):
        ctxlab.sillytavern(folder, chat="g", speaker="Ido")


def test_a_group_that_replies_by_nature_hears_names(tmp_path: Path) -> None:
    folder = write_group(tmp_path, activation_strategy=0)

    named = ctxlab.sillytavern(folder, chat="g", text="What do you say, ADA?")
    drawn = ctxlab.sillytavern(folder, chat="g")

    assert (named.agent.name, named.losses) == ("Ada", ())
    assert any("the program draws" in loss.text for loss in drawn.losses)


def test_in_a_group_any_member_may_stand_in_for_an_impersonation(tmp_path: Path) -> None:
    folder = write_group(tmp_path, disabled_members=["odo.png"])

    turn = ctxlab.sillytavern(folder, chat="g", kind="impersonate")

    assert turn.agent.name == "Odo"
    assert any("the program draws" in loss.text for loss in turn.losses)


@pytest.mark.parametrize(("kind", "text"), [("continue", None), ("quiet", "Sum up.")])
def test_the_writer_of_the_newest_reply_goes_on_though_the_user_wrote_last(
    tmp_path: Path, kind: Any, text: str | None
) -> None:
    folder = write_group(tmp_path, activation_strategy=1)
    place = folder / "group chats/g.jsonl"
    reply = as_bytes({"name": "Ada", "is_user": False, "mes": "Up.", "original_avatar": "ada.png"})
    last = as_bytes({"name": "Wenna", "is_user": True, "mes": "So?"})
    place.write_bytes(place.read_bytes() + reply + b"\n" + last + b"\n")

    turn = ctxlab.sillytavern(folder, chat="g", kind=kind, text=text)

    assert (turn.agent.name, turn.losses) == ("Ada", ())


def test_a_group_has_a_beginning_and_a_nudge_of_its_own(tmp_path: Path) -> None:
    trace = ctxlab.sillytavern(write_group(tmp_path), chat="g").build()

    sent = words(trace)
    assert sent.index(("system", "[All]")) == sent.index(("assistant", "Odo: The ferry is late.")) - 1
    assert sent[-2:] == [("system", "Now Odo."), ("system", "Stay brief.")]
    assert ("system", "[Here it begins]") not in sent
    assert trace.start.input.group == ctxlab.GroupChat(("Odo", "Ada"))


def test_members_cards_are_joined_where_the_group_says_so(tmp_path: Path) -> None:
    around = {"generation_mode_join_prefix": "({{char}} <FIELDNAME>) ", "generation_mode_join_suffix": "."}
    alone = ctxlab.sillytavern(write_group(tmp_path / "a"), chat="g").build()
    joined = ctxlab.sillytavern(write_group(tmp_path / "b", generation_mode=1, **around), chat="g").build()
    muted = ctxlab.sillytavern(write_group(tmp_path / "c", generation_mode=1, disabled_members=["ada.png"]), chat="g")

    assert ("system", "He rows.") in words(alone)
    assert ("user", "Ada hums.") not in words(alone)
    assert ("system", "(Odo Description) He rows..\n(Ada Description) Ada keeps the lock..") in words(joined)
    assert ("user", "Ada hums.") in words(joined)
    assert ("system", "He rows.") in words(muted.build())


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


@pytest.mark.parametrize(
    ("own", "sent"),
    [
        ({"prompt": "He hums.", "position": 0}, "He hums."),
        ({"prompt": "He hums.", "position": 1}, "He hums.\nFog."),
        ({"prompt": "He hums.", "position": 2}, "Fog.\nHe hums."),
        ({"prompt": "He hums.", "position": 0, "useChara": False}, "Fog."),
        ({"prompt": "", "position": 0}, None),
        ({"prompt": "", "position": 1}, "Fog."),
    ],
)
def test_a_characters_own_note_goes_with_the_chats_also_without_words(
    tmp_path: Path, own: dict[str, Any], sent: str | None
) -> None:
    note = {"chara": [{"name": "odo", "useChara": True, **own}]}
    folder = write_folder(tmp_path, extension_settings={"note": note}, metadata={"note_prompt": "Fog."})

    found = [text for text in texts(ctxlab.sillytavern(folder).build()) if "Fog." in text or "hums" in text]

    assert found == ([] if sent is None else [sent])


def test_a_swipe_counts_the_answer_that_is_to_come(tmp_path: Path) -> None:
    prompts = [
        {**each, "content": "{{lastSwipeId}}/{{currentSwipeId}}"} if each["identifier"] == "jailbreak" else each
        for each in PRESET["prompts"]
    ]
    folder = write_folder(tmp_path, said=SAID[:3], oai_settings={**PRESET, "prompts": prompts})

    swipe, normal = (ctxlab.sillytavern(folder, kind=kind).build() for kind in ("swipe", "normal"))

    assert [words(trace)[-1] for trace in (swipe, normal)] == [("system", "1/2"), ("system", "1/1")]


@pytest.mark.parametrize(
    ("last", "pinned", "kind", "lost"),
    [
        ("dialogueExamples", False, "continue", 1),
        ("dialogueExamples", True, "continue", 0),
        ("dialogueExamples", False, "normal", 0),
        ("jailbreak", False, "continue", 0),
    ],
)
def test_a_nudge_that_the_program_loses_is_named(tmp_path: Path, last: str, pinned: bool, kind: Any, lost: int) -> None:
    (order,) = PRESET["prompt_order"]
    rows = sorted(order["order"], key=lambda row: row["identifier"] == last)
    more = {"continue_nudge_prompt": "On.", "prompt_order": [{**order, "order": rows}]}
    folder = write_folder(tmp_path, said=SAID[:3], oai_settings={**PRESET, **more}, power_user={"pin_examples": pinned})

    assert sum(loss.place == "the continue nudge" for loss in ctxlab.sillytavern(folder, kind=kind).losses) == lost


@pytest.mark.parametrize(
    ("source", "model", "tokens"),
    [
        ("custom", "gpt-4o", "o200k_base"),
        ("custom", "house-model-12b", "cl100k_base"),
        ("custom", "gpt-3.5-turbo-16k", "cl100k_base"),
        ("custom", "o1-pro", "cl100k_base"),
        ("custom", "gpt-oss-20b", "cl100k_base"),
        ("custom", "my-llama-3", "by-kind"),
        ("deepseek", "chat", "by-kind"),
    ],
)
def test_tokens_are_those_by_which_the_program_counts(tmp_path: Path, source: str, model: str, tokens: str) -> None:
    own = {**PRESET, "chat_completion_source": source, f"{source}_model": model}
    turn = ctxlab.sillytavern(write_folder(tmp_path, oai_settings=own))

    assert turn.build().services.tokenizer.name == tokens
    assert any("tokenizer" in loss.text for loss in turn.losses) == (tokens == "by-kind")
