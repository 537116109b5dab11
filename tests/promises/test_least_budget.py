"""What is said of a cut message is true: its own reason, and the budget that would keep it."""

import re
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from ctxlab.api import build
from ctxlab.context import BuildInput, Context, Draft, Origin, Text
from ctxlab.documents import Agent, ModelProfile, Session, ToolCall
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import BudgetTooSmall, Pipeline, Services, Trace
from ctxlab.processors import TokenLimiter
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.cut_reasons import CutChecker
from tests.promises.rank_reasons import RANKING
from tests.promises.strategies import CALL_IDS, STRATEGIES, agents, draft_rows, sessions
from tests.promises.test_limiter import Pairs

Row = tuple[Draft, ...]
Setting = dict[str, Any]
BUDGET = "token-limiter.budget_tokens"
AMPLE = 10**9

ways = st.fixed_dictionaries(
    {"strategy": st.sampled_from(STRATEGIES)},
    optional={
        "head_share": st.sampled_from([0.0, 0.3, 0.5, 1.0]),
        "block_share": st.sampled_from([0.0, 0.3, 0.9, 1.0]),
        "recent_share": st.sampled_from([0.0, 0.3, 0.5, 1.0]),
        "summary_share": st.sampled_from([0.0, 0.3, 1.0]),
        "pins_share": st.sampled_from([0.0, 0.15, 0.5, 1.0]),
        "retained_characters": st.integers(0, 12) | st.just(200),
        "retain": st.sampled_from(["border", "each"]),
        "marker": st.sampled_from(["", "…", "\n[…]"]),
        "overhead_tokens": st.integers(0, 3),
        "reserve_tokens": st.integers(0, 3),
    },
)
counters = st.sampled_from([WordTokenizer(), WordTokenizer(message_tokens=3, request_tokens=3)])


@st.composite
def talk(draw: st.DrawFn) -> Row:
    """Calls that are mostly answered, later or at once, and messages of very different lengths."""
    drafts: list[Draft] = []
    owed: list[str] = []
    for n in range(draw(st.integers(4, 14))):
        origin = Origin("node", f"n{n}")
        role = draw(st.sampled_from(["user", "assistant", "assistant", "tool" if owed else "user"]))
        calls = draw(st.sampled_from([(), (), CALL_IDS[:1], CALL_IDS[1:]])) if role == "assistant" else ()
        result_of = owed.pop(draw(st.integers(0, len(owed) - 1))) if role == "tool" else None
        owed += calls
        words = draw(
            st.sampled_from(
                ["word", "word", "长 words ", "长 words ", "a key ", "城堡 ", "the ", "Never lie. ", "我更喜欢用茶。"]
            )
        ) * draw(st.sampled_from([1, 1, 2, 5, 9]))
        drafts.append(
            Draft(
                f"node:n{n}",
                role,  # pyright: ignore[reportArgumentType]
                (Text.of(words, origin),),
                origin,
                calls=tuple(ToolCall(id, "look") for id in calls),
                result_of=result_of,
                pinned=draw(st.integers(0, 9)) == 0,
            )
        )
    return tuple(drafts)


@st.composite
def rows(draw: st.DrawFn) -> Row:
    """Messages of some importance."""
    drafts = draw(talk() | talk() | draft_rows(min_size=2, max_size=12))
    priorities = draw(st.lists(st.sampled_from([0, 0, 0, 1, 5]), min_size=len(drafts), max_size=len(drafts)))
    return tuple(replace(draft, priority=p) for draft, p in zip(drafts, priorities, strict=True))


@dataclass(frozen=True)
class Case:
    """A run that is short of room, more often than not."""

    drafts: Row
    counter: Any
    way: Setting
    budget: int

    def limited(self, budget: int | None = None) -> Trace:
        return limited(self.drafts, self.counter, self.way, budget or self.budget)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """With a budget between what must stay and all that there is."""
    drafts, counter, way = draw(rows()), draw(counters), draw(ways)
    report = limited(drafts, counter, way, AMPLE).result.report(BudgetReport)
    least = report.protected_tokens
    return Case(drafts, counter, way, max(1, draw(st.integers(least, least + report.history_tokens))))


def limited(drafts: Row, counter: Any, way: Setting, budget: int) -> Trace:
    limiter = TokenLimiter(TokenLimiter.Settings(budget_tokens=budget, **way))
    ctx = Context(BuildInput(Session(id="s")), drafts)
    try:
        return Pipeline.of([limiter]).run(ctx, Services(tokenizer=counter))
    except BudgetTooSmall:
        assume(False)
        raise


def limited_keys(trace: Trace) -> list[str]:
    """What the limiter dropped."""
    step = trace.step("token-limiter")
    return [draft.key for group in step.after.dropped[len(step.before.dropped) :] for draft in group.drafts]


def assert_sentence_holds(sentence: str, budget: int, keep: list[int], tried: list[int]) -> None:
    """Every number of `8 more tokens would keep it: a budget of 25 to 34, and for good from 40; 2 gaps between`."""
    numbers = re.match(
        r"(?P<more>[\d,]+) more tokens? would keep [^:]*: a budget of (?P<least>[\d,]+)"
        r"(?:(?P<on> or more)|(?: to (?P<most>[\d,]+))?, and for good from (?P<good>[\d,]+)"
        r"(?:; (?P<gaps>[\d,]+) gaps between)?)",
        sentence,
    )
    assert numbers is not None, sentence
    more, least, most, good, gaps = (
        int((numbers[name] or "0").replace(",", "")) for name in ("more", "least", "most", "good", "gaps")
    )
    kept = set(keep)
    assert budget + more == least == keep[0], sentence
    if numbers["on"]:
        assert kept >= {each for each in tried if each >= least}, sentence
        return
    assert kept >= {*range(least, (most or least) + 1)}, sentence
    assert (most or least) + 1 not in kept, sentence
    assert kept >= {each for each in tried if each >= good}, sentence
    assert good - 1 not in kept, sentence
    assert (gaps or 1) == sum(each in kept and each + 1 not in kept for each in range(least, good)), sentence


