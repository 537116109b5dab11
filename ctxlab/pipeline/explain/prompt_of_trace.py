"""The prompt of a run as a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.context import Draft, PromptLimit
from ctxlab.pipeline.garbage_collector import without_collection
from ctxlab.prompt import Prompt, PromptMessage

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


def prompt_of(trace: Trace) -> Prompt:
    """The messages that a run sends, counted by its own tokenizer, and what its request has beside them."""
    counter, agent = trace.services.tokenizer, trace.start.input.agent
    alone = parts_alone(trace)
    limit = trace.result.report(PromptLimit)
    with without_collection():
        messages = tuple([PromptMessage(draft, counter, alone) for draft in trace.result.drafts])
    return Prompt(
        messages,
        counter.count_tools(agent.sent_tools) if agent and agent.sent_tools else 0,
        counter.request_tokens,
        limit.budget_tokens if limit is not None else None,
        limit.reserve_tokens if limit is not None else 0,
    )


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
