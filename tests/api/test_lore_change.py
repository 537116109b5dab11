"""The effect of a nearest change is what a build with the change says."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab import LoreEntry, Session, Trace, Worldbook
from ctxlab.engines.worldbook.explain import scan_of
from ctxlab.processors.lore_trial import effect_of

KEYS = {"wood": ("forest",), "beast": ("wolf",), "glade": ("refuge",), "alone": ("tower",)}
TEXTS = {"wood": "The wood has a beast.", "beast": "It hunts.", "glade": "A glade in the forest, safe from any wolf."}


def asked(**options: Any) -> Trace:
    """A word of the glade is two messages up; its entry calls up two others."""
    session = Session(id="s").append("", role="system")
    for text in ("Is there a refuge?" + " please" * 60, "Yes.", "Good."):
        session = session.append(text)
    entries = {
        name: LoreEntry(uid=name, comment=name, key=keys, content=TEXTS.get(name, "Bricks."))
        for name, keys in KEYS.items()
    }
    return ctxlab.build(session, books=[Worldbook(id="b", entries=entries)], **options)


def applied(trace: Trace, name: str) -> Trace:
    """The same build with the change of an entry in the book."""
    (book,) = trace.start.input.books
    change = scan_of(trace.result)[f"lore:b/{name}"].nearest.entry
    return ctxlab.build(trace.start.input.session, books=[book.with_entry(name, **change)])


def fired(trace: Trace) -> set[str]:
    return {one.title for one in scan_of(trace.result).fired}


@pytest.mark.parametrize("turned", [False, True])
def test_the_price_and_what_else_fires_are_those_of_a_build_with_the_change(turned: bool) -> None:
    trace = asked(settings={"worldbook-processor.scan_depth": 3} if turned else {})
    decision = scan_of(trace.result)["lore:b/glade"]

    effect = effect_of(trace, scan_of(trace.result), decision)
    after = applied(trace, "glade")

    assert decision.fired is turned
    assert (effect.tokens, effect.in_prompt) == (after.tokens - trace.tokens, True)
    others = {one.title for one in (effect.went if turned else effect.came)}
    assert others == (fired(trace) ^ fired(after)) - {"glade"} == {"wood", "beast"}
    assert str(effect).startswith(
        f"{abs(effect.tokens)} tokens {'fewer' if turned else 'more'} in the prompt: its own "
    )


def test_in_a_run_that_ends_early_and_with_a_message_it_is_the_lore_that_grows() -> None:
    trace = asked()
    scan = scan_of(trace.result)

    early = effect_of(trace.upto("worldbook-processor"), scan, scan["lore:b/glade"])
    spoken = effect_of(trace, scan, scan["lore:b/alone"])

    assert not early.in_prompt
    assert early.tokens == scan.with_change("lore:b/glade").spent_tokens - scan.spent_tokens
    assert scan["lore:b/alone"].nearest.message
    assert (spoken.in_prompt, spoken.tokens) == (False, scan.scan_input.count("Bricks."))
    assert str(spoken) == f"{spoken.tokens} tokens of lore more: its own {spoken.tokens}"


def test_what_the_limiter_takes_for_it_is_told() -> None:
    free = asked()
    tight = asked(budget_tokens=free.tokens + 10)

    effect = effect_of(tight, scan_of(tight.result), scan_of(tight.result)["lore:b/glade"])

    assert effect.more_dropped > 0
    assert "dropped" in str(effect)
