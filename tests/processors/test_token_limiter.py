from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ctxlab.api import build, load
from ctxlab.context import BuildInput, Cause, Context, Draft, Origin, Text
from ctxlab.documents import Agent, ModelProfile, Session, ToolCall
from ctxlab.engines.truncation import BudgetReport, head_length
from ctxlab.pipeline import BudgetTooSmall, OverBudget, Pipeline, Processor, Services, Trace, processor, remedies
from ctxlab.processors import TokenLimiter, default_pipeline
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import STRATEGIES


def said(id: str, words: int, role: Any = "user", **fields: Any) -> Draft:
    """A message of as many words, the first of which is its id."""
    origin = Origin("node", id)
    text = " ".join([id] + ["and"] * (words - 1)) if words else ""
    return replace(Draft(f"node:{id}", role, (Text.of(text, origin),), origin), **fields)


def asks(id: str, *calls: str, words: int = 1) -> Draft:
    return said(id, words, "assistant", calls=tuple(ToolCall(call, "look") for call in calls))


def answers(id: str, call: str, words: int = 1) -> Draft:
    return said(id, words, "tool", result_of=call)


def limited(drafts: list[Draft], budget: int | None, *, tokenizer: Any = None, **more: Any) -> Trace:
    build_input = {name: more.pop(name) for name in ("agent", "model") if name in more}
    limiter = TokenLimiter(TokenLimiter.Settings(budget_tokens=budget, **more))
    services = Services(tokenizer=tokenizer or WordTokenizer())
    ctx = Context(BuildInput(Session(id="s"), **build_input), tuple(drafts))
    return Pipeline.of([limiter]).run(ctx, services)


def kept(trace: Trace) -> str:
    return " ".join(draft.key.removeprefix("node:") for draft in trace.result.drafts)


def notes(trace: Trace) -> list[str]:
    return [note.text for note in trace.changes(0).notes]


def causes(trace: Trace) -> dict[str, str]:
    return {
        draft.key.removeprefix("node:"): group.cause.rule for group in trace.result.dropped for draft in group.drafts
    }


CHAT = [said("a", 5), said("b", 5, "assistant"), said("c", 5), said("d", 5, "assistant"), said("e", 5)]


@pytest.mark.parametrize(
    ("budget", "expected"), [(25, "a b c d e"), (24, "b c d e"), (20, "b c d e"), (9, "e"), (10, "d e"), (5, "e")]
)
def test_the_oldest_go_first_and_a_full_budget_is_no_exhausted_one(budget: int, expected: str) -> None:
    assert kept(limited(CHAT, budget)) == expected


def test_b2_what_goes_says_why_it_went_and_not_why_its_neighbour_did() -> None:
    border, older = limited(CHAT, 17).result.dropped

    assert [draft.key for draft in border.drafts] == ["node:b"]
    assert [draft.key for draft in older.drafts] == ["node:a"]
    assert str(border.cause) == "token-limiter / sliding: needed 5 tokens, 2 were left"
    assert str(older.cause) == "token-limiter / sliding: older than b, which needed 5 where 2 were left"
    assert (
        (border.needed, border.left, border.border) == (older.needed, older.left, older.border) == (5, 2, ("node:b",))
    )


MIXED = [
    said("a", 6),
    asks("b", "c1", words=4),
    answers("r", "c1", 3),
    said("c", 9),
    said("d", 8, "assistant"),
    said("e", 5),
]
WENT = "the oldest went until the rest fitted into"
OLDER = "older than c, which needed 9 where 2 were left"


