"""Two vendors' requests of one run: what is moved, renamed, changed, added and dropped."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Payload, Session
from ctxlab.providers import RequestLoss
from ctxlab.studies import RequestComparison, compare_requests
from tests.gallery.requests import scripted_request
from tests.gallery.samples import harbour


@pytest.fixture(scope="module")
def chat() -> Payload:
    return ctxlab.payload(harbour(), "openai")


@pytest.fixture(scope="module")
def scripted() -> Payload:
    return scripted_request(harbour())


def with_body(request: Payload, **fields: Any) -> Payload:
    return replace(request, body={**request.body, **fields})


def rows(found: RequestComparison) -> dict[str, tuple[str, str, str]]:
    return {each.what: (each.kind, each.first, each.second) for each in found.differences}


def test_a_request_does_not_differ_from_itself(chat: Payload) -> None:
    found = compare_requests(chat, chat)

    assert found.differences == ()
    assert found.summary == "no place differs. The text of all 12 messages is the same."


def test_a_system_message_that_is_hoisted_is_moved(chat: Payload, scripted: Payload) -> None:
    kind, left, right = next(iter(rows(compare_requests(chat, scripted)).values()))

    assert (kind, left, right) == ("moved", "messages[0].content, role system", "system[0].text")


def test_one_parameter_under_two_names_is_renamed(chat: Payload) -> None:
    one = with_body(chat, max_completion_tokens=2048, temperature=1, seed=7, stop=["\nAda:"])
    other = with_body(chat, max_tokens=2048, temperature=0.7, stop=["\nAda:"], store=False)

    found = rows(compare_requests(one, other))

    assert found == {
        "reply limit": ("renamed", "max_completion_tokens: 2048", "max_tokens: 2048"),
        "temperature": ("changed", "temperature: 1", "temperature: 0.7"),
        "seed": ("dropped", "seed: 7", "none"),
        "store": ("added", "none", "store: false"),
    }


def test_what_only_one_vendor_carries_is_dropped_with_its_reason(chat: Payload) -> None:
    losses = (RequestLoss("name", "the name Ada", "no field for it"),) * 3

    found = compare_requests(chat, replace(chat, losses=losses))

    assert rows(found) == {"the name Ada": ("dropped", "sent, 3 times", "no field for it")}
    assert found.summary.startswith("1 place differs: 1 dropped.")


def test_other_words_are_counted(chat: Payload) -> None:
    smaller = ctxlab.payload(harbour().rerun({"token-limiter.budget_tokens": 1200}), "openai")

    found = compare_requests(chat, smaller)

    assert 0 < found.other_texts < found.messages
    assert f"{found.other_texts} of {found.messages} messages differs" in found.summary


def test_the_frame_has_a_row_a_difference(chat: Payload, scripted: Payload) -> None:
    found = compare_requests(chat, scripted)

    frame = found.frame()

    assert list(frame["what"]) == [each.what for each in found.differences]
    assert len(repr(found).splitlines()) == 1


def noted(depth: int, vendor: str) -> Payload:
    session = Session(id="s")
    for n in range(6):
        session = session.append(f"turn {n}", role="assistant" if n % 2 else "user")
    note = {
        "id": "note",
        "name": "Short",
        "role": "system",
        "content": "Be short.",
        "injectionStrategy": {"depth": depth},
    }
    return ctxlab.payload(ctxlab.build(session, Agent.model_validate({"id": "a", "presetMessages": [note]})), vendor)


def test_a_note_that_stands_elsewhere_in_the_history_is_moved_from_there_to_there() -> None:
    found = compare_requests(noted(6, "openai"), noted(2, "openai"))

    assert rows(found) == {"Short": ("moved", "messages[0].content, role system", "messages[4].content, role system")}
    assert found.summary == "1 place differs: 1 moved. The text of all 7 messages is the same."


def test_a_message_that_another_takes_into_its_turn_is_moved() -> None:
    found = {row.second: row.kind for row in compare_requests(noted(2, "openai"), noted(2, "anthropic")).differences}

    assert found["messages[4].content[1].text, role user, in the turn of another"] == "moved"


def test_tools_and_models_that_differ_are_changed(chat: Payload) -> None:
    tool = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}
    other = {**tool, "function": {**tool["function"], "name": "see"}}

    found = rows(compare_requests(with_body(chat, tools=[tool]), with_body(chat, tools=[other], model="gpt-x")))

    assert found["tools"] == ("changed", "tools[0].function.name: look", "tools[0].function.name: see")
    assert found["model"] == ("changed", str(chat.body["model"]), "gpt-x")
