"""Tokens that a prefix report calls read anew stood in the request before, and cost what their reading costs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.formats.requests.reply_usage import RecordedUsage
from ctxlab.providers.cost import price_of
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.prefix import RequestPrefix
from ctxlab.recordings.recording import Recording
from tests.recordings.prefix.test_true_sentences import bodies

LOG = "The lamp was lit at dusk, and the keeper wrote it down. 灯塔在雾里。" * 120
SONNET = "claude-sonnet-4-5"


@st.composite
def usages(draw: Any) -> RecordedUsage:
    """A vendor's count of a request: any size, any part of it read or written, for five minutes or an hour."""
    tokens = draw(st.sampled_from([9, 1_100, 4_000, 9_000, 9_500, 10_000, 40_000])) + draw(st.integers(0, 300))
    cached = draw(st.one_of(st.none(), st.integers(0, tokens)))
    written = draw(st.one_of(st.none(), st.integers(0, tokens - (cached or 0))))
    hour = None if written is None else draw(st.one_of(st.none(), st.integers(0, written)))
    return RecordedUsage(tokens, cached, written, 5, None, hour)


@st.composite
def recordings(draw: Any) -> Recording:
    wire, sent = draw(bodies())
    builder, whole = RecordingBuilder("talk"), draw(st.booleans())
    minutes, still = 0, draw(st.booleans())
    for body in sent:
        _lengthen(body, still=still)
        about = {"model": draw(st.sampled_from([*[body["model"]] * 5, "claude-opus-4-6"]))}
        minutes += draw(st.sampled_from([1, 1, 7, 70]))
        about["time"] = f"2026-03-02T{9 + minutes // 60:02}:{minutes % 60:02}:00Z"
        if draw(st.integers(0, 4)):
            about["usage"] = draw(usages())
        if draw(st.integers(0, 5)) == 0:
            about["compaction"] = {"trigger": "auto"}
        builder.body(body, wire, whole=whole, **about)
    return builder.recording()


def _lengthen(body: dict[str, Any], *, still: bool) -> None:
    """Put a long text in front, so that the prompt is not too short for a cache; `still` without all that moves."""
    for name in ("system", "instructions"):
        if name in body:
            body[name] = LOG if still else f"{LOG} {body[name]}"
    if "system" not in body and "messages" in body:
        first = body["messages"][0]
        first["content"] = LOG if still else f"{LOG} {first['content']}"
    if still:
        del body["tools"]


@given(recordings())
@settings(max_examples=150, deadline=None)
def test_what_was_lost_and_what_was_read_is_no_more_than_what_was_sent(recording: Recording) -> None:
    for each in recording.prefix():
        usage = each.request.usage
        sent = each.total_tokens if usage.input is None else usage.input
        assert (each.lost_tokens or 0) + each.unexplained_tokens + (usage.cached or 0) <= max(sent, usage.cached or 0)
        assert (each.lost_tokens or 0) >= 0 <= each.unexplained_tokens
        assert each.lost_tokens is not None or (each.state in ("cut", "expired", "other model") and not each.cost_usd)


@given(recordings())
@settings(max_examples=100, deadline=None)
def test_what_is_read_anew_stood_in_the_request_before(recording: Recording) -> None:
    for each in recording.prefix():
        anew = (each.lost_tokens or 0) + each.unexplained_tokens
        if anew:
            assert each.before is not None
            before = each.before.usage.input
            assert anew <= (recording.parts.tokens(each.before) if before is None else before)


@given(recordings())
@settings(max_examples=100, deadline=None)
def test_only_what_the_vendor_reports_is_unexplained_and_a_report_has_all_of_it(recording: Recording) -> None:
    report = recording.prefix()
    for each in report.unexplained:
        assert each.reported.state in ("cut", "expired")
        assert each.state in ("whole", "cut")
        assert "the log doesn't say why" in each.sentence
    assert report.unexplained_tokens == sum(each.unexplained_tokens for each in report)
    assert report.lost_tokens == sum(each.lost_tokens or 0 for each in report)
    assert {each.request.id for each in report.unknown_losses} <= {each.request.id for each in report.breaks}


