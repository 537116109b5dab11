"""What a prefix report says is true: two prompts, put together from parts, agree up to the place and differ there."""

from __future__ import annotations

import json
from itertools import takewhile
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.prompt import PromptPart
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.prefix.prompt_heads import HeadReader
from ctxlab.recordings.prefix.prompt_tree import PromptTree
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.recording import Recording

REMINDER = "<system-reminder>It is {}.</system-reminder>"
WORDS = st.sampled_from(["灯塔在哪里？", "Look at the harbour.", "Look at the fog", "", "yes", "a b c"])
STAMPS = st.sampled_from(["", REMINDER.format("10:00"), REMINDER.format("10:01")])
TOOLS = st.lists(st.sampled_from(["read", "list", "grep"]), unique=True, max_size=3)
WIRES = st.sampled_from(["anthropic", "openai-chat", "openai-responses"])


def message(words: str, role: str, *, blocks: bool) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": words}] if blocks else words}


@st.composite
def bodies(draw: Any) -> tuple[str, list[dict[str, Any]]]:
    """Requests of a conversation that goes on, is edited, gets reminders, other tools and other clocks."""
    wire, talk = draw(WIRES), [message("Where is the light?", "user", blocks=False)]
    found = []
    for _ in range(draw(st.integers(2, 6))):
        kind = draw(st.sampled_from(["goes on", "goes on", "edited", "shorter", "summary", "moved"]))
        if kind == "edited":
            at = draw(st.integers(0, len(talk) - 1))
            talk[at] = message(draw(STAMPS) + draw(WORDS), talk[at]["role"], blocks=draw(st.booleans()))
        elif kind == "shorter":
            del talk[draw(st.integers(0, len(talk) - 1))]
        elif kind == "summary":
            talk = [message("<summary>All is well.</summary>", "user", blocks=False)]
        elif kind == "moved":
            talk = talk[::-1]
        talk += [message(draw(WORDS), "assistant", blocks=draw(st.booleans()))]
        talk += [message(draw(WORDS) + draw(STAMPS), "user", blocks=draw(st.booleans()))]
        names = draw(TOOLS)
        system = f"You keep the log. It is {draw(st.sampled_from(['09:00', '09:01', '09:00 UTC']))}. Be brief."
        found.append(body(wire, talk, names, system))
    return wire, found


def body(wire: str, talk: list[dict[str, Any]], names: list[str], system: str) -> dict[str, Any]:
    tools = [{"name": name, "description": f"It can {name}."} for name in names]
    made: dict[str, Any] = {"model": "claude-sonnet-4-5" if wire == "anthropic" else "gpt-5", "tools": tools}
    if wire == "anthropic":
        made |= {"system": system, "messages": talk}
    elif wire == "openai-chat":
        made |= {"messages": [{"role": "system", "content": system}, *talk]}
    else:
        typed = [each if isinstance(each["content"], str) else {**each, "content": _typed(each)} for each in talk]
        made |= {"instructions": system, "input": typed}
    return json.loads(json.dumps(made))


def _typed(each: dict[str, Any]) -> list[dict[str, Any]]:
    kind = "output_text" if each["role"] == "assistant" else "input_text"
    return [{"type": kind, "text": block["text"]} for block in each["content"]]


def recorded(wire: Any, sent: list[dict[str, Any]]) -> Recording:
    builder = RecordingBuilder("talk")
    for each in sent:
        builder.body(each, wire, model=each["model"])
    return builder.recording()


def parts_in_order(recording: Recording, request: RecordedRequest) -> list[PromptPart]:
    """A prompt put together from its parts: the head in the vendor's order, then each message."""
    head = HeadReader(recording.parts).head(request.head).parts
    empty = (PromptPart("conversation", "", 0),)
    return [*head, *(part for each in request.sent for part in recording.parts.of_message(each) or empty)]


def key(part: PromptPart) -> tuple[str, str, str, str, str]:
    return part.source if part.source in ("tools", "parameters") else "", part.role, part.name, part.call, part.text


