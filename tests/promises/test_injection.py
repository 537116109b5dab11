"""Promises of placing presets, for presets placed in every way there is."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.context import BuildInput, Context, Draft
from ctxlab.documents import Agent, ModelProfile
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import InjectionAssembler, SessionLoader
from ctxlab.testing.fakes import WordTokenizer
from tests.promises.strategies import agents, sessions

models = st.sampled_from([None, ModelProfile(id="gpt-4o")])


def assembled(session: Any, agent: Agent, model: ModelProfile | None = None) -> Trace:
    ctx = Context(BuildInput(session, agent=agent, model=model))
    return Pipeline.of([SessionLoader, InjectionAssembler]).run(ctx, Services(tokenizer=WordTokenizer()))


def number(draft: Draft) -> int:
    """The position of the preset that a draft came from."""
    return int(draft.key.removeprefix("preset:").partition("@")[0])


skeletons = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "assistant"]), "content": st.sampled_from(["a", "b", "好"])},
        optional={"isEnabled": st.booleans(), "type": st.sampled_from(["message", "chat_history"])},
    ),
    max_size=6,
)


@settings(deadline=None)
@given(sessions(max_size=4), skeletons)
def test_presets_without_a_place_are_where_they_always_were(session: Any, presets: list[dict[str, Any]]) -> None:
    agent = Agent.model_validate({"presetMessages": [{"id": f"p{n}", **preset} for n, preset in enumerate(presets)]})

    trace = assembled(session, agent)

    history = [draft.key for draft in trace.step("session-loader").after.drafts]
    marks = [n for n, preset in enumerate(presets) if preset.get("type") == "chat_history"]
    sent = [n for n, p in enumerate(presets) if p.get("isEnabled", True) and p.get("type") != "chat_history"]
    mark = marks[0] if marks else len(presets)
    expected = [f"preset:{n}" for n in sent if n < mark] + history + [f"preset:{n}" for n in sent if n > mark]
    assert [draft.key for draft in trace.result.drafts] == expected


@settings(deadline=None)
@given(sessions(max_size=4), agents(of_program=False), models)
def test_the_history_keeps_its_order_and_its_objects(session: Any, agent: Agent, model: Any) -> None:
    trace = assembled(session, agent, model)

    before = trace.step("injection-assembler").before.drafts
    after = [draft for draft in trace.result.drafts if draft.origin.kind != "preset"]
    assert all(now is then for now, then in zip(after, before, strict=True))


@settings(deadline=None)
@given(sessions(max_size=4), agents(), models)
def test_every_preset_with_words_is_sent_or_says_why_not(session: Any, agent: Agent, model: Any) -> None:
    trace = assembled(session, agent, model)

    step = trace.step("injection-assembler")
    sent = {number(draft) for draft in step.after.drafts if draft.origin.kind == "preset"}
    sent |= {number(part) for draft in step.after.drafts for part in draft.parts if part.origin.kind == "preset"}
    groups = trace.changes(step.id).dropped
    gone = {number(draft) for group in groups for draft in group.drafts if draft.origin.kind == "preset"}
    words = {n for n, preset in enumerate(agent.preset_messages) if preset.content and preset.type != "chat_history"}
    assert words - sent - gone == set()
    if agent.macro_dialect is None:  # a card's examples may be sent in part
        assert sent & gone == set()


@settings(deadline=None)
@given(sessions(max_size=4), agents(), models)
def test_every_key_is_there_once(session: Any, agent: Agent, model: Any) -> None:
    keys = [draft.key for draft in assembled(session, agent, model).result.drafts]

    assert len(set(keys)) == len(keys)


@settings(deadline=None)
@given(sessions(max_size=4), agents(), models)
def test_a_depth_stands_before_that_many_messages_of_the_history(session: Any, agent: Agent, model: Any) -> None:
    trace = assembled(session, agent, model)

    drafts = trace.result.drafts
    length = len(trace.step("injection-assembler").before.drafts)
    for i, draft in enumerate(drafts):
        depth = draft.placement.depth if draft.placement else None
        if depth is not None:
            later = sum(other.origin.kind != "preset" for other in drafts[i:])
            assert later == max(0, min(length, -int(-depth // 1)))


@settings(deadline=None)
@given(sessions(max_size=4), agents(of_program=False), models)
def test_everything_that_a_preset_says_comes_from_it_or_from_a_macro(session: Any, agent: Agent, model: Any) -> None:
    for draft in assembled(session, agent, model).result.drafts:
        if draft.origin.kind != "preset":
            continue
        written = agent.preset_messages[number(draft)].content
        typed = "".join(
            span.text if not span.was else "".join(older.text for older in span.was) for span in draft.text.spans
        )
        assert typed == written
        assert {span.origin.kind for span in draft.text.spans} <= {"preset", "macro"}
