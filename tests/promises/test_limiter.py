"""Promises of the token limiter, on conversations and budgets that nobody picked."""

from typing import Any

import pytest
import regex
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.api import build
from ctxlab.context import BuildInput, Context, Draft, Origin, Text
from ctxlab.documents import Agent, Session
from ctxlab.engines.tokens import Tokenizer
from ctxlab.pipeline import BudgetTooSmall, Pipeline, Services, Trace
from ctxlab.processors import TokenLimiter
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import (
    CALL_IDS,
    STRATEGIES,
    agents,
    budgets,
    draft_rows,
    origins,
    sessions,
    spoken,
    tokenizers,
    words,
)

ENDLESS = 10**9
Row = tuple[Draft, ...]
Setting = dict[str, Any]
Clusters = regex.compile(r"\X")


def limited(drafts: Row, budget: int, tokenizer: Any = None, **changed: Any) -> Trace:
    """The limiter alone on these drafts, held to the laws of the engine."""
    limiter = TokenLimiter(TokenLimiter.Settings(budget_tokens=budget, **changed))
    services = Services(tokenizer=tokenizer or WordTokenizer())
    return Pipeline.of([limiter]).run(Context(BuildInput(Session(id="s")), drafts), services)


def limited_or_too_small(drafts: Row, budget: int, tokenizer: Any = None, **changed: Any) -> Trace:
    try:
        return limited(drafts, budget, tokenizer, **changed)
    except BudgetTooSmall:
        assume(False)
        raise


ways = st.fixed_dictionaries(
    {"strategy": st.sampled_from(STRATEGIES)},
    optional={
        "head_share": st.sampled_from([0.0, 0.5, 1.0]),
        "block_share": st.sampled_from([0.0, 0.3, 1.0]),
        "recent_share": st.sampled_from([0.0, 0.3, 1.0]),
        "summary_share": st.sampled_from([0.0, 0.3, 1.0]),
        "retained_characters": st.integers(0, 12),
        "retain": st.sampled_from(["border", "each"]),
    },
)


def keys(drafts: Any) -> list[str]:
    return [draft.key for draft in drafts]


class Pairs:
    """Calls and results of a row, paired up from the front: the opposite of how the limiter goes about it."""

    def __init__(self, drafts: Row) -> None:
        open_calls: dict[str, list[int]] = {id: [] for id in CALL_IDS}
        self.units: dict[int, list[int]] = {}
        self.orphans: list[int] = []
        for i, draft in enumerate(drafts):
            if draft.role != "tool":
                self.units[i] = [i]
                for call in draft.calls:
                    open_calls[call.id].append(i)
            elif open_calls[draft.result_of or ""]:
                self.units[open_calls[draft.result_of or ""].pop()].append(i)
            else:
                self.orphans.append(i)
        self.unanswered = [i for stack in open_calls.values() for i in stack]
        self.mute = [
            i
            for i in self.units
            if drafts[i].calls and len(self.units[i]) == 1 and not drafts[i].text and i in self.unanswered
        ]
        for i in self.mute:
            del self.units[i]

    def must_stay(self, drafts: Row) -> set[int]:
        """What is pinned, with the other half of its pair; the newest words of the user, the newest unit."""
        fixed = [unit for unit in self.units.values() if any(drafts[i].pinned for i in unit)]
        protected = {i for unit in fixed for i in unit}
        free = {i: unit for i, unit in self.units.items() if unit not in fixed}
        users = [i for i in free if drafts[i].role == "user"]
        newest = max(free.values(), key=max, default=[])
        return protected | set(newest) | set(users[-1:])


@settings(deadline=None)
@given(draft_rows(), budgets, tokenizers, ways)
def test_what_is_left_fits(drafts: Row, budget: int, tokenizer: Any, way: Setting) -> None:
    trace = limited_or_too_small(drafts, budget, tokenizer, **way)

    assert trace.tokens <= budget


@settings(deadline=None)
@given(draft_rows(), budgets, tokenizers)
def test_it_refuses_only_when_what_must_stay_is_too_much(drafts: Row, budget: int, tokenizer: Any) -> None:
    stay = Pairs(drafts).must_stay(drafts)
    alone = [draft for draft in limited(drafts, ENDLESS, tokenizer).result.drafts if drafts_at(drafts, draft) in stay]
    needed = sum(map(tokenizer.count_draft, alone)) + tokenizer.request_tokens

    if needed > budget:
        with pytest.raises(BudgetTooSmall, match=f"needs {needed:,}"):
            limited(drafts, budget, tokenizer)
    else:
        limited(drafts, budget, tokenizer)


def drafts_at(drafts: Row, draft: Draft) -> int:
    return keys(drafts).index(draft.key)


