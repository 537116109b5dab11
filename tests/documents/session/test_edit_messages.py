"""Verbs that change a message in place."""

from typing import Any

import pytest

from ctxlab.documents import Asset, Session
from ctxlab.errors import Refused, UnknownNode


def test_an_edit_changes_the_words_and_nothing_else(forked: Session) -> None:
    session = forked.edit("u1", "other words", updated_at="2026-01-01T00:00:00Z")

    assert session["u1"].to_data() == {
        **forked["u1"].to_data(),
        "content": "other words",
        "updatedAt": "2026-01-01T00:00:00Z",
    }
    assert [key for key in session.nodes if session[key] is not forked[key]] == ["u1"]


@pytest.mark.parametrize(
    ("given", "has"),
    [(None, (Asset(id="f"),)), ((), None), ([Asset(id="g")], (Asset(id="g"),))],
)
def test_attachments_stay_or_go_or_are_replaced(forked: Session, given: Any, has: Any) -> None:
    session = forked.update("u1", attachments=[{"id": "f"}]).edit("u1", "x", attachments=given)

    assert session["u1"].attachments == has
    assert ("attachments" in session["u1"].to_data()) is (has is not None)


def test_what_was_computed_from_the_old_words_goes(forked: Session) -> None:
    caches = {"tokenCount": 5, "lastCalcHash": "h", "contentTokens": 4, "usage": {}, "translation": {"content": "x"}}
    nested = {"performance": {"tokenCount": 5, "tokensPerSecond": 2}}
    session = forked.update("a1", metadata={**caches, **nested, "sessionVariableSnapshot": {}, "agentId": "ag"})

    assert session.edit("a1", "x")["a1"].metadata == {"performance": {"tokensPerSecond": 2}, "agentId": "ag"}


def test_snapshots_of_variables_go_below_an_edit_and_stay_elsewhere(forked: Session) -> None:
    for key in ("q", "b1", "b2"):
        forked = forked.update(key, metadata={"sessionVariableSnapshot": {}, "tokenCount": 5})

    session = forked.edit("a1", "x")

    assert session["b1"].metadata == {"tokenCount": 5}
    assert session["q"] is forked["q"]
    assert session["b2"] is forked["b2"]


def test_an_edit_that_changes_nothing_is_the_same_session(forked: Session) -> None:
    session = forked.update("u1", metadata={"tokenCount": 5})

    assert session.edit("u1", "text of u1") is session
    assert session.edit("u1", attachments=()) is session


def test_a_translation_replaces_the_one_before_and_touches_nothing_else(forked: Session) -> None:
    counted = forked.update("a1", metadata={"tokenCount": 5, "translation": {"content": "old", "visible": False}})

    session = counted.update_translation("a1", {"content": "你好", "targetLang": "Chinese"})

    assert session["a1"].metadata == {"tokenCount": 5, "translation": {"content": "你好", "targetLang": "Chinese"}}
    assert session["a1"].content == forked["a1"].content
    assert session.update_translation("a1", {"content": "你好", "targetLang": "Chinese"}) is session
    assert session.update_translation("a1", None)["a1"].metadata == {"tokenCount": 5}


def test_a_translation_of_no_message_is_refused_and_none_to_take_away_changes_nothing(forked: Session) -> None:
    with pytest.raises(UnknownNode, match="no node 'nowhere'"):
        forked.update_translation("nowhere", {"content": "x"})
    assert forked.update_translation("a1", None) is forked


def test_only_the_users_and_the_assistants_words_are_edited(forked: Session) -> None:
    with pytest.raises(Refused, match=r"'root' is a system message: .* use update\(\)"):
        forked.edit("root", "x")


def test_any_field_but_the_links_can_be_updated_in_either_spelling(forked: Session) -> None:
    session = forked.update("u1", isEnabled=False, model_match={"patterns": ["gpt"]}, colour="red", role="system")

    assert session["u1"].enabled is False
    assert session["u1"].model_match is not None
    assert session["u1"].model_match.patterns == ("gpt",)
    assert (session["u1"].role, session["u1"].to_data()["colour"]) == ("system", "red")
    assert session.check() == ()


def test_an_update_of_the_words_drops_caches_and_one_of_the_metadata_is_taken_as_it_is(forked: Session) -> None:
    session = forked.update("u1", metadata={"tokenCount": 5})

    assert session.update("u1", content="x")["u1"].metadata == {}
    assert session.update("u1", content="x", metadata={"tokenCount": 1})["u1"].metadata == {"tokenCount": 1}
    assert session.update("u1", name="Ann")["u1"].metadata == {"tokenCount": 5}


@pytest.mark.parametrize("name", ["id", "parentId", "parent_id", "childrenIds", "children_ids", "lastSelectedChildId"])
def test_links_are_not_updated(forked: Session, name: str) -> None:
    with pytest.raises(Refused, match="is structure, not a field to be given"):
        forked.update("u1", **{name: "q", "content": "x"})


def test_a_wrong_value_is_refused_and_named(forked: Session) -> None:
    with pytest.raises(Refused, match="metadata can't be 7: Input should be a valid dictionary"):
        forked.update("u1", metadata=7)


def test_a_message_is_switched_off_and_on(forked: Session) -> None:
    off = forked.disable("a1")

    assert [key for key in off.nodes if not off[key].enabled] == ["a1"]
    assert off.enable("a1")["a1"].enabled
    assert off.disable("a1") is off
    assert forked.enable("a1") is forked


def test_a_branch_is_switched_off_and_on_with_all_below(forked: Session) -> None:
    off = forked.disable("a2", below=True)

    assert [key for key in off.nodes if not off[key].enabled] == ["a2", "u2", "b2", "b3"]
    assert all(node.enabled for node in off.enable("a2", below=True).nodes.values())


@pytest.mark.parametrize("verb", [Session.disable, Session.enable, Session.edit, Session.update])
def test_unknown_messages_are_named(forked: Session, verb: Any) -> None:
    with pytest.raises(UnknownNode, match="'nowhere'"):
        verb(forked, "nowhere")
