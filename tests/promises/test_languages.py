"""Promises of the small languages together: macros, rules, lore and variables in one build."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab import Agent, Session, Trace, UserProfile, build
from ctxlab.context import Context, Span
from ctxlab.documents import RegexRule, Worldbook
from tests.reports import left

ALL = ["system", "user", "assistant", "tool"]
SAID = [
    "the old harbour",
    "a dragon, 龙",
    "{{user}} and {{char}}",
    "$1 $& {{roll::1d6}}",
    "$[gold]",
    "<svar name='gold'>",
]
PRESETS = [
    "you are {{char}}",
    "{{setvar::a::{{user}}}}",
    "{{getvar::a}} 好",
    "{{random::x::y}}",
    "{{lastMessage}}",
    "gold: $[gold]",
    "{{persona}}",
]
LORE = ["the harbour has a dragon", "龙 is {{char}}", "{{setvar::a::lore}}", "$[gold] {{getvar::a}}"]
RULES = [("dragon", "[$&]"), ("(a)(b)?", "$2$1"), ("", "-"), ("[", "x"), ("harbour", "{{user}}"), ("龙", "$$&")]

sessions = st.lists(st.sampled_from(SAID), min_size=1, max_size=6).map(
    lambda said: _chat([(text, "assistant" if n % 2 else "user") for n, text in enumerate(said)])
)
rules = st.lists(st.sampled_from(RULES), max_size=3).map(
    lambda pairs: [
        RegexRule.model_validate(
            {
                "id": f"r{n}",
                "regex": pattern,
                "replacement": replacement,
                "targetRoles": ALL,
                "applyTo": {"render": True, "request": True},
                "substitutionMode": "RAW" if n % 2 else "NONE",
            }
        )
        for n, (pattern, replacement) in enumerate(pairs)
    ]
)
books = st.lists(
    st.fixed_dictionaries(
        {
            "key": st.sampled_from([["harbour"], ["龙", "dragon"], ["/drag(on)?/i"], []]),
            "content": st.sampled_from(LORE),
            "position": st.integers(0, 7),
            "depth": st.integers(0, 3),
            "probability": st.sampled_from([0, 50, 100]),
            "constant": st.booleans(),
            "group": st.sampled_from(["", "g"]),
            "outletName": st.sampled_from(["", "box"]),
        }
    ),
    max_size=4,
).map(
    lambda entries: Worldbook.model_validate(
        {"id": "b", "name": "B", "entries": {str(n): {"uid": n, **entry} for n, entry in enumerate(entries)}}
    )
)
agents = st.lists(st.sampled_from(PRESETS), max_size=4).map(
    lambda texts: Agent.model_validate(
        {
            "id": "a",
            "name": "Nova",
            "presetMessages": [{"id": f"p{n}", "role": "system", "content": text} for n, text in enumerate(texts)],
            "variableConfig": {
                "enabled": True,
                "definitions": [{"key": "gold", "type": "variable", "initialValue": 3}],
            },
        }
    )
)
users = st.sampled_from(["Kim", "{{char}}", "$&", "龙"]).map(lambda name: UserProfile(id="u", name=name, content=name))


def _chat(said: list[tuple[str, Any]]) -> Session:
    session = Session(id="s").append("", role="system", id="root")
    for n, (text, role) in enumerate(said):
        session = session.append(text, role=role, id=f"n{n}")
    return session


def built(session: Session, agent: Agent, user: UserProfile, book: Worldbook, of_all: list[RegexRule]) -> Trace:
    return build(session, agent, user=user, books=[book], rules=of_all, seed=7, timestamp="2025-11-07T14:30:05Z")


def contexts(trace: Trace) -> Iterator[Context]:
    return (step.after for step in trace.steps)


def was(span: Span) -> str:
    return "".join(older.text for older in span.was)


@settings(deadline=None, max_examples=60)
@given(sessions, agents, users, books, rules)
def test_every_text_is_its_spans(session: Any, agent: Any, user: Any, book: Any, of_all: Any) -> None:
    trace = built(session, agent, user, book, of_all)

    for draft in (draft for ctx in contexts(trace) for draft in ctx.drafts):
        assert "".join(span.text for span in draft.text.spans) == str(draft.text)


@settings(deadline=None, max_examples=60)
@given(sessions, agents, users, books, rules)
def test_the_same_request_gives_the_same_context(session: Any, agent: Any, user: Any, book: Any, of_all: Any) -> None:
    one, two = (built(session, agent, user, book, of_all) for _ in range(2))

    assert one.messages == two.messages
    assert left(one.result, "lore") == left(two.result, "lore")


@settings(deadline=None, max_examples=60)
@given(sessions, agents, users, books)
def test_macros_in_the_history_are_never_expanded(session: Any, agent: Any, user: Any, book: Any) -> None:
    trace = built(session, agent, user, book, [])

    for draft in trace.step("injection-assembler").after.drafts:
        if draft.origin.kind == "node":
            assert str(draft.text) == session.nodes[draft.origin.ref].content


@settings(deadline=None, max_examples=60)
@given(sessions, agents, users, books)
def test_what_a_macro_put_there_is_not_expanded_again(session: Any, agent: Any, user: Any, book: Any) -> None:
    trace = built(session, agent, user, book, [])

    for draft in trace.step("injection-assembler").after.drafts:
        for span in draft.text.spans:
            if span.origin.kind == "macro" and span.origin.ref == "user":
                assert span.text == user.name


@settings(deadline=None, max_examples=60)
@given(sessions, agents, users, books, rules)
def test_a_rules_span_remembers_exactly_what_it_replaced(
    session: Any, agent: Any, user: Any, book: Any, of_all: Any
) -> None:
    step = built(session, agent, user, book, of_all).step("regex-processor")

    for before, after in zip(step.before.drafts, step.after.drafts, strict=True):
        restored = "".join(
            was(span) if span.cause and span.cause.processor == "regex-processor" else span.text
            for span in after.text.spans
        )
        if len({span.cause.rule for span in after.text.spans if span.cause}) <= 1:
            assert restored == str(before.text)


@settings(deadline=None, max_examples=40)
@given(sessions, agents, users, books, rules)
def test_stepping_gives_what_building_gives(session: Any, agent: Any, user: Any, book: Any, of_all: Any) -> None:
    trace = built(session, agent, user, book, of_all)

    again = trace.upto(0).finished()

    assert again.messages == trace.messages