@settings(deadline=None, max_examples=200)
@given(cases())
def test_a6_the_least_budget_is_the_least(case: Case) -> None:
    trace = case.limited()
    most = case.budget + sum(map(case.counter.count_draft, case.drafts)) + 3 * len(case.drafts)
    gone = limited_keys(trace)
    kept_by: dict[int, dict[str, Draft]] = {}
    for other in range(case.budget + 1, most + 1) if gone else ():
        kept_by[other] = {draft.key: draft for draft in case.limited(other).result.drafts}

    for key in gone:
        life = trace.why(key)
        least = life.least_budget
        keep = [other for other, kept in kept_by.items() if key in kept]
        if least is None:
            event("no budget keeps it")
            assert keep == []
            assert str(life.remedy).startswith("no budget would keep it: ")
            continue
        event(f"{case.way['strategy']}: {'lost again' if least.lost_again_at else 'kept from there on'}")
        words = next(str(draft.text) for draft in case.drafts if draft.key == key)
        lost = [other for other in kept_by if other > keep[0] and key not in kept_by[other]]
        assert least.tokens == keep[0]
        assert least.extra_tokens == keep[0] - case.budget
        assert least.whole_tokens == next(other for other in keep if str(kept_by[other][key].text) == words)
        assert least.extra_whole_tokens == least.whole_tokens - case.budget
        assert least.lost_again_at == (lost[0] if lost else None)
        assert least.keeps_from_there_on == (not lost)
        assert least.kept_again_at == (next(other for other in keep if other > lost[0]) if lost else None)
        assert least.for_good == 1 + max([case.budget, *(other for other in kept_by if other not in keep)])
        assert least.gaps == sum(other + 1 in lost for other in keep)
        assert_sentence_holds(str(least), case.budget, keep, sorted(kept_by))
        assert set(least.with_keys) <= set(gone)
        assert all(set(least.with_keys) <= kept.keys() for kept in kept_by.values() if key in kept)


@settings(deadline=None, max_examples=300)
@given(cases())
def test_b2_every_reason_is_true_of_the_message_that_carries_it(case: Case) -> None:
    trace = case.limited()
    pairs = Pairs(case.drafts)
    limiter = trace.pipeline.stage("token-limiter").processor.settings
    units = [unit for unit in pairs.units.values() if not any(case.drafts[i].pinned for i in unit)]
    checker = CutChecker(trace, limiter, units, pairs.must_stay(case.drafts))

    for group in trace.result.dropped:
        event(f"{group.cause.rule}, {len(group.drafts) > 1}")
        for draft in group.drafts:
            assert checker.holds(draft.key, group.cause.reason), (draft.key, group.cause.reason)
    if case.way["strategy"] in RANKING:
        gone = {key for key in limited_keys(trace) if checker.at[key] in checker.unit}
        for row in trace.cuts().itertuples():
            detail = str(row.reason).rpartition("; it ")[2]
            assert row.key not in gone or checker.ranks.detail_holds(str(row.key), f"it {detail}"), row.reason


placings = st.fixed_dictionaries(
    {"token-limiter.strategy": st.sampled_from(STRATEGIES)},
    optional={
        "token-limiter.retained_characters": st.sampled_from([0, 10, 20]),
        "token-limiter.retain": st.sampled_from(["border", "each"]),
        "token-limiter.reserve_tokens": st.integers(0, 5),
        "merge-consecutive.enabled": st.booleans(),
        "ensure-alternating.enabled": st.booleans(),
        "token-limiter.priority": st.sampled_from([400, 650]),
    },
)


@settings(deadline=None)
@given(sessions(), agents(), st.integers(0, 99), placings, st.booleans())
def test_a6_the_least_budget_holds_in_a_rerun_of_the_whole_pipeline(
    session: Session, agent: Agent, percent: int, placing: Setting, by_model: bool
) -> None:
    """Presets, summaries, later steps, merged messages, and a budget that is a model's window less its reply."""
    options: Setting = {"settings": placing, "services": Services(tokenizer=WordTokenizer())}
    report = build(session, agent, budget_tokens=AMPLE, **options).result.report(BudgetReport)
    budget = report.protected_tokens + report.history_tokens * percent // 100
    if not (report.history_tokens and budget):
        return
    reserve = placing.get("token-limiter.reserve_tokens", 7)
    window = ModelProfile(id="m", context_window=budget + reserve, max_output_tokens=7)
    trace = build(session, agent, **options, **({"model": window} if by_model else {"budget_tokens": budget}))

    for key in limited_keys(trace)[:6]:
        least = trace.why(key).least_budget
        if least is None:
            continue
        event("by model" if by_model else "by budget")
        assert least.tokens - least.extra_tokens == trace.result.report(BudgetReport).budget_tokens == budget
        assert key not in limited_keys(trace.rerun({BUDGET: least.tokens}))
        assert key in limited_keys(trace.rerun({BUDGET: least.tokens - 1}))
        if least.lost_again_at is not None:
            assert key in limited_keys(trace.rerun({BUDGET: least.lost_again_at}))
