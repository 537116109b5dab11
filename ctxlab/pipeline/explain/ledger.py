"""The ledger: for every token the step and the rule that added, kept, cut, rewrote or merged it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Draft, Dropped
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.garbage_collector import without_collection
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
    words = _Words(counter)
    rows: list[LedgerRow] = []
    for step in trace.steps:
        rows.extend(_StepLedger(step, words).rows(counter))
        if tools:
            rows.append(LedgerRow(step.id, TOOLS, Account(came_in=tools, kept=tools)))
    return tuple(rows)


class _Words:
    """Tokens of drafts without the overhead of their messages; each draft, and each tuple of drafts, is counted once.

    By identity, for as long as a run holds them.
    """

    def __init__(self, counter: TokenCounter) -> None:
        self.counter = counter
        self._of_draft: dict[int, int] = {}
        self._of_all: dict[int, int] = {}

    def __call__(self, draft: Draft) -> int:
        found = self._of_draft.get(id(draft))
        if found is None:
            found = self._of_draft[id(draft)] = self.counter.count_draft(draft) - self.counter.message_tokens
        return found

    def of_all(self, drafts: tuple[Draft, ...]) -> int:
        found = self._of_all.get(id(drafts))
        if found is None:
            found = self._of_all[id(drafts)] = sum(map(self, drafts))
        return found


class _StepLedger:
    """The accounts of one step. Every message that came in is booked once, under what became of it."""

    def __init__(self, step: Step, words: _Words) -> None:
        self.step = step
        self.words = words
        self.unbooked: dict[str, Draft] = {}
        self.accounts: dict[str, Account] = {}
        self.added = self.cut = self.joined = 0  # messages, for the overhead

    def rows(self, counter: TokenCounter) -> Iterator[LedgerRow]:
        before, after = self.step.before, self.step.after
        new = self._new_drafts()
        for group in after.dropped[len(before.dropped) :]:
            self._drop(group)
        self._keep(new)
        for draft in self.unbooked.values():  # only a person's edit takes a message out without a cause
            self.cut += 1
            tokens, account = self.words(draft), self._account(BY_HAND)
            account.came_in += tokens
            account.cut += tokens
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

    def _new_drafts(self) -> list[Draft]:
        """Those that weren't there before as they are; those that are no longer there as they were are to be booked."""
        before, after = self.step.before.drafts, self.step.after.drafts
        if before is after:
            return []
        was, there = set(map(id, before)), set(map(id, after))
        self.unbooked = {draft.key: draft for draft in before if id(draft) not in there}
        return [draft for draft in after if id(draft) not in was]

    def _drop(self, group: Dropped) -> None:
        for draft in group.drafts:
            account = self._account(group.cause.rule)
            sources, came_in, tokens = self._sources_of(draft)
            self.cut += 1
            account.came_in += came_in
            account.cut += tokens
            if not sources:
                account.added += tokens
            elif len(sources) == 1:
                account.rewritten += came_in - tokens
            else:
                account.seams += came_in - tokens

    def _keep(self, new: Sequence[Draft]) -> None:
        drafts = self.step.after.drafts
        untouched = self.words.of_all(drafts) - sum(map(self.words, new))
        for draft in new:
            sources, came_in, tokens = self._sources_of(draft)
            if not sources:
                account = self._account(_added_rule(draft))
                account.added += tokens
                account.kept += tokens
                continue
            account = self._account(_merge_rule(draft) if len(sources) > 1 else _rewrite_rule(sources[0], draft))
            account.came_in += came_in
            if len(sources) > 1:
                account.merged += tokens
                account.seams += came_in - tokens
            else:
                account.kept += tokens
                account.rewritten += came_in - tokens
        if untouched:
            account = self._account("")
            account.came_in += untouched
            account.kept += untouched

    def _sources_of(self, draft: Draft) -> tuple[list[Draft], int, int]:
        """The messages before the step that went into a draft, their tokens, and the draft's own."""
        keys = dict.fromkeys((draft.key, *(part.key for part in draft.merged))) if draft.merged else (draft.key,)
        sources = [self.unbooked.pop(key) for key in keys if key in self.unbooked]
        self.added += not sources
        self.joined += max(0, len(sources) - 1)
        tokens = self.words(draft)
        return sources, tokens if sources == [draft] else sum(map(self.words, sources)), tokens

    def _account(self, rule: str) -> Account:
        return self.accounts.setdefault(rule, Account())


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
        with without_collection():
            for group in groups:
                for draft in group.drafts:
                    needed, left = (group.needed, group.left) if draft.key in group.border else (None, None)
                    more = details.get(draft.key, "")
                    rows.append(CutRow(step.id, group.cause, draft, count(draft), needed, left, more))
    return tuple(rows)