def asked(*counts: RecordedUsage, talks: list[int] | None = None, **about: Any) -> tuple[RequestPrefix, ...]:
    """Requests of a conversation that goes on, with the usage of each."""
    builder = RecordingBuilder("talk")
    messages = [{"role": "user", "content": LOG}]
    for number in range(len(counts)):
        messages += [{"role": "assistant", "content": f"Page {number}."}, {"role": "user", "content": f"And {number}?"}]
    for number, usage in enumerate(counts):
        end = (talks or [*range(len(counts))])[number]
        body = {"model": SONNET, "system": LOG, "messages": messages[: 1 + 2 * end]}
        builder.body(body, "anthropic", model=SONNET, usage=usage, **about)
    return builder.recording().prefix().requests


def wrote(tokens: int, cached: int = 0, hour: int | None = None) -> RecordedUsage:
    return RecordedUsage(tokens, cached, tokens - cached, 5, None, hour)


@given(st.integers(0, 9_000), st.integers(0, 10_100))
@settings(max_examples=60, deadline=None)
def test_prices_follow_the_rate_of_what_was_written(cached: int, hour: int) -> None:
    written = 10_100 - cached
    hour = min(hour, written)
    _, found = asked(wrote(10_000), wrote(10_100, cached, hour))
    assert 0 < found.unexplained_tokens <= 10_000 - cached
    share = hour / written
    rate = 6.0 * share + 3.75 * (1 - share) - 0.30
    assert found.unexplained_usd == pytest.approx(found.unexplained_tokens * rate / 1e6, rel=1e-3)


def test_a_request_costs_what_its_model_takes_for_each_kind_of_token() -> None:
    found = asked(RecordedUsage(10_000, 4_000, 5_000, 200, None, 3_000))[0].request
    plain, read, five, hour, out = 3.0, 0.30, 3.75, 6.0, 15.0
    cost = 1_000 * plain + 4_000 * read + 2_000 * five + 3_000 * hour + 200 * out
    assert found.usd == pytest.approx(cost / 1e6)
    assert price_of(SONNET, "anthropic", 10_000, 4_000, 5_000, 200, hour=3_000) == pytest.approx(
        ((cost - 200 * out) / 1e6, 200 * out / 1e6)
    )
    assert asked(RecordedUsage(10_000, 4_000))[0].request.usd is None  # the reply isn't counted


def test_a_rewound_conversation_has_read_all_that_an_earlier_request_had_sent() -> None:
    """Back to the first question: only what a request had sent as a whole could be read, so nothing is unexplained."""
    counts = (wrote(10_000), wrote(10_100, 10_000), wrote(10_200, 10_100))
    back = asked(*counts, wrote(10_000, 0), talks=[0, 1, 2, 0])[-1]
    assert (back.state, back.reported.state, back.unexplained_tokens) == ("whole", "cut", 10_000)
    between = asked(*counts, wrote(10_150, 0), talks=[0, 2, 3, 1])[-1]
    assert (between.state, between.reported.state, between.unexplained_tokens) == ("whole", "cut", 10_000)
    nowhere = asked(wrote(10_200), wrote(10_300, 10_200), wrote(10_100, 0), talks=[2, 3, 1])[-1]
    assert (nowhere.state, nowhere.reported.state, nowhere.unexplained_tokens) == ("whole", "cut", 0)


def test_of_a_break_that_the_log_explains_the_vendors_own_count_decides() -> None:
    """It read more than was expected behind an edit: that wasn't lost."""
    builder = RecordingBuilder("talk")
    for clock, usage in (("10:00", wrote(10_000)), ("10:01", wrote(10_000, 7_000))):
        body = {"model": SONNET, "system": f"It is {clock}. {LOG}", "messages": [{"role": "user", "content": LOG}]}
        builder.body(body, "anthropic", model=SONNET, usage=usage)
    found = builder.recording().prefix().requests[-1]
    assert found.state == "cut"
    assert found.lost_tokens is not None
    assert 2_900 < found.lost_tokens <= 3_000