@pytest.mark.parametrize(
    ("budget", "way", "expected"),
    [
        (15, {}, {"c": "needed 9 tokens, 2 were left", "a": OLDER, "b": OLDER, "r": OLDER}),
        (
            16,
            {"strategy": "whole-exchanges"},
            {
                "c": "its exchange needed 17 tokens, 11 were left",
                "d": "its exchange needed 17 tokens, 11 were left",
                "a": "in an exchange older than that of c, which needed 17 where 11 were left",
                "r": "in an exchange older than that of c, which needed 17 where 11 were left",
            },
        ),
        (
            21,
            {"strategy": "head-and-tail", "head_share": 0.4},
            {"c": "needed 9 tokens, 2 were left", "r": f"{OLDER}, and past the head's share of 6 tokens"},
        ),
        (
            26,
            {"strategy": "middle-out"},
            {
                "b": "the call with its results needed 9 tokens, 7 were left",
                "c": "behind b on the way from both ends inwards, which needed 9 where 7 were left",
            },
        ),
        (
            15,
            {"strategy": "by-priority"},
            {"a": "older and no more important than c, which needed 9 where 2 were left"},
        ),
        (
            23,
            {"strategy": "block"},
            {"a": "older than c, which filled the room of 23 tokens"},
        ),
        (
            23,
            {"strategy": "block", "block_share": 0.8},
            {"a": f"older than c: when d filled the room of 23 tokens, {WENT} 18"},
        ),
        (
            20,
            {"retained_characters": 6, "marker": ""},
            {"r": "older than c, which needed 9 where 7 were left and stays shortened"},
        ),
        (
            16,
            {"retained_characters": 30, "retain": "each", "marker": ""},
            {"c": "needed 9 tokens, 3 were left", "a": "older than c, which needed 9 where 3 were left"},
        ),
    ],
)
def test_b2_every_strategy_has_its_own_reason(budget: int, way: Any, expected: dict[str, str]) -> None:
    dropped = limited(MIXED, budget, **way).result.dropped

    reasons = {draft.key.removeprefix("node:"): group.cause.reason for group in dropped for draft in group.drafts}
    assert reasons == {**reasons, **expected}


def test_a_short_old_message_goes_with_the_long_one_after_it() -> None:
    assert kept(limited([said("a", 1), said("b", 9, "assistant"), said("c", 5)], 7)) == "c"


def test_a_report_is_left_for_tables_and_widgets() -> None:
    report = limited(CHAT, 17).result.report(BudgetReport)

    (row,) = report.rows()
    told = {name: row[name] for name in ("budget", "protected_tokens", "history_tokens", "left_tokens")}
    assert told == {"budget": 17, "protected_tokens": 5, "history_tokens": 10, "left_tokens": 2}
    assert (report.kept, report.cut, report.history, report.shortened) == (3, 2, 5, 0)


def test_without_a_budget_nothing_is_touched() -> None:
    assert limited(CHAT, None).step(0).did_nothing
    assert limited(CHAT, None, model=ModelProfile(id="m")).step(0).did_nothing


def test_a_budget_that_is_enough_keeps_the_same_drafts() -> None:
    trace = limited(CHAT, 100)

    assert trace.result.drafts is trace.start.drafts


# --- what stays whatever happens


def test_presets_and_summaries_stay() -> None:
    trace = limited([said("p", 3, "system", pinned=True), *CHAT, said("q", 3, pinned=True)], 12)

    assert kept(trace) == "p e q"


def test_the_newest_words_of_the_user_stay_and_what_lies_between_goes() -> None:
    chat = [said("a", 5), said("u", 5), asks("t1", "c1", words=9), answers("r1", "c1", 9), said("d", 3, "assistant")]

    assert kept(limited(chat, 8)) == "u d"


def test_the_newest_unit_stays_whole() -> None:
    chat = [said("a", 5), asks("t", "c1", "c2"), answers("r1", "c1", 4), answers("r2", "c2", 4)]

    trace = limited([said("x", 5), *chat], 20)

    assert kept(trace) == "a t r1 r2"


def test_tool_results_under_the_users_role_are_not_the_users_words() -> None:
    chat = [said("u", 3), said("a", 3, "assistant"), said("r", 3, result_of="c1"), said("d", 3, "assistant")]

    assert kept(limited(chat, 6)) == "u d"


def test_too_small_a_budget_names_what_is_too_big() -> None:
    agent = Agent.model_validate({"tools": [{"name": "look", "description": "at many many things"}]})

    with pytest.raises(BudgetTooSmall) as caught:
        limited([said("p", 30, "system", pinned=True), said("a", 5)], 20, agent=agent)

    assert str(caught.value).startswith(
        "the budget is 20 tokens, and what must stay needs 42; the largest are node:p (30), tool definitions (7)"
    )
    assert caught.value.processor == "token-limiter"
    assert caught.value.trace is not None


