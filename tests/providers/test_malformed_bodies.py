"""Bodies with a value of another kind somewhere: a check tells what is wrong and never breaks off."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

import ctxlab
from ctxlab.providers import JsonPath, built_in, provider_named
from ctxlab.providers.models import model_info
from tests.providers.broken_bodies import VALID, Body
from tests.providers.broken_bodies_anthropic_gemini import good_body

BODIES: dict[str, Body] = {
    **VALID,
    "openai-compatible": VALID["openai"],
    "anthropic": good_body("anthropic"),
    "gemini": good_body("gemini"),
}
WRONG: tuple[Any, ...] = (None, True, 1.5, 2**70, "", "x", [], {}, ["x"], [None], {"type": ["x"]}, [{"type": {"a": 1}}])


def _paths(value: Any, at: JsonPath = ()) -> Iterator[JsonPath]:
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, inner in steps:
        yield (*at, step)
        yield from _paths(inner, (*at, step))


def _with(body: Body, path: JsonPath, value: Any) -> Body:
    changed: Any = deepcopy(body)
    holder = changed
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return changed


@pytest.mark.parametrize("vendor", BODIES)
def test_a_check_says_what_is_wrong_and_never_breaks_off(vendor: str) -> None:
    provider, body = provider_named(vendor), BODIES[vendor]
    facts = model_info(body.get("model") or provider.default_model, provider)

    for path in _paths(body):
        for value in WRONG:
            for problem in provider.check(_with(body, path, value), facts, provider):
                assert problem.reason, (path, value)


@pytest.mark.parametrize("vendor", built_in())
def test_a_request_is_made_whatever_a_caller_puts_in_the_place_of_its_fields(vendor: str) -> None:
    trace = ctxlab.build(ctxlab.Session(id="s").append("Be brief.", role="system").append("hi", role="user"))
    before = ctxlab.payload(trace, vendor)

    for name in before.body.keys() | {"tools", "system", "systemInstruction", "metadata"}:
        for value in (*WRONG, [1, 2], [{"role": ["user"]}], {"parts": 5}):
            own = {"custom": {name: value}}
            found = ctxlab.payload(trace, vendor, parameters=own, after=ctxlab.payload(trace, vendor, parameters=own))

            assert found.body[name] == value
            assert all(problem.reason for problem in found.problems)
