"""Where things were put also says what later steps did with them, and what was asked for and isn't there."""

from __future__ import annotations

from typing import Any

from ctxlab import Agent, Session, Trace, Worldbook, authors_note, build
from ctxlab.studies import Landing, landings
from ctxlab.studies.landings import anchors_of

TALK = Session(id="talk").append("", role="system", id="root").append("hello", id="u1").append("hi", role="assistant")


def run(*presets: dict[str, Any], **options: Any) -> Trace:
    named = [{"id": f"p{i}", "role": "system", "content": "words", **each} for i, each in enumerate(presets)]
    return build(TALK.append("again"), Agent.model_validate({"id": "a", "presetMessages": named}), **options)


def at(depth: float, **fields: Any) -> dict[str, Any]:
    return {"injectionStrategy": {"depth": depth}, **fields}


def landing_of(trace: Trace) -> dict[str, Landing]:
    return {each.key: each.landings[0] for each in landings(trace).injections}


def test_an_injection_has_the_key_of_its_preset_and_the_depths_that_it_missed() -> None:
    found = {each.key: each.missing for each in landings(run(at(1), at(12), at(3))).injections}

    assert found == {"preset:0": (), "preset:1": (12,), "preset:2": ()}


def test_what_is_hoisted_says_by_which_step() -> None:
    found = landing_of(run({}, at(1), at(2, role="user"), settings={"merge-system.hoist": "all"}))

    assert {key: landing.moved for key, landing in found.items()} == {
        "preset:0": "",
        "preset:1": "moved by merge-system from depth 1 to 3",
        "preset:2": "",
    }
    assert {key: landing.joined for key, landing in found.items()} == {
        "preset:0": "merge-system",
        "preset:1": "merge-system",
        "preset:2": "merge-consecutive",
    }


def test_what_stands_where_it_was_put_is_not_moved_by_a_cut() -> None:
    found = landing_of(run({}, at(1), at(0), budget_tokens=40))

    assert {landing.moved for landing in found.values()} == {""}


def test_anchors_are_the_history_and_placeholders_in_force() -> None:
    off = {"id": "attic", "type": "placeholder", "isEnabled": False}
    trace = run({"type": "user_profile"}, {"id": "cellar", "type": "placeholder"}, off, {})

    assert anchors_of(trace.start.input) == ("chat_history", "user_profile", "cellar")


def test_an_unknown_anchor_is_told_with_the_nearest() -> None:
    lost = {"injectionStrategy": {"anchorTarget": "chat_histori"}}
    (only,) = landings(run(lost)).injections

    assert only.sentence == (
        "anchor 'chat_histori' is not known: preset:0 stands just before the history; did you mean 'chat_history'?"
    )


def around_a_note(**options: Any) -> Trace:
    """Two entries of lore and a note that are one message."""
    entry = {"constant": True, "position": 2}
    entries = {"0": {**entry, "content": "Above."}, "1": {**entry, "uid": 1, "content": "Below.", "position": 3}}
    book = Worldbook.model_validate({"id": "b", "entries": entries})
    note = authors_note("Mind the tide.", depth=1)
    return build(TALK.append("again"), presets=[note], books=[book], dialect="sillytavern-1.19", **options)


def test_each_part_of_a_message_of_several_has_its_landing_there() -> None:
    found = {each.key: each for each in landings(around_a_note()).injections}

    assert [key for key, each in found.items() if each.landings] == ["preset:global/0", "lore:b/0", "lore:b/1"]
    (message,) = {each.landings for each in found.values()}
    assert str(message[0].draft.text) == "Above.\nMind the tide.\nBelow."
    assert [each.look for each in found.values()] == ["preset", "lore", "lore"]
    assert [each.requested for each in found.values()] == ["depth 1", "before an", "after an"]


def test_what_was_one_message_before_was_joined_by_no_later_step() -> None:
    later = around_a_note(budget_tokens=30)  # a message is cut, those of one part and of several stay

    assert [each.landings[0].joined for each in landings(later).injections if each.landings] == ["", "", ""]
