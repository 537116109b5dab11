"""A run in one sentence: what is sent, of which budget, what was cut, which lore fired, what rules changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import PromptLimit
from ctxlab.display.short_texts import counted
from ctxlab.engines.regexes.report import RuleHits
from ctxlab.engines.worldbook import LoreScan
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace

Topic = Literal["messages", "budget", "cut", "lore", "rules", "failed", "edits"]


@dataclass(frozen=True, slots=True)
class SummaryPart:
    """A part of the sentence, and what it is about."""

    words: str
    topic: Topic


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The sentence in its parts: the first ones say what is sent, those from `decided` on what decided it."""

    parts: tuple[SummaryPart, ...]
    decided: int

    def __str__(self) -> str:
        sent, why = ([part.words for part in half] for half in (self.parts[: self.decided], self.parts[self.decided :]))
        return "; ".join(filter(None, (", ".join(sent), ", ".join(why)))) + "."

    def as_data(self) -> dict[str, Any]:
        return {"decided": self.decided, "parts": [[part.words, part.topic] for part in self.parts]}


@checked_arguments
def run_summary(trace: Trace) -> RunSummary:
    """The sentence of a run, such as `12 messages, 1,645 of 1,800 tokens; 9 cut, 9 of 18 lore entries fired.`"""
    sent = (*_sent(trace),)
    return RunSummary((*sent, *_decided(trace)), len(sent))


def _sent(trace: Trace) -> Iterator[SummaryPart]:
    if trace.stopped_at is not None:
        yield SummaryPart(f"nothing is sent: the run stops at {trace.stopped_at}", "failed")
        return
    yield SummaryPart(counted(len(trace.result.drafts), "message"), "messages")
    limit = trace.result.report(PromptLimit)
    about = "about " if trace.estimated else ""
    of = (
        f" of {limit.budget_tokens:,} tokens" if limit is not None else f" {'token' if trace.tokens == 1 else 'tokens'}"
    )
    yield SummaryPart(f"{about}{trace.tokens:,}{of}", "budget")


def _decided(trace: Trace) -> Iterator[SummaryPart]:
    failed = next((step for step in trace.steps if step.failure is not None), None)
    if failed is not None and trace.stopped_at is None:
        yield SummaryPart(f"{failed.id} failed", "failed")
    cut = sum(len(group.drafts) for group in trace.result.dropped if group.needed is not None)
    if cut:
        yield SummaryPart(f"{cut:,} cut", "cut")
    scan = trace.result.report(LoreScan)
    if scan is not None and scan.decisions:
        entries = counted(len(scan), "lore entry", "lore entries")
        yield SummaryPart(f"{len(scan.fired):,} of {entries} fired", "lore")
    hits = trace.result.report(RuleHits)
    if hits is not None and hits.hits:
        rules = {id(hit.bound) for hit in hits.hits}
        changed = len({hit.key for hit in hits.hits})
        yield SummaryPart(f"{counted(len(rules), 'rule')} changed {counted(changed, 'message')}", "rules")
    lost = sum(step.is_lost for step in trace.steps)
    edits = sum(step.edited for step in trace.steps) - lost
    if edits:
        yield SummaryPart(counted(edits, "edit by hand", "edits by hand"), "edits")
    if lost:
        yield SummaryPart(f"{counted(lost, 'edit by hand', 'edits by hand')} lost", "edits")