def test_even_an_empty_context_may_be_too_large() -> None:
    with pytest.raises(BudgetTooSmall, match=r"the request itself \(3\)"):
        limited([], 2, tokenizer=WordTokenizer(request_tokens=3))
    assert kept(limited([], 3, tokenizer=WordTokenizer(request_tokens=3))) == ""


# --- tools


def test_a_call_and_its_results_go_together() -> None:
    chat = [asks("t", "c1", "c2"), answers("r1", "c1"), answers("r2", "c2"), said("e", 5)]

    assert kept(limited(chat, 12)) == "t r1 r2 e"
    assert kept(limited(chat, 11)) == "e"


def test_a_call_without_a_result_is_taken_off_with_a_note() -> None:
    trace = limited([asks("t", "c1", "c2"), answers("r1", "c1"), said("e", 1)], 50)

    assert [call.id for call in trace.result.drafts[0].calls] == ["c1"]
    assert notes(trace) == ["node:t: nothing answers c2; not sent"]


def test_of_two_equal_calls_with_one_result_one_is_taken_off() -> None:
    trace = limited([asks("t", "c1", "c1"), answers("r1", "c1"), said("e", 1)], 50)

    assert kept(trace) == "t r1 e"
    assert [call.id for call in trace.result.drafts[0].calls] == ["c1"]
    assert notes(trace) == ["node:t: nothing answers c1; not sent"]


def test_a_message_of_nothing_but_unanswered_calls_goes() -> None:
    trace = limited([asks("t", "c1", words=0), said("e", 1)], 50)

    assert kept(trace) == "e"
    assert causes(trace) == {"t": "unanswered-call"}


def test_a_result_without_a_call_goes() -> None:
    trace = limited([said("u", 1), answers("r", "c9"), said("e", 1)], 50)

    assert kept(trace) == "u e"
    assert causes(trace) == {"r": "orphan-result"}


def test_a_result_without_a_call_is_told_from_one_whose_call_was_cut() -> None:
    chat = [asks("t", "c1", words=9), said("u", 1), answers("r", "c1"), answers("lost", "c9"), said("e", 1)]

    assert causes(limited(chat, 5)) == {"t": "sliding", "r": "sliding", "lost": "orphan-result"}


def test_reused_ids_pair_with_the_nearest_call() -> None:
    chat = [asks("t1", "c"), answers("r1", "c", 9), asks("t2", "c"), answers("r2", "c"), said("e", 1)]

    assert kept(limited(chat, 8)) == "t2 r2 e"


# --- what would keep what was cut


def row(*lengths: int) -> list[Draft]:
    """Messages of so many words, and the user's newest, of one."""
    return [*(said(f"n{i}", words, "assistant") for i, words in enumerate(lengths)), said("q", 1)]


def of_words(*lengths: int) -> list[Draft]:
    return [said(f"n{i}", words, "assistant") for i, words in enumerate(lengths)]


@pytest.mark.parametrize(
    ("drafts", "budget", "way"),
    [
        (of_words(6, 25, 19, 0), 25, {"retained_characters": 10}),
        (row(1, 21, 18), 21, {"strategy": "head-and-tail"}),
        (of_words(19, 28, 26, 25), 28, {"strategy": "block"}),
        (row(9, 2, 30, 4), 12, {"retained_characters": 8, "retain": "each"}),
    ],
)
def test_a6_as_many_more_tokens_as_are_named_keep_a_message_and_one_less_does_not(
    drafts: list[Draft], budget: int, way: dict[str, Any]
) -> None:
    trace = limited(drafts, budget, **way)
    gone = [draft.key for group in trace.result.dropped for draft in group.drafts]

    assert gone
    for key in gone:
        least = trace.why(key).least_budget
        assert least is not None
        assert limited(drafts, budget + least.extra_tokens, **way).result.draft(key) is not None
        assert limited(drafts, budget + least.extra_tokens - 1, **way).result.draft(key) is None


