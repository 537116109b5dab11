"""The Python half of what is sent: the payload, its deltas, prices of what was cut, and the change that keeps it."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ctxlab
from ctxlab import Session, Trace
from ctxlab.errors import CtxlabError
from ctxlab_widgets import SentView
from tests.gallery.samples import harbour


def payload(view: SentView) -> dict[str, Any]:
    """The values of the page, brought up to date as the page does it."""
    first = json.loads(view.view)
    if not view.delta:
        return first
    delta = json.loads(view.delta)
    tables = {name: [*first[name][:n], *delta[name]] for name, n in delta.pop("since").items()}
    return {**delta, **tables}


def sent(view: SentView) -> list[str]:
    """The text of each message as the page puts it together."""
    held = payload(view)
    texts, spans = held["texts"], held["spans"]
    return [
        "".join(part["seam"] + "".join(texts[spans[i][0]] for i in part["spans"]) for part in message["parts"])
        for message in (held["messages"][n] for n in held["order"])
    ]


def words(trace: Trace) -> list[str]:
    return [str(draft.text) for draft in trace.result.drafts]


def command(view: SentView, **message: Any) -> None:
    view._handle_custom_msg(message, [])


def test_the_page_gets_every_message_with_its_parts_and_what_was_cut() -> None:
    trace = harbour()

    view = SentView(trace)

    held = payload(view)
    assert sent(view) == words(trace)
    assert held["tokens"] == trace.tokens
    assert {held["gone"][n][0] for n, _, _ in held["cut"]} == {d.key for g in trace.result.dropped for d in g.drafts}


def test_another_run_comes_as_a_delta_and_one_of_another_conversation_as_a_whole() -> None:
    view = SentView(harbour())
    first = view.view

    view.trace = harbour().rerun({"token-limiter.budget_tokens": 2000})

    assert view.view == first
    assert 0 < len(view.delta) < len(view.view) / 2
    assert sent(view) == words(view.trace)
    view.trace = ctxlab.build(ctxlab.read_data([{"role": "user", "content": "Another one."}]).pick())
    assert sent(view) == ["Another one."]
    view.trace = None
    assert view.view == view.delta == ""


def test_a_ghost_is_kept_at_its_own_price_and_the_change_is_taken_back() -> None:
    run = harbour()
    view = SentView(run)
    prices = {key: remedy["price"] for key, remedy in json.loads(view.remedies).items()}

    command(view, command="apply_remedy", key="node:u8b")

    tokens = run.why("node:u8b").remedy.price  # pyright: ignore[reportOptionalMemberAccess]
    assert prices["node:u8b"] == {"tokens": tokens, "of": "budget"}
    assert len({price["tokens"] for price in prices.values()}) == len(prices) == 9
    assert view.trace.result.draft("node:u8b") is not None
    assert view.effect["label"] == "Keep it: u8b"
    assert view.can_go_back
    command(view, command="back")
    assert view.trace is run
    assert not view.can_go_back
    assert view.effect == {}


def test_nothing_to_take_back_is_refused() -> None:
    view = SentView(harbour())

    command(view, command="back")

    assert view.error == "nothing was changed here"


def test_a_run_from_outside_forgets_what_was_changed_here() -> None:
    view = SentView(harbour())
    command(view, command="apply_remedy", key="node:a8b")

    view.trace = harbour().rerun({"token-limiter.budget_tokens": 1700})

    assert not view.can_go_back
    assert view.effect == {}


def test_prices_of_other_ghosts_come_when_they_are_asked_for() -> None:
    said = [{"role": ("user", "assistant")[i % 2], "content": f"words number {i}"} for i in range(200)]
    trace = ctxlab.build(ctxlab.read_data(said).pick(), budget_tokens=200)
    view = SentView(trace)
    oldest = view.prompt.cut[0].key
    assert len(json.loads(view.remedies)) == 40
    assert oldest not in json.loads(view.remedies)

    command(view, command="prices", keys=[oldest, "node:nobody"])

    assert oldest in json.loads(view.remedies)
    assert len(json.loads(view.remedies)) == 41


@pytest.mark.parametrize("message", [{"command": "prices", "keys": [1]}, {"command": "prices"}, {"command": "keep"}])
def test_what_is_no_command_is_refused(message: dict[str, Any]) -> None:
    view = SentView(harbour())

    view._handle_custom_msg(message, [])

    assert "is no command of the SentView" in view.error


def test_without_a_run_there_is_no_prompt() -> None:
    view = SentView()

    assert view.view == ""
    with pytest.raises(CtxlabError, match="set its trace"):
        _ = view.prompt


def test_an_empty_conversation_has_no_message() -> None:
    view = SentView(ctxlab.build(Session(id="empty")))

    assert payload(view)["order"] == []


def test_calls_answers_thoughts_and_files_go_as_what_they_are() -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "look_up", "arguments": '{"page": 61}'}}
    said: list[dict[str, Any]] = [
        {"role": "user", "content": [{"type": "text", "text": "See."}, PICTURE]},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "torn out"},
    ]
    view = SentView(ctxlab.build(ctxlab.read_data(said).pick()))

    held = payload(view)
    question, asks, answer = (held["messages"][n] for n in held["order"])

    assert [file["kind"] for file in json.loads(view.files)["files"]] == ["image"]
    assert "image_url" in question["fields"]
    assert len(question["fields"]) < 4000
    assert asks["parts"][0]["calls"][0][0] == "look_up"
    assert '"tool_calls"' in asks["fields"]
    assert answer["parts"][0]["result_of"] == "c1"


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 9000}}
