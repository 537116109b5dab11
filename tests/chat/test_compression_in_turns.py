"""Compressions that come due in a turn: by which size, in which verbs, and what the log and the session say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.chat.compression import VisiblePath
from ctxlab.chat.event_log import read_events
from ctxlab.chat.events import Compressed, NotesAdded
from ctxlab.chat.turn import Turn, notes_of_turn
from ctxlab.documents import Agent, Session

TIME = "2026-01-02T03:04:05Z"
WANTED = {"enabled": True, "minHistoryCount": 0, "protectRecentCount": 2, "compressCount": 6}


def long_chat() -> Session:
    chat = Session(id="s")
    for n in range(6):
        chat = chat.append(f"Question {n} is about the lamp. " * 20, id=f"u{n}")
        chat = chat.append(f"Answer {n}. " * 60, role="assistant", id=f"a{n}")
    return chat


CHAT = long_chat()
SIZE = ctxlab.build(CHAT).tokens


def because(messages: Sequence[Mapping[str, Any]]) -> str:
    return "Because."


def wants(**settings: Any) -> Agent:
    return Agent(id="g", name="Guide", parameters={"contextCompression": {**WANTED, **settings}})


def send(agent: Agent, **options: Any) -> Turn:
    return ctxlab.send(CHAT, "Why?", model=because, agent=agent, timestamp=TIME, **options)


def compressed(turn: Turn) -> list[Compressed]:
    return [event for event in turn.events if isinstance(event, Compressed)]


def shown(session: Session, leaf: str) -> list[str]:
    return [str(message["content"]) for message in ctxlab.build(session, leaf=leaf).messages]


# --- the size that counts


def test_a_budget_below_the_threshold_does_not_keep_a_long_history_from_being_compressed() -> None:
    turn = send(wants(tokenThreshold=SIZE - 200), budget_tokens=SIZE // 2)

    (first, *_) = compressed(turn)
    assert turn.error is None and SIZE < first.before_tokens < SIZE + 40
    assert first.after_tokens < SIZE - 200
    assert f"over the threshold: {first.before_tokens:,} tokens" in first.node["metadata"]["compressionReason"]
    assert turn.requests[0].trace.tokens <= SIZE // 2


def test_a_history_below_the_threshold_is_left_with_and_without_a_budget() -> None:
    for options in ({}, {"budget_tokens": SIZE // 2}):
        assert compressed(send(wants(tokenThreshold=SIZE + 200), **options)) == []


# --- other verbs


def test_a_reply_written_again_is_of_a_compressed_history_and_the_other_reply_stays() -> None:
    history = ctxlab.History(CHAT)
    turn = ctxlab.regenerate(history, "a5", model=because, agent=wants(tokenThreshold=100), timestamp=TIME)

    before = [event.node["metadata"]["compressionTrigger"] for event in compressed(turn)]
    assert turn.error is None and before[0] == "before request"
    assert len(turn.requests[0].trace.messages) < len(VisiblePath.of(CHAT).nodes)
    after = turn.session
    assert after.nodes["a5"].content == CHAT.nodes["a5"].content and after.check() == ()
    hidden = {key for event in compressed(turn) for key in event.node["metadata"]["compressedNodeIds"]}
    assert not hidden & {"u5", "a5"} and turn.reply is not None
    for leaf in ("a5", turn.reply.id):
        assert [node.id for node in after.path(leaf) if not node.is_summary][:-1] == [n.id for n in CHAT.path("u5")]
    assert history.undo(past_breakpoint=True) == CHAT


def test_a_reply_written_again_early_on_leaves_a_later_branch_as_it_is_sent() -> None:
    later = send(wants(tokenThreshold=100)).session
    leaf = later.active_leaf_id
    assert leaf is not None
    turn = ctxlab.regenerate(later, "a2", model=because, agent=wants(tokenThreshold=100), timestamp=TIME)

    assert compressed(turn) and shown(turn.session, leaf) == shown(later, leaf)
    assert turn.session.check() == ()


def test_a_reply_that_goes_on_is_of_a_compressed_history_and_never_goes_itself() -> None:
    half = CHAT.append("Why?", id="u6").append("Because of", role="assistant", id="a6")
    history = ctxlab.History(half)
    agent = wants(tokenThreshold=100, protectRecentCount=0, compressCount=50)
    turn = ctxlab.continue_reply(history, "a6", model=lambda messages: " the lamp.", agent=agent, timestamp=TIME)

    (first, *_) = compressed(turn)
    assert turn.error is None and turn.text == "Because of the lamp."
    assert not {"u6", "a6"} & set(first.node["metadata"]["compressedNodeIds"])
    sent = [str(message["content"]) for message in turn.requests[0].trace.messages]
    assert "Because of" in sent and "Why?" in sent and len(sent) < 8
    assert shown(turn.session, "a6")[-2:] == ["Why?", "Because of"]
    assert history.undo(past_breakpoint=True) == half


def test_a_tool_result_that_waits_for_its_answer_never_goes() -> None:
    calls = [{"requestId": "c", "toolName": "look", "args": {}}]
    waiting = CHAT.append("Look.", id="u6").append("", role="assistant", id="k", metadata={"toolCallsRequested": calls})
    waiting = waiting.append("It is there.", role="tool", id="r", metadata={"toolCall": {"requestId": "c"}})

    done = ctxlab.compress(waiting, everything=True, compression={"protectRecentCount": 0})

    assert done.gone and not {"u6", "k", "r"} & set(done.gone)


# --- notes in the log


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"compressCount": 0}, "compress_count is 0"),
        ({"tokenTreshold": 5}, "there is no setting 'tokenTreshold'"),
        ({"mustKeep": ["never said"]}, "'never said' is in none of the messages that go"),
    ],
)
def test_notes_of_a_turn_are_in_its_log(settings: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    turn = send(wants(tokenThreshold=100, **settings), log=path)

    assert any(said in note.text for note in turn.notes)
    assert notes_of_turn(read_events(path)) == turn.notes
    assert ctxlab.recover(CHAT, path) == turn.session


def test_notes_on_a_compression_are_at_its_node_too(tmp_path: Path) -> None:
    path = tmp_path / "turns.jsonl"
    turn = send(wants(tokenThreshold=100, mustKeep=["never said"]), log=path)

    (first, *_) = ctxlab.compressions(ctxlab.recover(CHAT, path))
    assert [note.text for note in turn.notes if "never said" in note.text] == [*first.notes]
    assert not any(isinstance(event, NotesAdded) for event in turn.events)


# --- one row per compression


def test_a_session_tells_of_each_of_its_compressions(tmp_path: Path) -> None:
    agent = wants(tokenThreshold=100, compressCount=2)
    session = ctxlab.send(CHAT, "Why?", model=because, agent=agent).session
    session = ctxlab.send(session, "And now?", model=because, agent=agent).session
    ctxlab.write(session, tmp_path / "chat.json")

    found = ctxlab.compressions(tmp_path / "chat.json")

    rows = found.frame()
    assert list(rows["trigger"]) == ["before request", "after request"] * 2
    assert list(rows["kind"]) == ["summary"] * 4 and list(rows["enabled"]) == [True] * 4
    assert list(rows["messages"]) == [2, 4, 6, 8] and list(rows["generation"]) == [1, 2, 3, 4]
    assert list(rows["replaced_by"]) == [rows["node"][3]] * 3 + [None]
    assert rows["lineage"][3].split() == list(rows["node"][:3])
    assert (rows["before_tokens"] > rows["after_tokens"]).all() and (rows["seconds"] >= 0).all()
    assert rows["settings"][0]["compressCount"] == 2 and "over the threshold" in rows["reason"][0]
    assert [each.node for each in found.in_force] == [rows["node"][3]]


def test_stand_ins_are_told_apart_from_summaries() -> None:
    calls = [{"requestId": "c", "toolName": "look", "args": {}}]
    session = (
        Session(id="s")
        .append("Look.", id="u")
        .append(
            "",
            role="assistant",
            id="k",
            metadata={"toolCallsRequested": calls, "reasoningContent": "On the shelf? " * 30},
        )
    )
    session = session.append("dust " * 300, role="tool", id="r", metadata={"toolCall": {"requestId": "c"}})
    session = session.append("There.", role="assistant", id="a").append("Thanks", id="v")
    session = session.append("Yes", role="assistant", id="b")
    own = {"protectRecentCount": 2, "keepToolResults": 0}

    lean = ctxlab.compress(session, compression=own, tiers=["reasoning", "tool-results"]).applied()
    (copies,) = ctxlab.compressions(lean)
    assert copies.kind == "stand-ins" and len(copies.stand_ins) == 2 and copies.messages == ("k", "r")
    assert copies.before_tokens is not None and copies.after_tokens is not None
    assert copies.before_tokens - copies.after_tokens > 200

    whole = ctxlab.compress(lean, compression={**own, "protectRecentCount": 0}, everything=True).applied()
    found = ctxlab.compressions(whole)
    assert [each.kind for each in found] == ["stand-ins", "summary"]
    assert found[0].replaced_by == found[1].node and found.summaries == (found[1],)
    assert found[1].messages == ("u", "k", "r", "a", "v", "b") and found[1].lineage == ()
    assert not ctxlab.compressions(whole.disable(found[1].node))[1].enabled


def test_reasoning_without_calls_is_no_summary_once_it_is_left_out() -> None:
    blocks = [{"provider": "anthropic", "type": "thinking", "data": {"thinking": "Hm. " * 200}}]
    session = (
        Session(id="s")
        .append("Why?", id="u")
        .append("So.", role="assistant", id="a", metadata={"reasoningArtifacts": blocks})
    )
    session = session.append("And?", id="v").append("Yes", role="assistant", id="b")
    done = ctxlab.compress(session, compression={"protectRecentCount": 2}, tiers=["reasoning"])

    assert [each.kind for each in ctxlab.compressions(done.session)] == ["stand-ins"] and len(done.stand_ins) == 1


def test_nodes_of_others_with_anything_in_their_metadata_are_rows_too() -> None:
    odd = {"isCompressionNode": True, "compressedNodeIds": ["u0", 5, "nobody"], "compressionConfig": 7}
    odd |= {"compressionSeconds": "x", "compressionLineage": 3, "tokenCount": "many", "compressionId": ["x"]}
    session = CHAT.append("Notes", role="system", id="n", metadata=odd)

    (row,) = ctxlab.compressions(session)

    assert row.kind == "summary" and row.settings == {} and row.seconds is None and row.messages == ("u0",)
    assert len(ctxlab.compressions(session).frame()) == 1 and len(ctxlab.compressions(CHAT).frame()) == 0
