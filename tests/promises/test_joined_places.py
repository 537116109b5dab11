"""Joins inside the injection step: nothing is lost without a cause, whatever lands in one place."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, Session, Worldbook

WORDS = st.sampled_from(["wind", " salt ", "\n", "{{// nothing}}", "Ann: hm", "two\nlines"])
PLACES = st.sampled_from([0, 1, 2, 3, 4, 5, 6])
SWITCHES: dict[str, Any] = {
    "injection-assembler.lore_places": "sillytavern-1.19",
    "injection-assembler.one_message": True,
    "injection-assembler.examples": "fitting",
    "injection-assembler.blank_prompts": True,
    "injection-assembler.cut_with_history": True,
    "request-gate.drop_wordless": True,
    "token-limiter.overhead_tokens": 5,
}


@given(st.lists(st.tuples(WORDS, PLACES), max_size=6), st.lists(WORDS, max_size=4), st.integers(0, 2), st.booleans())
def test_every_preset_and_every_entry_is_sent_or_left_out_with_a_cause(
    lore: list[tuple[str, int]], prompts: list[str], depth: int, is_tight: bool
) -> None:
    entries = {
        str(n): {"uid": n, "content": f"e{n} {words}", "constant": True, "position": place, "depth": depth, "order": n}
        for n, (words, place) in enumerate(lore)
    }
    presets = [
        {"id": f"p{n}", "role": "system", "content": words, "injectionStrategy": {"depth": depth}}
        for n, words in enumerate(prompts)
    ]
    agent = Agent.model_validate({"id": "a", "name": "Bo", "presetMessages": presets, "macroDialect": "sillytavern"})
    book = Worldbook.model_validate({"id": "B", "name": "B", "entries": entries})
    session = Session(id="s").append("", role="system").append("one").append("two", role="assistant").append("three")
    note = ctxlab.authors_note("note", depth=depth)
    settings = {**SWITCHES, **({"token-limiter.budget_tokens": 60} if is_tight else {})}

    trace = ctxlab.build(session, agent, presets=[note], books=[book], settings=settings)

    sent = {part.key for draft in trace.result.drafts for part in draft.parts}
    gone = {part.key for group in trace.result.dropped for draft in group.drafts for part in draft.parts}
    expected = {f"lore:B/{n}" for n in range(len(lore))} | {f"preset:{n}" for n in range(len(prompts))}
    assert expected <= sent | gone
    assert not sent & gone
    for key in sent & expected:
        assert trace.why(key).draft is trace.result.draft(key)
    again = trace.rerun({})
    assert [dict(each) for each in again.messages] == [dict(each) for each in trace.messages]
    assert trace.ledger() is not None