def test_a6_a_message_that_only_its_head_would_come_back_of_has_two_budgets() -> None:
    life = limited(of_words(6, 25, 19, 0), 18, retained_characters=10).why("node:n1")

    assert life.least_budget is not None
    assert (life.least_budget.tokens, life.least_budget.whole_tokens) == (23, 44)
    assert life.outcome == (
        "it is not sent; 5 more tokens would keep its head, 26 all of it: a budget of 23 or more, or 44"
    )


def test_a6_a_larger_budget_that_loses_the_message_again_is_named() -> None:
    least = limited(row(1, 21, 18), 21, strategy="head-and-tail").why("node:n1").least_budget
    assert least is not None
    assert least.keeps_from_there_on

    drafts = of_words(5, 5, 5, 5, 5, 5, 5, 5)
    least = limited(drafts, 17, strategy="block").why("node:n4").least_budget
    assert least is not None
    assert (least.tokens, least.lost_again_at, least.kept_again_at) == (25, 35, 40)
    assert str(least) == "8 more tokens would keep it: a budget of 25 to 34, and for good from 40"
    for budget, stays in ((24, False), (25, True), (34, True), (35, False), (39, False), (40, True)):
        assert (limited(drafts, budget, strategy="block").result.draft("node:n4") is not None) is stays


def test_a6_what_comes_back_only_together_is_named() -> None:
    chat = [said("u", 3), asks("t", "c1"), answers("r", "c1", 4), said("e", 2)]

    together = limited(chat, 5).why("node:r").least_budget
    exchange = limited([said("x", 2), *chat], 5, strategy="whole-exchanges").why("node:u").least_budget

    assert together is not None
    assert together.with_keys == ("node:t",)
    assert str(together).endswith("; with it node:t")
    assert exchange is not None
    assert exchange.with_keys == ("node:t", "node:r")


def test_a6_where_no_budget_would_keep_it_it_says_so() -> None:
    trace = limited([said("u", 1), answers("r", "c9"), asks("t", "c1", words=0), said("e", 1)], 50)

    assert (trace.why("node:r").least_budget, trace.why("node:t").least_budget) == (None, None)
    assert trace.why("node:r").outcome == "it is not sent; no budget would keep it: no call asks for it"
    assert str(trace.why("node:t").remedy) == ("no budget would keep it: no result answers it and it says nothing else")


def test_a6_a_result_whose_missing_call_lies_behind_the_border_is_kept_by_no_budget() -> None:
    trace = limited([answers("lost", "c9"), said("a", 9), said("e", 1)], 5)

    assert causes(trace) == {"a": "sliding", "lost": "sliding"}
    assert trace.why("node:lost").least_budget is None


def test_b2_a_result_without_a_call_beside_the_border_is_none_of_the_cut() -> None:
    trace = limited([said("a", 9), answers("lost", "c9"), said("e", 1)], 5)

    assert causes(trace) == {"a": "sliding", "lost": "orphan-result"}


def test_a6_the_budget_of_a_models_window_is_named_as_budget_tokens_take_it() -> None:
    model = ModelProfile(id="m", context_window=20, max_output_tokens=5)

    by_reply = limited(CHAT, None, model=model).why("node:b").least_budget
    by_setting = limited(CHAT, None, model=model, reserve_tokens=2).why("node:b").least_budget

    assert by_reply is not None
    assert (by_reply.tokens, by_reply.extra_tokens) == (20, 5)
    assert by_setting is not None
    assert (by_setting.tokens, by_setting.extra_tokens) == (20, 2)
    assert str(by_setting) == "2 more tokens would keep it: a budget of 20 or more"
    assert kept(limited(CHAT, 20, model=model, reserve_tokens=2)) == "b c d e"


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("name", ["harbour_roleplay", "coding_chat", "research_tree"])
def test_b3_what_would_keep_a_message_is_exact_on_the_bundled_conversations(name: str, strategy: str) -> None:
    folder = Path(__file__).parents[2] / "datasets"
    session = load(folder / f"{name}.session.json")
    setting = {"token-limiter.strategy": strategy}
    whole = build(session, budget_tokens=10**9, settings=setting)
    report = whole.result.report(BudgetReport)
    budget = report.protected_tokens + report.history_tokens // 3
    trace = whole.rerun({"token-limiter.budget_tokens": budget})
    step = trace.step("token-limiter")
    gone = [draft.key for group in step.after.dropped[len(step.before.dropped) :] for draft in group.drafts]

    assert gone
    for key, remedy in remedies(trace, gone).items():
        assert remedy.least_budget is not None
        least = remedy.least_budget.tokens
        assert remedy.settings == {"token-limiter.budget_tokens": least}
        assert trace.rerun(remedy.settings).upto("token-limiter").result.draft(key) is not None
        one_less = trace.rerun({"token-limiter.budget_tokens": least - 1})
        assert one_less.upto("token-limiter").result.draft(key) is None


