"""What is sent as values: the tokens add up, every character is in one part, and nothing that went is forgotten."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Trace
from ctxlab.documents import Agent, Session
from ctxlab.pipeline import Services
from ctxlab.pipeline.remedies import remedies
from ctxlab.studies import SentPrompt, sent_prompt
from tests.promises.strategies import budgets, sessions, tokenizers
from tests.promises.test_ledger import assistants, built, ways


def holds(trace: Trace) -> SentPrompt:
    prompt = sent_prompt(trace)
    assert sum(message.tokens for message in prompt.messages) + prompt.request_tokens == prompt.tokens == trace.tokens
    for message, draft in zip(prompt.messages, trace.result.drafts, strict=True):
        parts = message.joined
        assert sum(part.tokens for part in parts) + message.joins + message.overhead == message.tokens
        assert all(sum(each.tokens for each in part.parts) == part.tokens for part in parts)
        assert sum(each.tokens for each in message.parts) + message.overhead == message.tokens
        words = sorted((each.start, each.text) for each in message.parts if each.start is not None)
        assert "".join(text for _, text in words) == str(draft.text)
        assert [at for at, _ in words] == [*accumulate((len(text) for _, text in words[:-1]), initial=0)][: len(words)]
        assert "".join(part.seam + str(part.text) for part in parts) == str(draft.text)
        assert [str(draft.text)[part.start : part.end] for part in parts] == [str(part.text) for part in parts]
        assert [part.key for part in parts] == [part.key for part in draft.parts]
    sent = {part.key for draft in trace.result.drafts for part in draft.parts}
    gone = {draft.key for group in trace.result.dropped for draft in group.drafts} - sent
    assert sorted(each.key for each in prompt.cut) == sorted(gone)
    places = [each.place for each in prompt.cut]
    assert places == sorted(places)
    for place in places:
        rest = place == (len(prompt.messages), 0)
        assert rest or 0 <= place.part < len(prompt.messages[place.message].joined)
    return prompt


@settings(deadline=None)
@given(sessions(), assistants, st.none() | budgets, ways, tokenizers)
def test_the_numbers_add_up_and_the_parts_are_all_of_it(
    session: Session, agent: Agent, budget: int | None, way: dict[str, Any], tokenizer: Any
) -> None:
    trace = built(session, agent, budget_tokens=budget, settings=way, services=Services(tokenizer=tokenizer))

    holds(trace)


@settings(deadline=None)
@given(sessions(max_size=12), budgets, ways)
def test_what_did_not_fit_stood_between_its_neighbours_and_has_its_own_price(
    session: Session, budget: int, way: dict[str, Any]
) -> None:
    trace = built(session, Agent(name="A"), budget_tokens=budget, settings=way)

    prompt = holds(trace)

    path = [f"node:{node.id}" for node in session.path()]
    parts = {part.key: (m, p) for m, each in enumerate(prompt.messages) for p, part in enumerate(each.joined)}
    cut = [each for each in prompt.cut if each.fits_not and each.key in path]
    for each in cut:
        above = [parts[key] for key in path[: path.index(each.key)] if key in parts]
        assert all(place < each.place for place in above)
    for each in cut[:1]:
        assert each.remedy == remedies(trace, [each.key])[each.key]


def test_a_message_that_a_person_took_out_is_said_to_be() -> None:
    debugger = ctxlab.debug(ctxlab.example("harbour"))
    debugger.run()
    debugger.edit(lambda ctx: replace(ctx, drafts=ctx.drafts[:-2] + ctx.drafts[-1:]))
    trace = debugger.trace
    taken = trace.steps[-1].before.drafts[-2]

    (found,) = [each for each in sent_prompt(trace).cut if each.key == taken.key]

    assert found.why == "by hand: taken out in the debugger"
    assert found.remedy is not None
    assert not found.remedy.settings
    assert found.place == (len(trace.result.drafts) - 1, 0)


def test_below_a_system_message_that_goes_to_the_top_nothing_moves_up() -> None:
    session = Session(id="s")
    for role, text in (("user", "one"), ("system", "Be brief."), ("user", "two " * 40), ("user", "three")):
        session = session.append(text, role=role)
    way = {
        "merge-system.enabled": True,
        "merge-system.hoist": "all",
        "merge-consecutive.enabled": False,
        "token-limiter.strategy": "head-and-tail",
    }

    prompt = sent_prompt(ctxlab.build(session, budget_tokens=50, settings=way))

    (cut,) = prompt.cut
    assert [str(message.draft.text) for message in prompt.messages] == ["Be brief.", "one", "three"]
    assert cut.place == (2, 0)
