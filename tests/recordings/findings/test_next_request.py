"""Findings of a build are about the request that it would send: in its own count, and true when it is run once more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.pipeline.shared_beginning import prefix_tokens
from ctxlab.recordings.findings.checked_context import CheckedContext
from ctxlab.recordings.findings.finding_rule import Found
from ctxlab.testing.fakes import WordTokenizer
from tests.recordings.findings.cases import agent, lamps
from tests.recordings.findings.made import words

NOON = datetime.fromisoformat("2026-03-01T12:00:00+00:00")
CLOCKS = ("{{time}}", "{{isotime}}", "{{date}}", "{{weekday}}", "{{char}}", "{{datetime}}")


def test_a_stretch_is_counted_as_the_build_counts() -> None:
    text = " ".join(f"unbelievableword{n}" for n in range(300))
    trace = ctxlab.build(lamps(text, "ok", text), tokenizer=WordTokenizer())

    (finding,) = ctxlab.check(trace, rules=["text-twice"])

    assert trace.tokens == 601
    assert finding.tokens == 300


def test_a_budget_below_the_one_that_is_named_ends_the_finding() -> None:
    session = lamps(*[words(600)] * 11)
    (finding,) = ctxlab.check(ctxlab.build(session, model="gpt-4"), rules=["window-nearly-full"])
    named = re.search(r"below ([\d,]+) tokens", finding.remedy)

    assert named is not None
    budget = int(named[1].replace(",", "")) - 1
    assert not ctxlab.check(ctxlab.build(session, model="gpt-4", budget_tokens=budget), rules=["window-nearly-full"])


@settings(deadline=None, max_examples=50)
@given(
    st.lists(st.sampled_from(CLOCKS), max_size=2),
    st.lists(st.sampled_from(CLOCKS), max_size=1),
    st.integers(0, 5),
    st.sampled_from([NOON, NOON + timedelta(hours=11, minutes=59)]),
)
def test_a_part_is_told_to_move_just_where_a_minute_moves_it(
    above: list[str], below: list[str], messages: int, now: datetime
) -> None:
    session = lamps(*["The lamp burns."] * messages, " ".join(["And now?", *below]))
    own = agent({"content": " ".join(["You keep the tower.", *above])})
    first, later = (
        ctxlab.build(session, own, timestamp=time.isoformat()) for time in (now, now + timedelta(minutes=1))
    )

    found = ctxlab.check(first, rules=["moving-prefix"])

    before, after = first.result.drafts, later.result.drafts
    kept = prefix_tokens(before, after, first.services.tokenizer)
    moved = str(before[0].text) != str(after[0].text)
    assert len(found) == moved
    if moved:
        (place,) = found[0].places
        assert place.node == before[0].key
        assert str(before[0].text)[: place.start] == str(after[0].text)[: place.start]
        assert found[0].tokens > 0
        assert first.tokens - first.request_tokens - found[0].tokens - kept <= 4


def test_a_rule_sees_the_sources_that_the_build_has() -> None:
    """A system text, a preset, the profile, lore and a summary are no longer one and the same to a rule."""
    trace = ctxlab.build(ctxlab.example("harbour"), budget_tokens=1800)
    seen: dict[str, int] = {}

    @ctxlab.finding_rule("sources", "Sources of parts", "Says the sources.", "note")
    def sources(checked: CheckedContext) -> Iterator[Found]:
        for part in (*checked.all_parts(), *checked.parts.of_head(checked.requests[0].head)):
            seen[part.entry] = seen.get(part.entry, 0) + part.tokens
        yield Found("Seen.", "None.")

    ctxlab.check(trace, rules=[sources])

    budget = trace.budget()
    assert {entry: n for entry, n in seen.items() if n} == {
        entry: budget[entry] for entry in budget.index if entry not in ("overhead", "free", "reserve")
    }
    assert {"system", "presets", "lore", "history"} <= seen.keys()


def test_a_share_of_results_is_of_the_tokens_that_the_build_has() -> None:
    calls = [(f"c{n}", words(900)) for n in range(14)]
    trace = ctxlab.build(
        [
            {"role": "user", "content": "Read all of it."},
            *[
                each
                for id, text in calls
                for each in (
                    {"role": "assistant", "content": "", "tool_calls": [
                        {"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}}
                    ]},
                    {"role": "tool", "tool_call_id": id, "content": text},
                )
            ],
        ]
    )  # fmt: skip

    (finding,) = ctxlab.check(trace, rules=["results-fill-context"])

    assert f"% of the {trace.tokens:,} tokens" in finding.text