@settings(deadline=None)
@given(draft_rows(), budgets, ways)
def test_what_must_stay_stays(drafts: Row, budget: int, way: Setting) -> None:
    trace = limited_or_too_small(drafts, budget, **way)

    stay = {drafts[i].key for i in Pairs(drafts).must_stay(drafts)}
    assert stay <= set(keys(trace.result.drafts))


@settings(deadline=None)
@given(draft_rows(), budgets, ways)
def test_every_call_that_is_kept_is_answered_and_every_result_asked_for(drafts: Row, budget: int, way: Setting) -> None:
    trace = limited_or_too_small(drafts, budget, **way)

    kept = Pairs(trace.result.drafts)
    assert (kept.orphans, kept.unanswered) == ([], [])


@settings(deadline=None)
@given(draft_rows(), budgets)
def test_what_is_kept_is_an_unbroken_end_of_the_history(drafts: Row, budget: int) -> None:
    kept = set(keys(limited_or_too_small(drafts, budget).result.drafts))

    pairs = Pairs(drafts)
    stay = pairs.must_stay(drafts)
    free = [unit for i, unit in sorted(pairs.units.items(), reverse=True) if not stay.issuperset(unit)]
    whole = [{drafts[i].key for i in unit} <= kept for unit in free]
    touched = [not kept.isdisjoint(drafts[i].key for i in unit) for unit in free]
    assert whole == touched == sorted(whole, reverse=True)


@settings(deadline=None)
@given(draft_rows(), budgets, ways)
def test_everything_that_is_cut_says_why(drafts: Row, budget: int, way: Setting) -> None:
    trace = limited_or_too_small(drafts, budget, **way)

    pairs = Pairs(drafts)
    cause_of = {draft.key: group for group in trace.result.dropped for draft in group.drafts}
    gone = set(keys(drafts)) - set(keys(trace.result.drafts))
    assert set(cause_of) == gone
    assert sum(len(group.drafts) for group in trace.result.dropped) == len(gone)
    for group in trace.result.dropped:
        if group.cause.rule == way["strategy"]:
            assert group.needed is not None
            assert group.left is not None
            assert group.needed > group.left >= 0
        else:
            assert group.cause.rule in ("orphan-result", "unanswered-call")
    oldest = min((drafts_at(drafts, d) for d in trace.result.drafts if not d.pinned), default=0)
    for i in pairs.orphans:
        if i > oldest or drafts[i].pinned:
            assert cause_of[drafts[i].key].cause.rule == "orphan-result"


@settings(deadline=None)
@given(draft_rows(), budgets, st.integers(0, 40), st.integers(0, 12))
def test_a_larger_budget_never_keeps_less(drafts: Row, budget: int, more: int, retained: int) -> None:
    small = limited_or_too_small(drafts, budget, retained_characters=retained).result
    large = limited(drafts, budget + more, retained_characters=retained).result

    assert set(keys(small.drafts)) <= set(keys(large.drafts))
    for draft in small.drafts:
        other = large.draft(draft.key)
        assert other is not None
        assert len(draft.text) <= len(other.text)


@settings(deadline=None)
@given(
    draft_rows(min_size=2),
    budgets,
    st.integers(1, 12),
    st.sampled_from(["border", "each"]),
    st.sampled_from(["", "…", "\n[…]"]),
)
def test_a_shortened_message_is_a_shorter_head_of_whole_characters(
    drafts: Row, budget: int, retained: int, retain: str, marker: str
) -> None:
    changed = {"retained_characters": retained, "retain": retain, "marker": marker}
    trace = limited_or_too_small(drafts, budget, Tokenizer.counting("chars", len), **changed)

    for draft in trace.result.drafts:
        now, was = str(draft.text), str(drafts[drafts_at(drafts, draft)].text)
        if now == was:
            continue
        head = now.removesuffix(marker)
        ends = {0, *(match.end() for match in Clusters.finditer(was))}
        assert was.startswith(head)
        assert len(now) < len(was)
        assert len(head) in ends
        assert len(head) <= retained


@settings(deadline=None)
@given(spoken.map(lambda said: said + " 👩‍👩‍👧 🇩🇪 e\u0301 \r\n" * 2), st.integers(1, 40))
def test_a_head_is_the_longest_that_cuts_no_character(said: str, retained: int) -> None:
    drafts = (message("old", said), message("new", "hi"))

    short = limited(drafts, len(said) + 1, Tokenizer.counting("chars", len), retained_characters=retained, marker="")

    ends = [0, *(match.end() for match in Clusters.finditer(said))]
    head = max(end for end in ends if end <= retained)
    if head < len(said):
        assert str(short.result.drafts[0].text) == said[:head]


def message(id: str, said: str, role: Any = "user") -> Draft:
    origin = Origin("node", id)
    return Draft(f"node:{id}", role, (Text.of(said, origin),), origin)


