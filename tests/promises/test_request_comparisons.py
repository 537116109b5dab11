"""Laws of two requests side by side: what differs has a row, and what doesn't differ has none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.documents import Agent, Session
from ctxlab.providers import Payload, built_in, payload
from ctxlab.secrets import without_secret_fields
from ctxlab.studies import compare_requests
from ctxlab.studies.request_json import same_json
from tests.promises.strategies import agents, rich_sessions
from tests.promises.test_requests import built

VENDORS: tuple[Any, ...] = tuple(built_in())
VALUES = st.none() | st.booleans() | st.integers(0, 2) | st.just(1.0) | st.text(max_size=3) | st.just({"a": [1]})


@settings(deadline=None, max_examples=60)
@given(rich_sessions(), agents(), agents(), st.sampled_from(VENDORS), st.sampled_from(VENDORS), st.booleans())
def test_no_place_differs_only_where_the_bodies_are_the_same_json(
    session: Session, one: Agent, other: Agent, vendor: Any, second: Any, shuffled: bool
) -> None:
    other = one.with_(preset_messages=one.preset_messages[::-1]) if shuffled else other
    a, b = payload(built(session, one, vendor), vendor), payload(built(session, other, vendor), second)

    found, back = compare_requests(a, b), compare_requests(b, a)

    if not found.differences or not back.differences:
        assert same_json(a.body, b.body)
    assert compare_requests(a, a).differences == compare_requests(b, b).differences == ()
    assert ("no place differs" in found.summary) == found.frame().empty == (not found.differences)


@settings(deadline=None, max_examples=60)
@given(st.data(), st.sampled_from(VENDORS))
def test_any_value_of_a_body_that_is_another_has_a_row(data: st.DataObject, vendor: Any) -> None:
    request = _request(vendor)
    path = data.draw(st.sampled_from(_paths(request.body)))
    changed = replace(request, body=_with(request.body, path, data.draw(VALUES)))

    rows = compare_requests(request, changed).differences

    assert bool(rows) == (not same_json(request.body, changed.body))


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_comparison_shows_no_key(vendor: Any) -> None:
    secret = "sk-live-0123456789"
    one, other = (_request(vendor, custom={"api_key": key, "in": {"token": key}}) for key in (secret, secret[:-1]))

    found = compare_requests(one, other)

    assert without_secret_fields(one.body) != one.body and found.differences
    assert secret[:-1] not in repr(found) + found._repr_html_() + str(found.as_data()) + found.frame().to_string()


def _tokens_in_body(request: Payload) -> int:
    """The tokens of a request without messages for which the vendor's form has no place."""
    there = {place.key for place in request.places}
    left_out = [draft for draft in request.trace.result.drafts if draft.key not in there]
    return request.tokens - sum(map(request.trace.services.tokenizer.count_draft, left_out))


def _request(vendor: Any, **parameters: Any) -> Payload:
    agent = Agent.model_validate(
        {
            "id": "a",
            "presetMessages": [{"role": "system", "content": "be kind"}],
            "tools": [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}],
        }
    )
    session = Session(id="s").append("hi", role="user").append("yes", role="assistant").append("go", role="user")
    return payload(ctxlab.build(session, agent), vendor, parameters=parameters)


def _paths(value: Any, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list | tuple) else ()
    return [path for key, each in inside for path in [(*at, key), *_paths(each, (*at, key))]]


def _with(value: Any, path: tuple[str | int, ...], new: Any) -> Any:
    if not path:
        return new
    inner = _with(value[path[0]], path[1:], new)
    if isinstance(value, dict):
        return {**value, path[0]: inner}
    return [*value[: path[0]], inner, *value[path[0] + 1 :]]  # type: ignore[operator]


@settings(deadline=None, max_examples=40)
@given(rich_sessions(), agents(), agents(), st.sampled_from(VENDORS), st.sampled_from(VENDORS))
def test_the_changes_of_all_rows_make_up_the_difference_of_the_totals(
    session: Session, one: Agent, other: Agent, vendor: Any, second: Any
) -> None:
    a, b = (payload(built(session, agent, vendor), made_for) for agent, made_for in ((one, vendor), (other, second)))

    found = compare_requests(a, b)

    assert sum(row.change for row in found.differences) == _tokens_in_body(b) - _tokens_in_body(a)
    assert all(row.change == 0 for row in found.same)
    assert all(row.change == row.tokens for row in found.differences if row.kind == "added")
    assert all(row.change == -row.tokens for row in found.differences if row.kind == "dropped")


@pytest.mark.parametrize("vendor", VENDORS)
def test_an_added_message_has_its_tokens_and_so_has_a_dropped_one(vendor: Any) -> None:
    session = Session(id="s").append("hi", role="user").append("yes", role="assistant").append("go", role="user")
    note = ctxlab.preset("Keep it short, please.", depth=1)
    without, noted = (payload(ctxlab.build(session, presets=found), vendor) for found in ([], [note]))
    its_own = next(each["tokens"] for each in noted.trace.messages if each["content"] == "Keep it short, please.")

    added, dropped = (
        next(row for row in compare_requests(*pair).differences if row.kind in ("added", "dropped"))
        for pair in ((without, noted), (noted, without))
    )

    assert (added.tokens, added.change) == (its_own, its_own) == (dropped.tokens, -dropped.change)
    assert its_own > 0
