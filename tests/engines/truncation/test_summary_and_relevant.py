"""What bears on the question stays, and a made message quotes the rest."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.context import Draft
from ctxlab.documents import Session
from ctxlab.engines.truncation import BudgetReport
from ctxlab.pipeline import BudgetTooSmall, Services, Trace
from ctxlab.testing.fakes import WordTokenizer

MADE = "made:token-limiter:0"
TALK = [
    "The lighthouse keeper Anna repaired the brass lamp in the old tower.",
    "What a long night that must have been. The harbour slept through all of it.",
    "The pilot boat leaves the harbour at four with the tide.",
    "Then the mail arrives before breakfast, unless fog covers the narrow strait.",
    "Her daughter paints ships and sells them at the Sunday market.",
    "Painting ships in winter light takes patience and warm gloves.",
]
CHINESE = [
    "灯塔的看守人在旧塔楼里修好了黄铜灯。",
    "昨天的雾很大，渡船停在港口没有出发。",
    "她的女儿画船，星期天在集市上卖画。",
]
PLAIN = {"merge-system.enabled": False, "merge-consecutive.enabled": False}


def built(talk: list[str], budget: int, question: str = "Who repaired the lamp?", **changed: Any) -> Trace:
    session = Session(id="s").append("", id="root")
    for n, text in enumerate(talk):
        session = session.append(text, role="assistant" if n % 2 else "user", id=f"n{n}")
    options = {"token-limiter.strategy": "summary-and-relevant", **PLAIN}
    options |= {f"token-limiter.{name}": value for name, value in changed.items()}
    services = Services(tokenizer=WordTokenizer(message_tokens=2))
    return ctxlab.build(session.append(question, id="now"), budget_tokens=budget, settings=options, services=services)


def summary_of(trace: Trace) -> Draft:
    draft = trace.step("token-limiter").after.draft(MADE)
    assert draft is not None
    return draft


def test_the_answer_stays_whole_and_the_rest_is_quoted() -> None:
    trace = built(TALK, 65, summary_share=0.6)

    assert trace.messages[0]["role"] == "system"
    assert trace.messages[0]["content"].startswith("From messages that are left out here:\n")
    assert TALK[0] in [message["content"] for message in trace.messages]
    assert trace.tokens <= 65


def test_quoted_words_are_found_with_the_message_that_they_come_from() -> None:
    trace = built(TALK, 65, summary_share=0.6)
    quoted = [span for span in summary_of(trace).text.spans if span.origin.kind == "node"]

    assert quoted
    for span in quoted:
        sent, *_ = trace.where(span.text)
        assert (sent.key, sent.state) == (MADE, "sent")
        assert sent.written_by().startswith(f"node {span.origin.ref}")
        assert "; the summary quotes it" in str(trace.why(f"node:{span.origin.ref}"))


def test_a_chinese_summary_speaks_chinese() -> None:
    text = str(summary_of(built(CHINESE, 60, "谁修好了灯？", summary_share=1.0)).text)

    assert text.startswith("以下摘自此处省略的消息：")
    assert any(f"{role}：" in text for role in ("用户", "助手"))


def test_where_all_fits_nothing_is_made() -> None:
    trace = built(TALK, 500)

    assert trace.result.draft(MADE) is None
    assert len(trace.messages) == len(TALK) + 1


def test_it_stands_before_the_history_that_stays() -> None:
    agent = ctxlab.Agent.model_validate(
        {"id": "a", "name": "Ann", "presetMessages": [{"id": "p", "role": "system", "content": "Be kind."}]}
    )
    services = Services(tokenizer=WordTokenizer())
    session = built(TALK, 500).start.input.session
    options = {"token-limiter.strategy": "summary-and-relevant", "token-limiter.summary_share": 0.6, **PLAIN}
    trace = ctxlab.build(session, agent, budget_tokens=60, settings=options, services=services)

    keys = [draft.key for draft in trace.result.drafts]
    assert keys[:2] == ["preset:0", MADE]
    assert all(key.startswith("node:") for key in keys[2:])


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.sampled_from([*TALK, *CHINESE, "ok"]), min_size=1, max_size=8),
    st.integers(8, 120),
    st.sampled_from([0.0, 0.2, 0.6, 1.0]),
)
def test_numbers_and_reasons_are_those_of_the_cut(talk: list[str], budget: int, share: float) -> None:
    try:
        trace = built(talk, budget, summary_share=share)
    except BudgetTooSmall:
        return
    step = trace.step("token-limiter")
    report = step.after.report(BudgetReport)
    assert report is not None
    made = step.after.draft(MADE)
    counter = trace.services.tokenizer

    assert trace.tokens == budget - report.left_tokens <= budget
    assert report.summary_tokens == (counter.count_draft(made) if made else 0)
    quoted = {span.origin.ref for span in made.text.spans if span.origin.kind == "node"} if made else set[str]()
    gone = {row["key"].removeprefix("node:"): row["reason"] for row in trace.cuts().to_dict("records")}
    assert quoted <= gone.keys()
    assert {ref for ref, reason in gone.items() if reason.endswith("; the summary quotes it")} == quoted
    for ref in quoted:
        assert made is not None
        spans = [span.text for span in made.text.spans if span.origin.ref == ref]
        assert all(word in trace.start.input.session[ref].content for text in spans for word in text.split())
