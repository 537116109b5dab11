"""What is said of a summary: how many messages it stands for, which, and their first words."""

from __future__ import annotations

import json

import ctxlab
from ctxlab import Session
from ctxlab_widgets import BranchTree, StepDebugger
from ctxlab_widgets._shared.stands_for import MOST_LISTED, stands_for
from tests.gallery.samples import harbour, session


def talk(n: int) -> Session:
    data = [{"role": ("user", "assistant")[i % 2], "content": f"words {i}"} for i in range(n)]
    return ctxlab.read_data(data).pick()


def summed(chat: Session, name: str) -> Session:
    made = ctxlab.compress(
        chat, everything=True, compression={"protectRecentCount": 0}, id=name, summariser=lambda _: "S"
    )
    assert made.error is None
    return made.session


def test_it_names_the_first_and_the_last_message_and_quotes_each() -> None:
    chat = session()
    said = stands_for(chat, chat.nodes["s1"])

    assert said is not None
    assert said["words"] == "stands for 8 messages: u1 to a4"
    assert [key for key, _ in said["first"]] == list(chat.nodes["s1"].hides)
    assert said["first"][0][1].startswith("*I shake the rain off my coat")


def test_a_summary_of_summaries_stands_for_the_messages_behind_them() -> None:
    more = summed(talk(6), "one").append("And?").append("Yes.", role="assistant")
    folded = summed(more, "two")
    said = stands_for(folded, folded.nodes["two"])

    assert said is not None
    assert said["words"].startswith("stands for 8 messages: m0 to ")
    assert "one" not in [key for key, _ in said["first"]]


def test_messages_that_are_not_there_are_counted_and_a_switched_off_summary_says_so() -> None:
    chat = session()
    node = chat.nodes["s1"].model_copy(
        update={"metadata": {"isCompressionNode": True, "compressedNodeIds": ["u1", "gone"]}, "is_enabled": False}
    )
    said = stands_for(chat, node)

    assert said is not None
    assert said["words"] == (
        "is switched off, and would stand for 1 message: u1; 1 of its messages is not in the conversation"
    )


def test_a_long_summary_lists_so_many_and_counts_the_rest() -> None:
    folded = summed(talk(MOST_LISTED + 20), "s")
    said = stands_for(folded, folded.nodes["s"])

    assert said is not None
    assert (len(said["first"]), said["more"]) == (MOST_LISTED, 20)


def test_other_messages_stand_for_themselves() -> None:
    assert stands_for(session(), session().nodes["u1"]) is None
    assert StepDebugger(ctxlab.build(talk(3))).summaries == ""


def test_the_debugger_and_the_tree_have_it() -> None:
    words = "stands for 8 messages: u1 to a4"
    tree = BranchTree(session())
    tree._handle_custom_msg({"command": "preview", "node": "s1"}, [])

    assert json.loads(StepDebugger(harbour()).summaries)["node:s1"]["words"] == words
    assert json.loads(tree.preview)["stands_for"]["words"] == words
