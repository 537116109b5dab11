"""The promises of `why`: whatever is said of a message is so, and nothing that happened to it goes unsaid."""

from __future__ import annotations

import re
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.api import build
from ctxlab.context import Context, Draft
from ctxlab.documents import Agent, AppliesTo, RegexRule, Session
from ctxlab.pipeline import BudgetTooSmall, Event, Services, Step, Trace
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import agents, sessions

SERVICES = Services(tokenizer=WordTokenizer())
ADDED = re.compile(r"added as (a part of )?message (\d+)(, asked for .+)?( \(.*\))?", re.DOTALL)
REWRITTEN = re.compile(r"rewritten by (.*): (\d+) -> (\d+) characters", re.DOTALL)
MOVED = re.compile(r"moved from place (\d+) to (\d+)")
MERGED = re.compile(r"merged with (.+?)( and (\d+) more)?")
CHANGED = re.compile(r"(role changed from (\w+) to (\w+))?(?:; )?(changed: ([^(]+?))?( \(.*\))?")

rules = st.lists(
    st.sampled_from(
        [
            RegexRule(
                id="insert", regex="(?=ship)", replacement="big ", apply_to=AppliesTo(render=False, request=True)
            ),
            RegexRule(id="no", regex="yes|no", replacement="perhaps", apply_to=AppliesTo(render=False, request=True)),
            RegexRule(id="cut", regex="好 ?", replacement="", apply_to=AppliesTo(render=False, request=True)),
            RegexRule(id="twice", regex="perhaps", replacement="no", apply_to=AppliesTo(render=False, request=True)),
        ]
    ),
    max_size=4,
    unique_by=lambda rule: rule.id,
)
choices = st.fixed_dictionaries(
    {},
    optional={
        "session-loader.tool_role": st.just("user"),
        "token-limiter.budget_tokens": st.integers(30, 90),
        "token-limiter.strategy": st.sampled_from(["sliding", "head-and-tail", "middle-out", "block"]),
        "token-limiter.retained_characters": st.integers(1, 5),
        "token-limiter.marker": st.sampled_from(["", "…"]),
        "merge-system.hoist": st.just("all"),
        "merge-system.enabled": st.just(False),
        "merge-consecutive.separator": st.sampled_from(["", " + "]),
        "merge-consecutive.priority": st.sampled_from([150, 350]),
        "convert-system.enabled": st.just(True),
        "convert-system.priority": st.sampled_from([250, 450]),
        "ensure-alternating.enabled": st.just(True),
    },
)


def run(session: Session, agent: Agent, found: list[RegexRule], changed: dict[str, Any]) -> Trace:
    try:
        return build(session, agent, rules=found, settings=changed, services=SERVICES)
    except BudgetTooSmall:
        assume(False)
        raise


def keys_of(trace: Trace) -> set[str]:
    drafts = [draft for step in trace.steps for draft in all_of(step.after)]
    return {key for draft in drafts for key in (draft.key, *(part.key for part in draft.parts))}


def all_of(ctx: Context) -> list[Draft]:
    return [*ctx.drafts, *(draft for group in ctx.dropped for draft in group.drafts)]


def is_true(event: Event, step: Step, key: str) -> bool:
    before, after = step.before.draft(key), step.after.draft(key)
    checks = {
        "added": _added,
        "rewritten": _rewritten,
        "changed": _changed,
        "moved": _moved,
        "merged": _merged,
        "dropped": _dropped,
    }
    return checks[event.kind](event, step, key, before, after)


def _added(event: Event, step: Step, key: str, before: Draft | None, after: Draft | None) -> bool:
    said = ADDED.fullmatch(event.text)
    assert said is not None and after is not None
    stands = step.after.drafts[int(said[2]) - 1] is after and bool(said[1]) == (after.key != key)
    why = event.cause is None or event.cause in {span.cause for span in after.text.spans}
    return before is None and stands and (why or bool(after.text.made_by))


def _rewritten(event: Event, step: Step, key: str, before: Draft | None, after: Draft | None) -> bool:
    said = REWRITTEN.fullmatch(event.text)
    assert said is not None and event.before is not None and event.after is not None and event.cause is not None
    assert before is not None and after is not None
    words = str(event.before.text), str(event.after.text)
    inside = words[0] in str(before.text) and words[1] in str(after.text)
    lengths = (int(said[2]), int(said[3])) == (len(words[0]), len(words[1]))
    return inside and lengths and words[0] != words[1] and event.cause.processor == step.id


def _changed(event: Event, step: Step, key: str, before: Draft | None, after: Draft | None) -> bool:
    said = CHANGED.fullmatch(event.text)
    assert said is not None and after is not None
    mine = after.changes[len(before.changes) if before else 0 :]
    assert event.cause is None or event.cause in {change.cause for change in mine}
    if before is None:  # as it was stored
        return said[5].split(", ") == list(dict.fromkeys(change.field for change in mine))
    roles = (said[2], said[3]) == ((before.role, after.role) if before.role != after.role else (None, None))
    names = {"calls", "result_of", "reasoning", "speaker", "pinned", "meta", "priority"}
    told = set(said[5].split(", ")) if said[5] else set[str]()
    return roles and told & names == {name for name in names if getattr(before, name) != getattr(after, name)}


def _moved(event: Event, step: Step, key: str, before: Draft | None, after: Draft | None) -> bool:
    said = MOVED.fullmatch(event.text)
    assert said is not None
    return step.before.drafts[int(said[1]) - 1] is before and step.after.drafts[int(said[2]) - 1] is after


def _merged(event: Event, step: Step, key: str, before: Draft | None, after: Draft | None) -> bool:
    said = MERGED.fullmatch(event.text)
    assert said is not None and before is not None and after is not None
    named = said[1].split(", ")
    new = {part.key for part in after.parts} - {part.key for part in before.parts}
    whole = set(named) <= new and len(named) + int(said[3] or 0) == len(new)
    return whole and (event.cause is None or event.cause.processor == step.id)


def _dropped(event: Event, step: Step, key: str, before: Draft | None, after: Draft | None) -> bool:
    groups = [group for group in step.after.dropped if group not in step.before.dropped]
    mine = [group for group in groups for draft in group.drafts if key in {part.key for part in draft.parts}]
    return [group.cause for group in mine] == [event.cause] and after is None


@settings(deadline=None, max_examples=150)
@given(sessions(), agents(), rules, choices)
def test_every_event_of_every_life_is_true(
    session: Session, agent: Agent, found: list[RegexRule], changed: dict[str, Any]
) -> None:
    trace = run(session, agent, found, changed)

    for key in keys_of(trace):
        life = trace.why(key)
        assert life.draft is trace.result.draft(key)
        for event in life.events:
            assert is_true(event, trace.step(event.step), key), (key, event)


@settings(deadline=None, max_examples=80)
@given(sessions(), agents(), rules, choices)
def test_nothing_that_happened_to_a_message_goes_unsaid(
    session: Session, agent: Agent, found: list[RegexRule], changed: dict[str, Any]
) -> None:
    trace = run(session, agent, found, changed)

    for key in keys_of(trace):
        told = {event.step for event in trace.why(key).events}
        for step in trace.steps:
            before, after = step.before.draft(key), step.after.draft(key)
            gone = (before is None) != (after is None)
            if gone or (before and after and before.key == key == after.key and says(before) != says(after)):
                assert step.id in told


def says(draft: Draft) -> object:
    return str(draft.text), draft.role, draft.calls, draft.result_of, draft.reasoning, draft.merged