# --- shortening

LONG = "one two three four five six seven eight nine"


def long(id: str, text: str = LONG, **fields: Any) -> Draft:
    origin = Origin("node", id)
    return Draft(f"node:{id}", "user", (Text.of(text, origin),), origin, **fields)


def test_the_message_at_the_border_may_keep_its_head() -> None:
    trace = limited([long("a"), long("b"), said("e", 1)], 5, retained_characters=8)

    assert kept(trace) == "b e"
    assert str(trace.result.drafts[0].text) == "one two \n[…]"
    head, marker = trace.result.drafts[0].text.spans
    assert (head.origin.kind, marker.origin.kind) == ("node", "notice")
    assert [older.text for older in marker.was] == ["three four five six seven eight nine"]
    assert marker.cause is not None
    assert marker.cause.reason == "the first 8 of 44 characters stay"


def test_every_cut_message_may_keep_its_head() -> None:
    chat = [long("a"), said("b", 1), long("c"), said("e", 1)]

    trace = limited(chat, 8, retained_characters=8, retain="each")

    assert kept(trace) == "a b c e"
    assert [str(draft.text) for draft in trace.result.drafts] == ["one two \n[…]", "b", "one two \n[…]", "e"]
    assert trace.result.report(BudgetReport).shortened == 2


def test_heads_end_where_the_budget_does() -> None:
    assert (
        kept(limited([long("a"), said("b", 1), long("c"), said("e", 1)], 5, retained_characters=8, retain="each"))
        == "b c e"
    )


def test_a_head_that_would_not_be_shorter_is_none() -> None:
    trace = limited([long("a", "one two"), said("e", 1)], 2, retained_characters=6)

    assert kept(trace) == "e"


def test_a_head_with_its_marker_that_is_as_long_as_the_whole_is_none_either() -> None:
    old = long("a", "a b c d e f")

    assert kept(limited([old, said("e", 1)], 6, retained_characters=7, marker=" ...")) == "e"
    assert kept(limited([old, said("e", 1)], 6, retained_characters=6, marker=" ...")) == "a e"


def test_the_marker_is_a_setting() -> None:
    trace = limited([long("a"), said("e", 1)], 4, retained_characters=7, marker="")

    assert str(trace.result.drafts[0].text) == "one two"


def test_a_shortened_message_drops_the_reasoning_that_it_no_longer_has() -> None:
    thought = long("a", meta={"reasoningArtifacts": [{"replayPolicy": "always"}], "x": 1}, reasoning="hm")

    trace = limited([thought, said("e", 1)], 6, retained_characters=8)

    assert (trace.result.drafts[0].reasoning, dict(trace.result.drafts[0].meta)) == (None, {"x": 1})
    assert notes(trace) == ["node:a was shortened, so its reasoning state is not replayed"]


@pytest.mark.parametrize(
    ("text", "characters", "expected"),
    [
        ("abc", 5, "abc"),
        ("abc", 2, "ab"),
        ("a👩‍👩‍👧b", 3, "a"),
        ("🇩🇪🇫🇷", 3, "🇩🇪"),
        ("e\u0301e\u0301", 3, "e\u0301"),
        ("a\r\nb", 2, "a"),
        ("👩‍👩‍👧", 1, ""),
        ("a" + "\u0301" * 200, 150, ""),
        ("", 3, ""),
    ],
)
def test_a_head_never_cuts_through_a_character(text: str, characters: int, expected: str) -> None:
    assert text[: head_length(text, characters)] == expected


