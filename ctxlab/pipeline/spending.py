"""What the prompt is spent on, by source."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ctxlab.context import Draft
from ctxlab.pipeline.services import Tokenizer

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


@dataclass(frozen=True, slots=True)
class Spending:
    """Tokens by source, in the order in which a budget is read; what is not there has no entry."""

    tokens: dict[str, int]
    budget: int | None

    @property
    def total(self) -> int:
        """What the prompt has; equals `trace.tokens`."""
        return sum(n for source, n in self.tokens.items() if source not in ("reserve", "free"))


SOURCES: tuple[str, ...] = (
    "system",
    "presets",
    "lore",
    "knowledge",
    "profile",
    "history",
    "summaries",
    "tools",
    "attachments",
    "overhead",
    "seams",
    "reserve",
    "free",
)
BY_KIND = {"summary": "summaries", "lore": "lore", "knowledge": "knowledge", "transcript": "attachments"}


def spending(trace: Trace) -> Spending:
    """What the result is spent on. A merged message is split into what it was made of; the rest of it is `seams`."""
    counter = trace.services.tokenizer
    found = dict.fromkeys(SOURCES, 0)
    agent = trace.start.request.agent
    found["tools"] += counter.count_tools(agent.tools) if agent and agent.tools else 0
    found["overhead"] += counter.request_tokens
    alone = _before_merging(trace)
    for draft in trace.result.drafts:
        whole = counter.count_draft(draft)
        found["overhead"] += counter.message_tokens
        rest = whole - counter.message_tokens
        for part in [alone.get(p.key) for p in draft.merged] if draft.merged else [draft]:
            if part is None:
                continue
            for source, tokens in _of_message(part, counter):
                found[source] += tokens
                rest -= tokens
        found["seams"] += rest
    report = trace.result.shared.get("token-limiter")
    budget = int(report["budget"]) if report else None
    if report is not None and budget is not None:
        found["reserve"] = int(report.get("reserve", 0))
        found["free"] = budget - sum(n for source, n in found.items() if source != "reserve")
    return Spending({source: n for source, n in found.items() if n}, budget)


def _before_merging(trace: Trace) -> dict[str, Draft]:
    """The parts of merged messages as they last stood alone."""
    wanted = {part.key for draft in trace.result.drafts for part in draft.merged}
    alone: dict[str, Draft] = {}
    for step in reversed(trace.steps):
        if not wanted:
            break
        for draft in step.before.drafts:
            if draft.key in wanted and not draft.merged:
                alone[draft.key] = draft
                wanted.discard(draft.key)
    return alone


def _of_message(draft: Draft, counter: Tokenizer) -> Iterable[tuple[str, int]]:
    words = counter.count(str(draft.text))
    beside = counter.count_draft(draft) - counter.message_tokens - words
    source = _source(draft)
    yield source, words
    if draft.calls:
        yield "tools", beside
    else:
        yield ("attachments" if draft.assets else source), beside


def _source(draft: Draft) -> str:
    if draft.role == "tool":
        return "tools"
    if draft.origin.kind == "preset":
        if draft.meta.get("placement") == "template":
            return "profile"
        return "system" if draft.role == "system" else "presets"
    if draft.origin.kind in ("node", "pending"):
        return "history"
    return BY_KIND.get(draft.origin.kind, "overhead")