@settings(deadline=None)
@given(draft_rows(), budgets, st.integers(0, 12), st.integers(0, 5))
def test_a_budget_is_the_prompts_whatever_is_kept_for_the_reply(
    drafts: Row, budget: int, reserve: int, retained: int
) -> None:
    plain = limited_or_too_small(drafts, budget, retained_characters=retained)

    reserved = limited(drafts, budget, reserve_tokens=reserve, retained_characters=retained)

    for part in ("drafts", "dropped"):
        assert reserved.result.as_data()[part] == plain.result.as_data()[part]


@settings(deadline=None)
@given(draft_rows(), budgets, st.integers(0, 6))
def test_an_overhead_counts_for_every_message(drafts: Row, budget: int, overhead: int) -> None:
    trace = limited_or_too_small(drafts, budget, overhead_tokens=overhead)

    with_overhead = WordTokenizer(message_tokens=overhead)
    assert sum(map(with_overhead.count_draft, trace.result.drafts)) <= budget
    alike = limited(drafts, budget, with_overhead)
    assert alike.result.as_data()["drafts"] == trace.result.as_data()["drafts"]


@settings(deadline=None)
@given(draft_rows(), budgets)
def test_limiting_twice_cuts_nothing_more(drafts: Row, budget: int) -> None:
    once = limited_or_too_small(drafts, budget).result

    twice = limited(once.drafts, budget).result

    assert twice.drafts is once.drafts


formatters = st.fixed_dictionaries(
    {},
    optional={
        "merge-system.enabled": st.booleans(),
        "merge-system.hoist": st.sampled_from(["leading", "all"]),
        "merge-system.separator": st.sampled_from(["\n", " and then ", "\n\n---\n\n"]),
        "merge-consecutive.enabled": st.booleans(),
        "merge-consecutive.separator": st.sampled_from(["\n", " and then ", "\n\n---\n\n"]),
        "convert-system.enabled": st.booleans(),
        "ensure-alternating.enabled": st.booleans(),
        "ensure-alternating.assistant_placeholder": st.just("I see what you mean"),
        "session-loader.tool_role": st.sampled_from(["tool", "user"]),
        "token-limiter.retained_characters": st.integers(0, 6),
    },
)


@settings(deadline=None)
@given(sessions(), agents(), budgets, formatters, tokenizers)
def test_what_the_whole_pipeline_sends_fits(
    session: Session, agent: Agent, budget: int, formatting: Setting, tokenizer: Any
) -> None:
    try:
        trace = build(session, agent, budget_tokens=budget, settings=formatting, services=Services(tokenizer=tokenizer))
    except BudgetTooSmall:
        assume(False)
        raise

    assert trace.tokens <= budget
    assert trace.tokens == sum(m["tokens"] for m in trace.messages) + tokenizer.request_tokens


@settings(deadline=None)
@given(sessions(), agents(), budgets, formatters)
def test_presets_summaries_and_the_users_newest_words_reach_the_model(
    session: Session, agent: Agent, budget: int, formatting: Setting
) -> None:
    services = Services(tokenizer=WordTokenizer())
    try:
        trace = build(session, agent, budget_tokens=budget, settings=formatting, services=services)
    except BudgetTooSmall:
        assume(False)
        raise

    before = trace.step("token-limiter").before
    sent = {part.key for draft in trace.result.drafts for part in draft.parts}
    empty = {
        part.key
        for group in trace.result.dropped
        if group.cause.rule == "empty-reply"
        for draft in group.drafts
        for part in draft.parts
    }
    goes_with_history = agent.macro_dialect is not None  # SillyTavern cuts what stands in the history with it
    stay = {
        draft.key
        for draft in before.drafts
        if draft.origin.kind in ("preset", "summary")
        and not (goes_with_history and draft.placement is not None and draft.placement.is_in_history)
    }
    assert stay <= sent | empty
    said = [
        d
        for d in before.drafts
        if d.role == "user" and d.origin.kind == "node" and session[d.origin.ref].role == "user"
    ]
    assert set(keys(said[-1:])) <= sent


@settings(deadline=None)
@given(st.lists(st.tuples(origins, words), max_size=6), st.integers(1, 30))
def test_a_cut_text_remembers_what_stood_there(pieces: list[tuple[Origin, str]], retained: int) -> None:
    text = Text()
    for origin, piece in pieces:
        text += Text.of(piece, origin)
    old = Draft("node:old", "user", (text,), Origin("node", "old"))

    budget = max(2, len(text) + 1)  # two characters of the newest message, one too few of the other
    short = limited(
        (old, message("new", "hi")), budget, Tokenizer.counting("chars", len), retained_characters=retained, marker=""
    )

    for draft in short.result.drafts:
        if draft.key == "node:old":
            assert draft.text.origins() >= text.origins()
