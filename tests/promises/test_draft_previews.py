"""What is said of a draft before it is sent is what the builds with it and without it say."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import Agent, Session, Trace
from ctxlab.engines.worldbook import LoreScan
from ctxlab.errors import CtxlabError
from ctxlab.studies.draft_preview import Preview
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import STRATEGIES, agents, sessions, spoken

BOOK = {
    "entries": [
        {"uid": 1, "key": ["ship"], "content": "The ship is red.", "comment": "Ship"},
        {"uid": 2, "key": ["好", "灯塔"], "content": "灯塔在北边。", "comment": "灯塔", "position": 4, "depth": 1},
        {"uid": 3, "key": ["red"], "content": "Red is rare.", "comment": "Red"},
    ]
}
typed = st.lists(spoken | st.sampled_from(["ship", "灯塔 𝄞", "{{user}}", "{{usr}}", " ", "red"]), max_size=4).map(
    " ".join
)


def previewed(
    session: Session, agent: Agent | None, text: str, budget: int, strategy: str
) -> tuple[Preview, Trace, Trace]:
    options = {
        "budget_tokens": budget,
        "books": [ctxlab.read_data(BOOK).books[0]],
        "tokenizer": WordTokenizer(message_tokens=2),
        "settings": {"token-limiter.strategy": strategy},
    }
    try:
        without = ctxlab.build(session, agent, **options)
        trace = ctxlab.build(session, agent, pending=text, **options) if text.strip() else without
    except CtxlabError:
        assume(False)
        raise
    return ctxlab.preview(session, text, agent, **options), trace, without


def dropped(trace: Trace) -> set[str]:
    return {draft.key for group in trace.result.dropped for draft in group.drafts}


def fired(trace: Trace) -> set[str]:
    scan = trace.result.report(LoreScan)
    return {one.key for one in scan.fired} if scan is not None else set()


@settings(max_examples=60)
@given(sessions(), st.none() | agents(), typed, st.integers(10, 120), st.sampled_from(STRATEGIES))
def test_a_preview_says_what_the_builds_with_and_without_the_draft_say(
    session: Session, agent: Agent | None, text: str, budget: int, strategy: str
) -> None:
    preview, trace, without = previewed(session, agent, text, budget, strategy)

    assert {each.key for each in preview.cut} == dropped(trace) - dropped(without)
    assert {each.key for each in preview.fires} == fired(trace) - fired(without)
    assert preview.tokens == trace.tokens
    assert sum(each.tokens for each in preview.sources) == trace.tokens
    assert preview.trace.messages == trace.messages
    assert preview.without.messages == without.messages


@settings(max_examples=60)
@given(sessions(), typed, st.integers(10, 120))
def test_each_remedy_of_a_preview_keeps_its_message_and_marked_words_are_keys(
    session: Session, text: str, budget: int
) -> None:
    preview, _, _ = previewed(session, None, text, budget, "sliding")

    for key, remedy in preview.remedies.items():
        if remedy.settings:
            assert key not in dropped(preview.trace.rerun(remedy.settings))
    for entry in preview.fires:
        if entry.start is not None:
            assert text[entry.start : entry.end].casefold() == entry.matched.casefold()
    for macro in preview.macros:
        assert text[macro.start : macro.end].startswith("{{")
        assert macro.known == (macro.name == "user")
        assert bool(macro.problem) == (not macro.known)
