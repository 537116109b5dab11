"""The prompt of a run as a value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ctxlab.context import Draft, PromptLimit
from ctxlab.documents.session.message import ToolCall
from ctxlab.pipeline.garbage_collector import without_collection
from ctxlab.prompt import BuiltMessage, Prompt, PromptPart, RunFacts, TokenCounter
from ctxlab.prompt.tool_use import definition_part

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


def prompt_of(trace: Trace) -> Prompt[BuiltMessage]:
    """The messages that a run sends, counted by its own tokenizer, and what its request has beside them."""
    counter, drafts = trace.services.tokenizer, trace.result.drafts
    alone = parts_alone(trace)
    run = RunFacts(counter, alone, _answered(drafts, alone))
    limit = trace.result.report(PromptLimit)
    with without_collection():
        messages = tuple([BuiltMessage(draft, run) for draft in drafts])
    return Prompt(
        messages,
        tuple(_tools(trace, counter)),
        counter.request_tokens,
        limit.budget_tokens if limit is not None else None,
        limit.reserve_tokens if limit is not None else 0,
    )


def _tools(trace: Trace, counter: TokenCounter) -> Iterator[PromptPart]:
    agent = trace.start.input.agent
    tools = (agent.sent_tools if agent is not None else None) or ()
    left = counter.count_tools(tools) if tools else 0
    for tool in tools:
        tokens = counter.count_tools([tool])
        left -= tokens
        yield definition_part(tool, tokens)
    if left:  # a counter of somebody's own may take them together
        yield PromptPart("tools", "", left)


def _answered(drafts: Sequence[Draft], alone: Mapping[str, Draft]) -> dict[str, ToolCall]:
    """By key of a result the call that it answers, the nearest above it."""
    asked: dict[str, ToolCall] = {}
    found: dict[str, ToolCall] = {}
    for draft in drafts:
        for each in [alone.get(part.key, draft) for part in draft.merged] or [draft]:
            if each.result_of in asked:
                found[each.key] = asked[each.result_of]
            asked |= {call.id: call for call in each.calls}
    return found


def parts_alone(trace: Trace) -> dict[str, Draft]:
    """By key, the parts of merged messages, sent or dropped, as they last stood alone."""
    dropped = [draft for group in trace.result.dropped for draft in group.drafts]
    wanted = {part.key for draft in (*trace.result.drafts, *dropped) for part in draft.merged}
    alone: dict[str, Draft] = {}
    for step in reversed(trace.steps):
        if not wanted:
            break
        for draft in step.before.drafts:
            if draft.key in wanted and not draft.merged:
                alone[draft.key] = draft
                wanted.discard(draft.key)
    return alone
