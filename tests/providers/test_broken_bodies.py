"""Bodies that were broken by hand: our rules and the strict server both say so, at the place."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from ctxlab.providers import provider_named
from ctxlab.providers.models import model_info
from ctxlab.providers.openai_chat.rules import RULES as OF_CHAT
from ctxlab.providers.openai_responses.rules import RULES as OF_RESPONSES
from ctxlab.providers.problem import Problem
from ctxlab.testing.fake_server.refusals import refusals_of
from tests.providers.broken_bodies import BROKEN, PATHS, VALID, Body, Broken, cut

RULES = {row.rule for row in (*OF_CHAT, *OF_RESPONSES)}


def problems(body: Body, vendor: str) -> tuple[Problem, ...]:
    provider = provider_named(vendor)
    return tuple(provider.check(body, model_info(body.get("model"), provider), provider))


def refused_at(body: Body, vendor: str) -> list[tuple[Any, ...]]:
    return [refusal.path for refusal in refusals_of(body, vendor, path=PATHS.get(vendor, ""))]  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("vendor", VALID)
def test_the_bodies_are_valid_before_they_are_broken(vendor: str) -> None:
    assert problems(VALID[vendor], vendor) == ()
    assert refused_at(VALID[vendor], vendor) == []


@pytest.mark.parametrize("broken", BROKEN, ids=repr)
def test_a_broken_body_is_told_at_its_place(broken: Broken) -> None:
    found = problems(broken.body, broken.vendor)

    assert broken.path in [problem.path for problem in found]
    assert {problem.rule for problem in found} <= RULES
    assert all(problem.level == "error" for problem in found if problem.path == broken.path)


@pytest.mark.parametrize("broken", [each for each in BROKEN if not each.server_takes], ids=repr)
def test_the_strict_server_refuses_it_there_too(broken: Broken) -> None:
    place = broken.server or broken.path

    assert any(_near(path, place) for path in refused_at(broken.body, broken.vendor))


def _near(path: tuple[Any, ...], place: tuple[Any, ...]) -> bool:
    """Whether one place is the other, or right inside it."""
    shorter, longer = sorted((path, place), key=len)
    return longer[: len(shorter)] == shorter and len(longer) - len(shorter) <= 1


LEAVING_OUT = [
    broken
    for broken in BROKEN
    for problem in problems(broken.body, broken.vendor)
    if problem.path == broken.path and ("leave it out" in problem.mend or "take the field out" in problem.mend)
]


@pytest.mark.parametrize("broken", LEAVING_OUT, ids=repr)
def test_what_is_said_to_be_left_out_is_no_problem_once_it_is(broken: Broken) -> None:
    body = deepcopy(broken.body)
    cut(*broken.path)(body)

    assert broken.path not in [problem.path for problem in problems(body, broken.vendor)]
