"""The gate before a request: whatever a context went through, what leaves is whole, and every change has a cause."""

from dataclasses import replace
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ctxlab.context import NOTHING, BuildInput, Context, Draft, Origin, Placement, Text
from ctxlab.context.tool_pairs import CallIds
from ctxlab.documents import Session, ToolCall
from ctxlab.engines.tokens import Tokenizer
from ctxlab.pipeline import NothingToSend, Services, StartsWithToolResult
from ctxlab.pipeline.conservation.check_step import check_step
from ctxlab.processors import RequestGate
from ctxlab.testing.fakes import WordTokenizer

EMPTY = Session.model_validate({"id": "s", "nodes": {}})
SERVICES = Services(WordTokenizer())
LETTERS = Services(Tokenizer.counting("letters", len))
IDS = st.sampled_from(["a", "call_1", "call_2", "", "读"])
ARTIFACTS = st.lists(
    st.fixed_dictionaries(
        {
            "wire": st.sampled_from(["anthropic", ""]),
            "item": st.sampled_from(
                [{"type": "thinking", "thinking": "雨"}, {"type": "server_tool_use", "id": "srv"}, {}]
            ),
            "before": st.sampled_from(["text", "calls", "call_1", "a", ""]),
        }
    ),
    max_size=2,
)


@st.composite
def poisoned(draw: st.DrawFn) -> Context:
    """Drafts as broken histories give them: orphans, repeated and missing ids, results anywhere, empty replies."""
    drafts: list[Draft] = []
    for n in range(draw(st.integers(0, 9))):
        role: Any = draw(st.sampled_from(["user", "assistant", "assistant", "tool", "tool", "system"]))
        is_preset = draw(st.integers(0, 3)) == 0
        origin = Origin("preset", str(n)) if is_preset else Origin("node", f"n{n}")
        calls = draw(st.lists(st.builds(ToolCall, IDS, st.sampled_from(["look", " "]), st.sampled_from(["{}", "[1"]))))
        asks = role == "assistant"
        drafts.append(
            Draft(
                f"d{n}",
                role,
                (Text.of(draw(st.sampled_from(["", " ", "说", "words"])), origin),),
                origin,
                calls=tuple(calls[:3]) if asks else (),
                result_of=draw(IDS | st.none()) if role == "tool" else None,
                meta={"reasoningArtifacts": draw(ARTIFACTS)} if asks and draw(st.booleans()) else NOTHING,
                placement=Placement(draw(st.sampled_from(["skeleton", "depth"])), depth=1) if is_preset else None,
            )
        )
    return Context(BuildInput(EMPTY), tuple(drafts))


def sent(ctx: Context, services: Services = SERVICES) -> Context | None:
    """The context behind the gate, held to the law of every step; None where the gate refuses it."""
    try:
        after = RequestGate()(ctx, services)
    except NothingToSend:
        return None
    return check_step(ctx, after, processor="request-gate")


@settings(deadline=None)
@given(poisoned())
def test_pairs_are_whole_with_ids_of_their_own_and_results_right_behind_their_calls(ctx: Context) -> None:
    after = sent(ctx)

    drafts = after.drafts if after else ()
    ids = CallIds.of(drafts)
    assert not ids.orphans and not ids.unanswered
    assert all(id.strip() and times == 1 for id, times in ids.answered.items())
    for i, draft in enumerate(drafts):
        behind = drafts[i + 1 : i + 1 + len(draft.calls)]
        assert [answer.result_of for answer in behind] == [call.id for call in draft.calls]
    assert all(call.name.strip() for draft in drafts for call in draft.calls)


@settings(deadline=None)
@given(poisoned())
def test_a_conversation_is_never_sent_empty_nor_with_a_result_first(ctx: Context) -> None:
    after = sent(ctx)

    if after is None:
        return
    conversation = [draft for draft in ctx.drafts if draft.origin.kind == "node"]
    assert after.drafts or not conversation
    assert [draft.role for draft in after.drafts if draft.role != "system"][:1] != ["tool"]
    assert not any(
        draft.role == "assistant" and not (draft.calls or str(draft.text).strip() or draft.replayed)
        for draft in after.drafts
    )


@settings(deadline=None)
@given(poisoned())
def test_what_has_passed_the_gate_passes_it_unchanged(ctx: Context) -> None:
    after = sent(ctx)

    if after is not None:
        again = sent(after)
        assert again is not None
        assert again.drafts is after.drafts
        assert again.dropped is after.dropped
        assert again.notes == after.notes


@settings(deadline=None)
@given(poisoned(), st.sampled_from([SERVICES, LETTERS]))
def test_the_gate_adds_no_tokens(ctx: Context, services: Services) -> None:
    after = sent(ctx, services)

    count = services.tokenizer.count_draft
    if after is not None:
        assert sum(map(count, after.drafts)) <= sum(map(count, ctx.drafts))


@settings(deadline=None)
@given(poisoned(), poisoned())
def test_what_comes_later_changes_no_earlier_id(ctx: Context, later: Context) -> None:
    once = sent(ctx) or ctx
    assume(once is not ctx)
    more = [replace(draft, key=f"later-{draft.key}", origin=Origin("notice", draft.key)) for draft in later.drafts]

    grown = RequestGate()(Context(BuildInput(EMPTY), (*once.drafts, *more)), SERVICES)

    ids = {draft.key: [call.id for call in draft.calls] for draft in grown.drafts}
    assert all(ids[draft.key] == [call.id for call in draft.calls] for draft in once.drafts if draft.calls)


@settings(deadline=None)
@given(poisoned())
def test_with_repairs_switched_off_a_result_first_is_refused_and_the_remedy_is_true(ctx: Context) -> None:
    gate = RequestGate(RequestGate.Settings(repair_pairs=False))

    try:
        gate(ctx, SERVICES)
    except StartsWithToolResult:
        after = sent(ctx)
        assert after is None or [d.role for d in after.drafts if d.role != "system"][:1] != ["tool"]
    except NothingToSend:
        assert sent(ctx) is None
