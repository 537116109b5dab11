"""Findings count over one request where their sentence says so, and see what was merged."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.engines.worldbook.gates import GATES
from ctxlab.recordings.cache_marks import all_marks
from ctxlab.recordings.recording import Recording
from tests.recordings.findings.cases import agent, book, lamps
from tests.recordings.findings.made import bodies, says, system, tool, used, user, words

MERGED, APART = {"merge-consecutive.enabled": True}, {"merge-consecutive.enabled": False}
MACRO = "Keep every reply short, and never name {{nobody_knows}}."


def offering(*lists: str) -> Recording:
    """A request a turn, each with the tools of one letter each; `a` is called in every turn."""
    talk, found = [system("You edit.")], []
    for n, names in enumerate(lists):
        talk = [*talk, user(f"Question {n}"), *used("a", f"Result {n}", f"c{n}"), says(f"Answer {n}")]
        found.append(({"model": "m", "messages": [*talk, user("And?")], "tools": [*map(tool, names)]}, {}))
    return bodies(*found)


def idle(recording: Recording) -> list[str]:
    return [finding.text for finding in ctxlab.check(recording, rules=["unused-tools"])]


def test_a_tool_that_one_request_offers_is_not_idle_for_the_answers_of_others() -> None:
    assert idle(offering(*["a"] * 7, "ab")) == []
    assert idle(offering(*["a"] * 6, "ab", "ab")) == []
    (text,) = idle(offering(*["a"] * 6, "ab", "ab", "ab"))
    assert text == "1 of 2 tools is never called, though offered in 3 requests: b."


def test_a_tool_of_one_request_is_idle_where_no_request_before_left_it_out() -> None:
    assert idle(offering("ab")) == []
    talk = [message for n in range(4) for message in (user(f"Question {n}?"), says(f"Answer {n}."))]
    one = bodies(({"model": "m", "messages": talk, "tools": [tool("a")]}, {}))
    assert idle(one) == ["The only tool is never called, though offered in 1 request: a."]


# --- cache marks


def marked(place: str, ttl: str) -> Recording:
    mark = {"cache_control": {"type": "ephemeral", "ttl": ttl}}
    at = {name: mark if name == place else {} for name in ("tools", "system", "messages", "body")}
    schema = {"type": "object", "properties": {"cache_control": {"type": "string"}}}
    first: dict[str, Any] = {
        "model": "claude-sonnet-4-5",
        **at["body"],
        "tools": [{"name": "look", "description": "x", "input_schema": schema, **at["tools"]}],
        "system": [{"type": "text", "text": "You are a pilot. " * 800, **at["system"]}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": "Hi", **at["messages"]}]}],
    }
    second = {**first, "messages": [*first["messages"], says("Ok"), user("More")]}
    times = ("2026-01-01T10:00:00Z", "2026-01-01T10:20:00Z")
    return bodies(
        *((body, {"time": time}) for body, time in zip((first, second), times, strict=True)), wire="anthropic"
    )


@pytest.mark.parametrize("place", ["tools", "system", "messages", "body"])
def test_a_mark_counts_wherever_it_stands(place: str) -> None:
    hour, minutes = (marked(place, ttl).prefix().requests[1] for ttl in ("1h", "5m"))
    assert (hour.state, hour.lifetime_seconds) == ("whole", 3600)
    assert (minutes.state, minutes.lifetime_seconds) == ("expired", 300)
    assert [mark["ttl"] for mark in all_marks(marked(place, "1h").requests[0])] == ["1h"]


def test_a_schema_with_a_field_of_that_name_marks_nothing() -> None:
    assert all_marks(marked("nowhere", "1h").requests[0]) == []


# --- lore that is off, and what was merged


def test_entries_that_are_off_are_not_counted() -> None:
    books = [book(), book(disable=True, key=["sun"], comment="The sun")]
    trace = ctxlab.build(lamps(*["The fog"] * 6), books=books)
    (finding,) = ctxlab.check(trace, rules=["lore-never-fires"])
    assert finding.text.startswith("1 of 1 lore entry ")


def test_every_gate_that_code_names_is_one() -> None:
    named: set[str] = set()
    for file in (Path(ctxlab.__file__).parent).rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(text)) if ".gate" in text else ():
            if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "gate":
                named |= {
                    each.value
                    for each in ast.walk(node)
                    if isinstance(each, ast.Constant) and isinstance(each.value, str)
                }
    assert {"disabled", "budget"} <= named <= GATES.keys()


def test_rules_see_the_parts_of_merged_messages() -> None:
    presets = ({"content": MACRO}, {"content": words(60)}, {"content": MACRO, "role": "user"})
    for settings in (APART, MERGED):
        trace = ctxlab.build(lamps("What is {{this}}?"), agent(*presets), settings=settings)
        found = ctxlab.check(trace, rules=["presets-contradict", "unresolved-macro"])
        assert sorted(finding.rule for finding in found) == ["presets-contradict", *["unresolved-macro"] * 2]
        contents = {draft.key: str(draft.text) for draft in trace.result.drafts}
        for finding in found:
            for place in finding.places:
                assert place.node in contents
                if place.start is not None:
                    assert contents[place.node][place.start : place.end] == "{{nobody_knows}}"
    assert len(contents) < 4


@pytest.mark.parametrize(("role", "messages"), [("system", 1), ("user", 2)])
def test_text_that_stands_twice_is_seen_in_one_merged_message_too(role: str, messages: int) -> None:
    text = words(300)
    presets = [{"content": text}, {"content": f"And again: {text}", "role": role}]
    trace = ctxlab.build(lamps("Hi"), agent(*presets), settings=MERGED)
    (finding,) = ctxlab.check(trace, rules=["text-twice"])
    contents = {draft.key: str(draft.text) for draft in trace.result.drafts}
    one, other = (contents[place.node][place.start : place.end] for place in finding.places)
    assert one == other and len(one) >= len(text) - 1
    assert len({place.node for place in finding.places}) == messages
