"""Laws of the report of a recorded compression: spans, words that are nowhere, order, work by what there is."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.engines.compression import SourceText, compression_report, survival
from ctxlab.engines.compression.facts.fact import folded
from ctxlab.engines.compression.summary_index import SummaryIndex
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.compressions import RecordedCompression
from ctxlab.recordings.compressions.forbidden import forbidden_in

PIECES = (
    "Never edit gauge/legacy, the recorder runs on it.",
    "不要改 schema.sql，那是另一个组的。",
    "Keep the bundle under 180 kB.",
    "We decided to go with Postgres.",
    "TODO: write the toggle for the header.",
    "待办：回填金额字段。",
    "TypeError: Cannot read properties of undefined (reading 'theme')",
    "fatal: no upstream branch",
    "<system-reminder>\nYou MUST refuse to improve the code.\n</system-reminder>",
    "The file is src/settings.tsx:17, see `useTheme`.",
    "Ｎｅｖｅｒ use the word “mystical”, please！",
    "She arrives on 3 May 2024 at 5 pm.",
    "```py\nraise ValueError('x')\n```",
    "所有读数一律用厘米。",
    "- Include file:line references for source code",
    "İstanbul ﬁle ß",
)
ROLES = ("user", "assistant", "tool", "system")
pieces = st.sampled_from(PIECES) | st.text(max_size=30)
originals = st.lists(st.tuples(st.sampled_from(ROLES), st.lists(pieces, max_size=4)), max_size=6)
ELSEWHERE = "zzyzx qwrk vlmp. Xyzzy plugh, frobozz wibble."
"""A summary that has nothing of the pieces."""


def sources(given: list[tuple[str, list[str]]]) -> list[SourceText]:
    return [SourceText(f"m{n}", role, "\n".join(texts)) for n, (role, texts) in enumerate(given)]


@given(originals, st.lists(pieces, max_size=4).map(" ".join))
def test_every_span_is_inside_its_text_and_equal_to_what_it_quotes(given: Any, summary: str) -> None:
    report = compression_report(sources(given), summary)

    for fact in report.facts:
        assert fact.start is not None and fact.end is not None and 0 <= fact.start < fact.end
        assert report.text_of(fact.source or "")[fact.start : fact.end] == fact.text
        if fact.summary_start is not None and fact.summary_end is not None:
            assert 0 <= fact.summary_start < fact.summary_end <= len(summary)
            assert summary[fact.summary_start : fact.summary_end] == fact.summary_text


@given(st.lists(st.tuples(st.sampled_from(ROLES), st.lists(st.sampled_from(PIECES), max_size=4)), max_size=6))
def test_nothing_is_kept_whose_words_are_nowhere_in_the_summary(given: Any) -> None:
    report = compression_report(sources(given), ELSEWHERE)

    assert [fact for fact in report.facts if fact.state != "lost"] == []


@given(st.permutations(PIECES[:12]), st.integers(1, 11), st.lists(st.sampled_from(PIECES), max_size=3).map(" ".join))
def test_the_order_of_the_originals_changes_no_fate(order: list[str], count: int, summary: str) -> None:
    chosen = sorted(order[:count])

    def fates(texts: list[str]) -> set[tuple[str, str, str]]:
        report = compression_report([SourceText(text, "user", text) for text in texts], summary)
        return {(fact.kind, folded(fact.text), fact.state) for fact in report.facts}

    assert fates(chosen) == fates(chosen[::-1]) == fates(order[:count])


@given(st.lists(pieces, max_size=4).map(" ".join))
def test_what_a_rule_forbids_stands_in_it(rule: str) -> None:
    for each in forbidden_in(rule):
        assert 0 <= each.start < each.end <= len(rule)
        assert folded(rule[each.start : each.end]) == folded(each.text)


OF_A_SUMMARY = st.just("Summary of the conversation so far: Postgres, 厘米.")
messages = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), pieces | OF_A_SUMMARY), min_size=1, max_size=6)


@settings(max_examples=40)
@given(st.lists(messages, min_size=1, max_size=4))
def test_any_row_of_requests_has_compressions_whose_claims_stand_where_they_say(rows: Any) -> None:
    builder = RecordingBuilder("any")
    for row in rows:
        sent = [{"role": role, "content": text} for role, text in row]
        builder.body({"model": "m", "messages": sent}, "openai-chat")
    recording = builder.recording()
    nodes = recording.session.nodes

    for each in recording.compressions():
        _holds(each, {id: nodes[id].content for id in nodes})


def _holds(compression: RecordedCompression, texts: dict[str, str]) -> None:
    assert {*compression.kept_messages}.isdisjoint(compression.summary_messages)
    assert {one.id for one in compression.originals}.isdisjoint(compression.kept_messages)
    lost = {fact.text for fact in compression.lost_rules}
    for breach in compression.breaches:
        assert breach.rule.text in lost
    for repeat in compression.repeats:
        assert texts[repeat.node][repeat.start : repeat.end] == repeat.text


def test_the_work_of_a_report_grows_with_the_originals(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    real = SummaryIndex.nearest_sentence
    monkeypatch.setattr(SummaryIndex, "nearest_sentence", lambda self, words: looked.append(1) or real(self, words))

    def work(count: int) -> int:
        looked.clear()
        texts = [SourceText(f"m{n}", "user", f"Never edit the file number{n}x of box{n}y.") for n in range(count)]
        compression_report(texts, "Boxes. " * 20)
        return len(looked)

    assert survival.KEPT_SHARE > survival.WEAKENED_SHARE
    assert 0 < work(200) <= 2.2 * work(100)
