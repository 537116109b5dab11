"""Where every token went, step by step and rule by rule."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ctxlab.context import Cause, Draft, Dropped
from ctxlab.pipeline.services import Tokenizer
from ctxlab.pipeline.trace import Step

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace

OVERHEAD = "overhead"


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
    """The ledger of a run: per step one row a rule, then the overhead of the wire format in a row of its own."""
    return tuple(row for step in trace.steps for row in _of_step(step, trace.services.tokenizer))


def _of_step(step: Step, counter: Tokenizer) -> Iterator[LedgerRow]:
    accounts: dict[str, Account] = {}

    def book(rule: str, **tokens: int) -> None:
        accounts.setdefault(rule, Account()).add(Account(**tokens))

    def words(draft: Draft) -> int:
        return counter.count_draft(draft) - counter.message_tokens

    before = {draft.key: draft for draft in step.before.drafts}
    groups = step.after.dropped[len(step.before.dropped) :]
    for group in groups:
        for draft in group.drafts:
            tokens = words(draft)
            known = before.get(draft.key)
            if known is None:
                book(group.cause.rule, added=tokens, cut=tokens)
            else:
                book(group.cause.rule, came_in=words(known), cut=tokens, rewritten=words(known) - tokens)
    for draft in step.after.drafts:
        parts = [before[part.key] for part in draft.parts if part.key in before]
        known = before.get(draft.key)
        if (len(draft.merged) > 1 and len(parts) > 1) or (draft.merged and known is None):
            joined = sum(words(part) for part in parts)
            book(_rule_of(draft, "separator"), came_in=joined, merged=words(draft), seams=joined - words(draft))
        elif known is None:
            book(_added_rule(draft), added=words(draft), kept=words(draft))
        elif known is draft:
            book("", came_in=words(draft), kept=words(draft))
        else:
            saved = words(known) - words(draft)
            book(_rewrite_rule(known, draft), came_in=words(known), kept=words(draft), rewritten=saved)
    for rule, account in accounts.items():
        yield LedgerRow(step.id, rule, account)
    yield LedgerRow(step.id, OVERHEAD, _overhead(step, groups, counter))


def _overhead(step: Step, groups: Sequence[Dropped], counter: Tokenizer) -> Account:
    """What the wire format spends on messages: cut messages take theirs along, joined ones save it."""
    each, once = counter.message_tokens, counter.request_tokens
    came_in, goes_out = len(step.before.drafts), len(step.after.drafts)
    cut = sum(len(group.drafts) for group in groups)
    old = {draft.key for draft in step.before.drafts}
    joined = sum(
        sum(part.key in old for part in draft.merged) - 1
        for draft in step.after.drafts
        if draft.merged and sum(part.key in old for part in draft.merged) > 1
    )
    added = goes_out + cut + joined - came_in
    return Account(
        came_in=came_in * each + once,
        added=added * each,
        kept=goes_out * each + once,
        cut=cut * each,
        seams=joined * each,
    )


def _rule_of(draft: Draft, kind: str) -> str:
    return next((s.cause.rule for s in draft.text.spans if s.cause and s.origin.kind == kind), "merged")


def _added_rule(draft: Draft) -> str:
    placement = draft.meta.get("placement")
    return f"{draft.origin.kind} {placement}" if placement else draft.origin.kind


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

    def as_data(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "rule": self.cause.rule,
            "reason": self.cause.reason,
            "key": self.draft.key,
            "role": self.draft.role,
            "text": str(self.draft.text),
            "tokens": self.tokens,
            "needed": self.needed,
            "left": self.left,
        }


def cut_rows(trace: Trace) -> tuple[CutRow, ...]:
    """Every message that was cut, in the order in which it went; the figures of the border stand with its unit."""
    count = trace.services.tokenizer.count_draft
    rows: list[CutRow] = []
    for step in trace.steps:
        for group in step.after.dropped[len(step.before.dropped) :]:
            for draft in group.drafts:
                needed, left = (group.needed, group.left) if draft.key in group.border else (None, None)
                rows.append(CutRow(step.id, group.cause, draft, count(draft), needed, left))
    return tuple(rows)
