"""Prompts under test: copy this folder, put your own conversations into it, run `pytest`."""

from functools import cache

import pytest

import ctxlab
from ctxlab.testing import assert_context, before, fires, kept, sound_pairs

SOUND = sound_pairs() & before("preset-frame", "history")
"""What every prompt of this project must be."""
SCENE = "[Keep one sound and one smell of the place in every reply.]"


@cache
def harbour(strategy: str = "sliding", budget_tokens: int = 1800) -> ctxlab.Trace:
    settings = {"token-limiter.strategy": strategy}
    return ctxlab.build(ctxlab.example("harbour"), budget_tokens=budget_tokens, settings=settings)


def test_the_newest_question_and_its_lore_are_sent() -> None:
    assert_context(harbour()).kept("u13").fires("lighthouse").before("lore:harbour_lore", "u13").not_.kept("u5")


def test_every_strategy_gives_a_sound_prompt() -> None:
    runs = {name: harbour(name) for name in ("sliding", "middle-out", "head-and-tail")}

    assert_context(runs, SOUND & kept("u13") & fires("lighthouse"))


def test_the_whole_prompt_stays_small_and_its_last_preset_as_it_is() -> None:
    whole = harbour(budget_tokens=100_000)  # a prompt that a budget has cut says nothing of its size

    assert_context(whole).under(2600).says("preset-scene", SCENE)


def test_the_prompt_as_text(context_snapshot) -> None:
    context_snapshot.check(harbour())


@pytest.mark.ctxlab_cases("cases")
@pytest.mark.usefixtures("ctxlab_no_network")
def test_case(context_case) -> None:
    context_case.check()