@given(bodies())
@settings(max_examples=150, deadline=None)
def test_both_prompts_agree_up_to_the_place_and_differ_there(made: tuple[str, list[dict[str, Any]]]) -> None:
    recording = recorded(*made)
    for each in recording.prefix():
        if each.before is None:
            continue
        old, new = (parts_in_order(recording, request) for request in (each.before, each.request))
        same = len(list(takewhile(lambda pair: key(pair[0]) == key(pair[1]), zip(old, new, strict=False))))
        cause = each.cause
        if cause is None:
            assert same == min(len(old), len(new))
            continue
        if cause.part_before is None and cause.part_after is None:
            assert "no text" in cause.sentence
            continue
        for said, parts in ((cause.part_before, old), (cause.part_after, new)):
            there = parts[same] if same < len(parts) else None
            ends = same > 0 and there is not None and there.key != parts[same - 1].key
            if said is None and ends:  # one message ends where the other goes on
                continue
            assert (said and key(said)) == ((there and there.text and key(there)) or None)
        if cause.part_before is not None and cause.part_after is not None:
            a, b, at = cause.part_before.text, cause.part_after.text, cause.at
            assert a[:at] == b[:at]
            assert (a == b and at == len(a)) or a[at : at + 1] != b[at : at + 1]
            if cause.kind == "system" and "another" in cause.sentence:
                assert f"character {at + 1} on" in cause.sentence
            assert a[max(0, at - 40) : at + 40] == cause.text_before
            assert b[max(0, at - 40) : at + 40] == cause.text_after
        assert each.common_tokens <= each.total_tokens


@given(bodies())
@settings(max_examples=100, deadline=None)
def test_a_prefix_is_whole_exactly_where_nothing_is_said_to_break_it(made: tuple[str, list[dict[str, Any]]]) -> None:
    for each in recorded(*made).prefix():
        assert (each.state == "cut") <= (each.cause is not None)
        assert (each.state == "whole") <= (each.cause is None and not each.lost_tokens)


@given(bodies())
@settings(max_examples=100, deadline=None)
def test_the_best_earlier_request_is_the_one_that_trying_all_finds(made: tuple[str, list[dict[str, Any]]]) -> None:
    recording = recorded(*made)
    tree, heads = PromptTree(recording.parts), HeadReader(recording.parts)
    earlier: list[RecordedRequest] = []
    for each in recording.prefix():
        request = each.request
        head = heads.head(request.head)
        alike = [other for other in earlier if heads.head(other.head).key == head.key]
        if alike:
            places = [tree.common(tree.place_of(request), tree.place_of(other)) for other in alike]
            assert each.best_tokens == head.tokens[-1] + max(tree.tokens[place] for place in places)
        earlier.append(request)


@given(bodies(), st.sampled_from(["reminders", "reminders-last", "tools", "tools-sorted", "clock"]))
@settings(max_examples=100, deadline=None)
def test_a_what_if_leaves_the_recording_and_its_report_as_they_are(made: Any, name: Any) -> None:
    recording = recorded(*made)
    plain = [each.row() for each in recording.prefix()]
    payloads = [request.payload for request in recording.requests]
    report = recording.prefix(frozen=name)
    assert [each.row() for each in report] == plain
    assert [request.payload for request in recording.requests] == payloads == made[1]
    assert report.frozen is not None
    assert report.frozen.read_tokens == report.frozen.more_tokens + sum(e.expected_tokens or 0 for e in report)


def test_a_reminder_put_behind_a_message_is_set_against_the_end_of_that_message() -> None:
    head = {"model": "claude-sonnet-4-5", "tools": [], "system": "You keep the log."}
    words = [{"role": "user", "content": "灯塔在哪里？"}, {"role": "assistant", "content": "灯塔在哪里？"}]
    reminded = [{**words[0], "content": "灯塔在哪里？<system-reminder>It is 10:00.</system-reminder>"}, words[1]]

    cause = (
        recorded("anthropic", [{**head, "messages": words}, {**head, "messages": reminded}]).prefix().requests[1].cause
    )

    assert cause is not None
    assert (cause.kind, cause.part_before, cause.at) == ("reminder", None, 0)
    assert cause.part_after is not None
    assert cause.part_after.name == "system-reminder"
