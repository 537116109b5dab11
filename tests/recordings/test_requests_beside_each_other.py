"""Two requests of a recording, and two conversations: what fell out, moved or is new, and where they part."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import DiffRow
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.recording import Recording
from tests.recordings.findings.made import anthropic, bodies, says, sent, system, used, user

TALK = [user("Where is the light?"), says("在悬崖上。"), user("And the boat?"), says("In the bay."), user("continue")]


def window(first: int, last: int) -> list[dict[str, str]]:
    talk = [*TALK, says("Part one."), user("continue"), says("Part two."), user("Thanks.")]
    return [system("You keep the log."), *talk[first:last]]


def texts(rows: tuple[DiffRow, ...]) -> list[str]:
    return [str(draft.text) for row in rows if (draft := row.b or row.a) is not None]


def sliding() -> Recording:
    return sent(window(0, 5), window(2, 7))


@pytest.mark.parametrize("by_trace", [True, False])
def test_a_sliding_window_drops_its_oldest_and_nothing_else(by_trace: bool) -> None:
    one, other = (each.trace if by_trace else each for each in sliding().requests)
    found = ctxlab.diff(one, other)
    assert texts(found.fell_out) == ["Where is the light?", "在悬崖上。"]
    assert texts(found.new) == ["Part one.", "continue"]
    assert found.moved == ()
    assert sum(row.kind == "same" for row in found) == 4


def test_a_message_that_moved_between_requests_is_told_as_one() -> None:
    moved = [system("S"), TALK[0], TALK[1], TALK[4], TALK[2], TALK[3]]
    first, second = sent([system("S"), *TALK], moved).requests
    found = ctxlab.diff(first, second)
    assert (texts(found.moved), found.fell_out, found.new) == (["continue"], (), ())


def test_recorded_requests_are_compared() -> None:
    found = ctxlab.compare_requests(*sliding().requests)
    assert [(row.kind, row.what) for row in found.differences] == [
        ("dropped", "user: 'Where is the light?' and 1 more"),
        ("added", "assistant: 'Part one.' and 1 more"),
    ]
    assert found.frame()["change"].sum() == found.b.trace.tokens - found.a.trace.tokens
    assert ctxlab.compare_requests(sliding().requests[0], sliding().requests[0]).differences == ()


def test_parameters_tools_and_marks_of_recorded_requests_are_compared() -> None:
    mark = [{"type": "text", "text": "Hi", "cache_control": {"type": "ephemeral"}}]
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [user("Hi")]}
    tools = [{"name": "look", "description": "x", "input_schema": {"type": "object"}}]
    other = {**body, "max_tokens": 10, "tools": tools, "messages": [{"role": "user", "content": mark}]}
    found = ctxlab.compare_requests(*bodies((body, {}), (other, {}), wire="anthropic").requests)
    assert {(row.kind, row.first, row.second) for row in found.differences} == {
        ("changed", "max_tokens: 9", "max_tokens: 10"),
        ("added", "none", "tools[0].input_schema"),
        ("added", "none", "1 mark"),
    }


def test_a_built_request_is_compared_with_a_recorded_one() -> None:
    built = ctxlab.payload(ctxlab.build([TALK[0]]), "openai", model="gpt-4o")
    found = ctxlab.compare_requests(built, bodies((built.body, {})).requests[0])
    assert found.other_texts == 0


def test_a_request_of_which_the_log_has_parts_is_refused_with_the_next_step() -> None:
    whole = sliding().requests[0]
    part = RecordedRequest(whole.tree, "p", 1, whole.leaf, whole.head)
    with pytest.raises(
        WrongArgument, match=r"b is request 'p', of which the log has only parts; ctxlab\.diff compares"
    ):
        ctxlab.compare_requests(whole, part)


# --- files whose messages are numbered


def put_in(at: int) -> list[dict[str, str]]:
    """A question and its answer at a place of the conversation, so that roles go on in turns."""
    more = [("user", "Wait a moment."), ("assistant", "As you wish.")]
    return [
        {"role": role, "content": text}
        for role, text in (more if at % 2 == 0 else [("assistant", "As you wish."), more[0]])
    ]


def test_what_was_put_into_a_file_makes_no_neighbour_another() -> None:
    for at in range(len(TALK)):
        more = [*TALK[:at], *put_in(at), *TALK[at:]]
        found = ctxlab.diff(ctxlab.build(TALK), ctxlab.build(more))
        assert ([row.kind for row in found.changes], len(found.new)) == (["only in b"] * 2, 2)
        assert {*texts(found.new)} == {"Wait a moment.", "As you wish."}
        back = ctxlab.diff(ctxlab.build(more), ctxlab.build(TALK))
        assert ([row.kind for row in back.changes], len(back.fell_out)) == (["only in a"] * 2, 2)


def test_a_reworded_message_is_a_changed_one_wherever_others_were_put() -> None:
    more = [*put_in(0), *TALK[:2], user("And the boat, by the way?"), *TALK[3:]]
    found = ctxlab.diff(ctxlab.build(TALK), ctxlab.build(more))
    assert sorted(row.kind for row in found.changes) == ["changed", "only in b", "only in b"]


# --- where two conversations part


def session(name: str, *texts: str) -> ctxlab.Session:
    found = ctxlab.Session(id=name)
    for n, text in enumerate(texts):
        found = found.append(text, role="assistant" if n % 2 else "user")
    return found


def test_two_trials_of_a_task_part_at_a_message() -> None:
    one = session("a", "Hi", "Hello", "Book a room", "Which one?", "Thanks")
    other = session("b", "Hi", "Hello", "Book a table", "Which one?", "Thanks")
    found = ctxlab.parted(one, other)
    assert found and (found.same, found.at, found.later) == (2, 7, 2)
    assert found.sentence == (
        "Both begin with the same 2 messages; message 3 (user) differs from character 8 on: 'room' in a, 'table' in b; "
        "2 messages behind it are in both again."
    )
    assert found.row()["number"] == 3


def test_where_one_goes_on_and_where_nothing_parts() -> None:
    one, more = session("a", "Hi", "Hello"), session("b", "Hi", "Hello", "灯塔在哪里？")
    assert ctxlab.parted(one, more).sentence == "Both begin with the same 2 messages; b goes on."
    assert not ctxlab.parted(one, one)
    assert ctxlab.parted(session("a"), session("b")).sentence == "Neither has a message."
    assert ctxlab.parted(session("a", "x"), session("b", "y")).same == 0


def test_requests_and_runs_are_asked_too() -> None:
    first, second = anthropic([user("Hi")], [user("Hi"), *used("look", "fog", "c", x=1), user("So?")]).requests
    assert ctxlab.parted(first, second).same == 1
    assert ctxlab.parted(first.trace, second).same == 1