# --- budgets


def test_the_window_of_the_model_less_the_reply_is_the_budget() -> None:
    model = ModelProfile(id="m", context_window=20, max_output_tokens=5)
    agent = Agent.model_validate({"parameters": {"maxTokens": 9}})

    assert kept(limited(CHAT, None, model=model)) == "c d e"
    assert kept(limited(CHAT, None, model=model, agent=agent)) == "d e"
    assert kept(limited(CHAT, None, model=model, reserve_tokens=0)) == "b c d e"


def test_a_budget_of_the_call_is_exact() -> None:
    assert kept(limited(CHAT, 15, model=ModelProfile(id="m", context_window=7, max_output_tokens=5))) == "c d e"
    assert kept(limited(CHAT, 15, reserve_tokens=5)) == "c d e"


def test_of_a_window_beside_a_budget_the_reply_keeps_what_is_there() -> None:
    def reserve(window: int | None) -> int:
        model = ModelProfile(id="m", context_window=window, max_output_tokens=9) if window else None
        report = limited(CHAT, 15, model=model, reserve_tokens=5).result.report(BudgetReport)
        assert report is not None
        assert report.budget_tokens == 15
        return report.reserve_tokens

    assert [reserve(window) for window in (None, 10, 17, 100)] == [0, 0, 2, 5]


def test_a_calls_budget_beats_the_agents_reserve() -> None:
    agent = Agent.model_validate({"processors": [{"id": "token-limiter", "settings": {"reserve_tokens": 5}}]})
    session = Session(id="s").append("", role="system", id="root")
    for draft in CHAT:
        session = session.append(str(draft.text), role=draft.role)

    trace = build(session, agent, budget_tokens=50, services=Services(tokenizer=WordTokenizer()))

    assert trace.result.report(BudgetReport).budget_tokens == 50


def test_an_overhead_takes_the_place_of_what_the_wire_adds() -> None:
    wire = WordTokenizer(message_tokens=4)

    assert kept(limited(CHAT, 15, tokenizer=wire)) == "e"
    assert kept(limited(CHAT, 15, tokenizer=wire, overhead_tokens=0)) == "c d e"
    assert kept(limited(CHAT, 15, overhead_tokens=2)) == "d e"


def test_what_later_steps_may_add_is_kept_free() -> None:
    class Loud(Processor):
        id = "loud"

        def may_add_tokens(self, tokenizer: Any) -> int:
            return 2

        def __call__(self, ctx: Context, services: Services) -> Context:
            more = Text.of(" very loud", Origin("made", "loud"), Cause("loud", "louder", "it is loud"))
            return ctx.edit(lambda draft: draft.edit_text(lambda text: text + more))

    ctx = Context(BuildInput(Session(id="s")), tuple(CHAT))
    pipeline = Pipeline.of([TokenLimiter, Loud]).with_setting("token-limiter.budget_tokens", 15)

    trace = pipeline.run(ctx, Services(tokenizer=WordTokenizer()))

    assert kept(trace) == "d e"
    assert trace.tokens == 14


def test_a_later_step_that_adds_more_than_it_says_is_found_out() -> None:
    @processor("chatty")
    def chatty(ctx: Context) -> Context:
        more = Text.of(" word" * 50, Origin("made", "chatty"), Cause("chatty", "chat", "it likes to"))
        return ctx.edit(lambda draft: draft.edit_text(lambda text: text + more))

    session = Session(id="s").append("", role="system", id="root").append("hello")
    options: dict[str, Any] = {
        "pipeline": default_pipeline().with_processor(chatty),
        "services": Services(tokenizer=WordTokenizer()),
    }

    with pytest.raises(OverBudget, match="51 tokens, the limiter promised 20"):
        build(session, budget_tokens=20, **options)
    assert build(session, budget_tokens=200, **options).tokens == 51
