"""The ledger: for every token the step and the rule that added, kept, cut, rewrote or merged it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.remedies import drop_details
from ctxlab.pipeline.services import TokenCounter
from ctxlab.pipeline.trace import Step
from ctxlab.prompt.merged_parts import seam_cause

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace

OVERHEAD = "overhead"
TOOLS = "tool definitions"
BY_HAND = "by hand"
LEDGER_COLUMNS = ("step", "rule", "in", "added", "kept", "cut", "rewritten", "merged", "seams", "out")
CUT_COLUMNS = ("step", "rule", "reason", "key", "role", "text", "tokens", "needed", "left")


@dataclass(slots=True)
class Account:
    """Tokens of one rule in one step: came_in + added = kept + cut + rewritten + merged + seams.

    `kept` are tokens of messages that stay their own, `merged` those of messages made of several; both go out.
    `rewritten` are tokens that rewriting saved, `seams` those that joining saved; both may be negative.
    """

    came_in: int = 0
    added: int = 0
    kept: int = 0
    cut: int = 0
    rewritten: int = 0
    merged: int = 0
    seams: int = 0

    @property
    def goes_out(self) -> int:
        return self.kept + self.merged

    def add(self, other: Account) -> None:
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line of the ledger."""

    step: str
    rule: str
    account: Account

    def as_data(self) -> dict[str, Any]:
        a = self.account
        return {
            "step": self.step,
            "rule": self.rule,
            "in": a.came_in,
            "added": a.added,
            "kept": a.kept,
            "cut": a.cut,
            "rewritten": a.rewritten,
            "merged": a.merged,
            "seams": a.seams,
            "out": a.goes_out,
        }


def ledger_rows(trace: Trace) -> tuple[LedgerRow, ...]:
    """The ledger of a run: per step one row a rule, then the overhead of the wire format in a row of its own.

    Tool definitions, where the agent has any, are a row that every step passes on.
    """
    agent, counter = trace.start.input.agent, trace.services.tokenizer
    tools = counter.count_tools(agent.sent_tools) if agent and agent.sent_tools else 0
    words = _counting(counter)
    rows: list[LedgerRow] = []
    for step in trace.steps:
        rows.extend(_StepLedger(step, words).rows(counter))
        if tools:
            rows.append(LedgerRow(step.id, TOOLS, Account(came_in=tools, kept=tools)))
    return tuple(rows)


def _counting(counter: TokenCounter) -> Callable[[Draft], int]:
    """Tokens of a draft without the overhead of its message; each draft is counted once."""
    known: dict[int, int] = {}

    def words(draft: Draft) -> int:
        found = known.get(id(draft))
        if found is None:
            found = known[id(draft)] = counter.count_draft(draft) - counter.message_tokens
        return found

    return words


class _StepLedger:
    """The accounts of one step. Every message that came in is booked once, under what became of it."""

    def __init__(self, step: Step, words: Callable[[Draft], int]) -> None:
        self.step = step
        self.words = words
        self.unbooked = {draft.key: draft for draft in step.before.drafts}
        self.accounts: dict[str, Account] = {}
        self.added = self.cut = self.joined = 0  # messages, for the overhead

    def rows(self, counter: TokenCounter) -> Iterator[LedgerRow]:
        before, after = self.step.before, self.step.after
        for group in after.dropped[len(before.dropped) :]:
            for draft in group.drafts:
                self._drop(draft, group.cause.rule)
        self._keep(after.drafts)
        for draft in self.unbooked.values():  # only a person's edit takes a message out without a cause
            self.cut += 1
            self._book(BY_HAND, came_in=self.words(draft), cut=self.words(draft))
        for rule, account in self.accounts.items():
            yield LedgerRow(self.step.id, rule, account)
        each, once = counter.message_tokens, counter.request_tokens
        overhead = Account(
            came_in=len(before.drafts) * each + once,
            added=self.added * each,
            kept=len(after.drafts) * each + once,
            cut=self.cut * each,
            seams=self.joined * each,
        )
        yield LedgerRow(self.step.id, OVERHEAD, overhead)

    def _drop(self, draft: Draft, rule: str) -> None:
        sources, came_in, tokens = self._sources_of(draft)
        self.cut += 1
        if not sources:
            self._book(rule, added=tokens, cut=tokens)
        elif len(sources) == 1:
            self._book(rule, came_in=came_in, cut=tokens, rewritten=came_in - tokens)
        else:
            self._book(rule, came_in=came_in, cut=tokens, seams=came_in - tokens)

    def _keep(self, drafts: Sequence[Draft]) -> None:
        untouched = 0
        for draft in drafts:
            if self.unbooked.get(draft.key) is draft:
                del self.unbooked[draft.key]
                untouched += self.words(draft)
                continue
            sources, came_in, tokens = self._sources_of(draft)
            if not sources:
                self._book(_added_rule(draft), added=tokens, kept=tokens)
            elif len(sources) == 1:
                self._book(_rewrite_rule(sources[0], draft), came_in=came_in, kept=tokens, rewritten=came_in - tokens)
            else:
                self._book(_merge_rule(draft), came_in=came_in, merged=tokens, seams=came_in - tokens)
        if untouched:
            self._book("", came_in=untouched, kept=untouched)

    def _sources_of(self, draft: Draft) -> tuple[list[Draft], int, int]:
        """The messages before the step that went into a draft, their tokens, and the draft's own."""
        keys = dict.fromkeys((draft.key, *(part.key for part in draft.merged)))
        sources = [self.unbooked.pop(key) for key in keys if key in self.unbooked]
        self.added += not sources
        self.joined += max(0, len(sources) - 1)
        return sources, sum(map(self.words, sources)), self.words(draft)

    def _book(self, rule: str, **tokens: int) -> None:
        self.accounts.setdefault(rule, Account()).add(Account(**tokens))


def _merge_rule(draft: Draft) -> str:
    cause = seam_cause(draft)
    return cause.rule if cause is not None else "merged"


def _added_rule(draft: Draft) -> str:
    return f"{draft.origin.kind} {draft.placement.kind}" if draft.placement else draft.origin.kind


def _rewrite_rule(before: Draft, after: Draft) -> str:
    old = {id(span) for span in before.text.spans}
    cause = next((s.cause for s in after.text.spans if s.cause and id(s) not in old), None)
    return cause.rule if cause else "changed"


@dataclass(frozen=True, slots=True)
class CutRow:
    """One message that is not sent: `needed` and `left` are tokens at the border where the cutting began."""

    step: str
    cause: Cause
    draft: Draft
    tokens: int
    needed: int | None
    left: int | None
    details: str = ""

    def as_data(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "rule": self.cause.rule,
            "reason": "; ".join(filter(None, (self.cause.reason, self.details))),
            "key": self.draft.key,
            "role": self.draft.role,
            "text": str(self.draft.text),
            "tokens": self.tokens,
            "needed": self.needed,
            "left": self.left,
        }


def cut_rows(trace: Trace) -> tuple[CutRow, ...]:
    """Every message that was cut, in order; `needed` and `left` are given for the unit at the cut."""
    count = trace.services.tokenizer.count_draft
    rows: list[CutRow] = []
    for step in trace.steps:
        groups = step.after.dropped[len(step.before.dropped) :]
        details = drop_details(trace, step, [draft.key for group in groups for draft in group.drafts])
        for group in groups:
            for draft in group.drafts:
                needed, left = (group.needed, group.left) if draft.key in group.border else (None, None)
                more = details.get(draft.key, "")
                rows.append(CutRow(step.id, group.cause, draft, count(draft), needed, left, more))
    return tuple(rows)
