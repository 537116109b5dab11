"""Actions on a message: which apply, what they give, and what is broken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ctxlab import History, MessageAction, Session, message_actions, run_message_action
from ctxlab.chat.message_actions import forget_actions
from ctxlab.errors import CtxlabError, Refused, UnknownNode, WrongArgument

Installed = Callable[..., None]

CHAT = Session(id="s").append("Hi", id="a").append("Hello", role="assistant", id="b")
SHOUT = MessageAction("shout", "Shout", lambda chat, id: chat.edit(id, chat.node(id).content.upper()), roles=("user",))
COUNT = MessageAction("count", "Count", lambda chat, id: f"{len(chat.node(id).content)} characters")

MODULE = """
from ctxlab import MessageAction

def count_words(session, node_id):
    return str(len(session.node(node_id).content.split()))

def fails(session, node_id):
    raise ValueError("no luck")

GOOD = MessageAction("quote", "Quote", count_words, applies=lambda session, node_id: node_id == "b")
SAME = MessageAction("count-words", "Other", count_words)
NAMELESS = MessageAction("x", "", count_words)
APPLIES = MessageAction("picky", "Picky", count_words, applies=fails)
NOT_ONE = 3
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    def install(*points: str) -> None:
        (tmp_path / "acme_actions.py").write_text(MODULE, encoding="utf-8")
        about = tmp_path / "acme_actions-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-actions\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join(["[ctxlab.message_actions]", *points, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))
        forget_actions()

    yield install
    monkeypatch.undo()
    forget_actions()


def test_actions_are_offered_for_their_roles_and_where_they_apply() -> None:
    never = MessageAction("never", "Never", lambda chat, id: "", applies=lambda chat, id: False)

    of_user, of_assistant = (message_actions(CHAT, id, actions=[SHOUT, never, COUNT]) for id in "ab")

    assert [each.id for each in of_user] == ["shout", "count"]
    assert [each.id for each in of_assistant] == ["count"]
    assert of_user.action("count") is COUNT
    with pytest.raises(CtxlabError, match="there is no action 'shoot' on this message; did you mean 'shout'"):
        of_user.action("shoot")
    with pytest.raises(UnknownNode):
        message_actions(CHAT, "z")


def test_an_action_gives_a_session_that_can_be_undone_or_a_text() -> None:
    result = run_message_action(SHOUT, CHAT, "a")
    history = History(CHAT)
    history.record(result.session, SHOUT.label, target="a")

    assert history.session.node("a").content == "HI"
    assert history.undo() == CHAT
    text = run_message_action(COUNT, CHAT, "a")
    assert (text.text, text.session) == ("2 characters", CHAT)


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        (lambda chat, id: 3, "action 'Try' gave int, not a session or a text"),
        (lambda chat, id: 1 / 0, "action 'Try' failed: ZeroDivisionError: division by zero"),
        (
            lambda chat, id: chat.with_nodes({"z": chat.node(id).model_copy(update={"id": "z", "parent_id": "gone"})}),
            "action 'Try' would break the tree: node 'z' has a parent that does not exist, 'gone'",
        ),
    ],
)
def test_an_action_that_fails_is_named(run: Callable[[Session, str], Session], sentence: str) -> None:
    with pytest.raises(CtxlabError) as refusal:
        run_message_action(MessageAction("try", "Try", run), CHAT, "a")

    assert str(refusal.value) == sentence


def test_a_refusal_of_ours_keeps_its_words() -> None:
    with pytest.raises(Refused, match="update"):
        run_message_action(
            MessageAction("x", "X", lambda chat, id: chat.edit("root", "x")),
            CHAT.append("", role="system", id="root"),
            "a",
        )


def test_packages_bring_actions_also_as_plain_functions(installed: Installed) -> None:
    installed("count-words = acme_actions:count_words", "quote = acme_actions:GOOD")

    found = message_actions(CHAT, "b")

    assert [(each.id, each.label, each.package) for each in found] == [
        ("count-words", "Count words", "acme-actions"),
        ("quote", "Quote", "acme-actions"),
    ]
    assert run_message_action(found[0], CHAT, "b").text == "1"
    assert [each.id for each in message_actions(CHAT, "a")] == ["count-words"]


@pytest.mark.parametrize(
    ("point", "why"),
    [
        ("missing", "AttributeError"),
        ("NOT_ONE", "it is int, not a MessageAction or a function"),
        ("NAMELESS", "an action has an id and a label"),
        ("SAME", "there is an action 'count-words' already"),
        ("APPLIES", "action 'Picky' of package 'acme-actions' is left out: ValueError: no luck"),
    ],
)
def test_a_broken_plugin_is_named_and_left_out(installed: Installed, point: str, why: str) -> None:
    installed("count-words = acme_actions:count_words", f"d = acme_actions:{point}")

    found = message_actions(CHAT, "b")

    (note,) = found.notes
    assert why in note.text
    assert [each.id for each in found] == ["count-words"]


def test_an_action_of_one_s_own_that_can_t_be_used_is_refused() -> None:
    with pytest.raises(WrongArgument, match="there is an action 'count' already"):
        message_actions(CHAT, "a", actions=[COUNT, COUNT])
