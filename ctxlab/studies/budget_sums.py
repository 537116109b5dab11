"""The sums of a cut: what a message needed, and how the tokens left at the cut become those that are free."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.context import Dropped
from ctxlab.engines.truncation import BudgetReport
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Step, Trace
from ctxlab.pipeline.explain.message_names import message_name
from ctxlab.processors import TokenLimiter
from ctxlab.prompt.token_range import safe_counter, tokens_of

LATER = "set aside for later steps"
MOST_NAMED = 3
MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True, slots=True)
class BudgetSums:
    """Tokens of a run at its cut and after it; `left + set_aside + safe + saved` are those that are free in the end.

    `left_tokens` are what the limiter had over. It had set aside `set_aside_tokens` for what later steps may add to
    the messages that stay, and these took `saved_tokens` off again: negative where they added. `steps` are the ids of
    those that did. Each message was counted with `overhead_tokens` of the wire format's, and `later_tokens` more.
    With an overhead of one's own, a setting, it is all of both, and what is set aside may be negative. `safe_tokens`
    are those by which the safe side of an estimate is above the run's own count, where it was cut by that.
    """

    budget_tokens: int
    sent_tokens: int
    left_tokens: int
    set_aside_tokens: int
    saved_tokens: int
    steps: tuple[str, ...]
    overhead_tokens: int
    later_tokens: int
    own_overhead: bool = False
    safe_tokens: int = 0

    @property
    def free_tokens(self) -> int:
        """Tokens of the budget that the final messages don't take; negative where they are more than it."""
        return self.budget_tokens - self.sent_tokens

    def __str__(self) -> str:
        by = f"by {_and(self.steps)}" if self.steps else "by later steps"
        terms = [
            _term(self.left_tokens, "left"),
            _term(self.set_aside_tokens, "by the overhead that is set" if self.own_overhead else LATER),
            _term(self.safe_tokens, "by the safe estimate"),
            _term(self.saved_tokens, f"{'saved' if self.saved_tokens > 0 else 'added'} {by}"),
        ]
        shown = [terms[0], *(term for term in terms[1:] if not term.startswith("+ 0 "))]
        free = (
            f"{self.free_tokens:,} free" if self.free_tokens >= 0 else f"{MINUS}{-self.free_tokens:,}, over the budget"
        )
        return f"{' '.join(shown).removeprefix('+ ')} = {free}"


def budget_sums(trace: Trace) -> BudgetSums | None:
    """The sums of a run; None where nothing limits it, or it did not come to its cut.

    `105 left + 39 saved by merge-system and merge-consecutive = 144 free` is how they read.
    """
    step, report = _cut_of(trace)
    if step is None or report is None:
        return None
    overhead, own = trace.services.tokenizer.message_tokens, report.overhead_tokens
    at_cut = trace.tokens_of(step.after)
    counted = at_cut if report.estimate == "mean" else _safe_tokens_of(trace, step)
    changed = _later_changes(trace, step, at_cut)
    return BudgetSums(
        budget_tokens=report.budget_tokens,
        sent_tokens=trace.tokens,
        left_tokens=report.left_tokens,
        set_aside_tokens=report.budget_tokens - report.left_tokens - counted,
        saved_tokens=at_cut - trace.tokens,
        steps=tuple(changed),
        overhead_tokens=overhead if own is None else own,
        later_tokens=report.costs.cost_of.added_tokens if own is None else 0,
        own_overhead=own is not None,
        safe_tokens=counted - at_cut,
    )


def border_sum(trace: Trace, group: Dropped) -> str:
    """The sum of what messages needed at which a cut began, such as `119 + 3 overhead = 122 needed`.

    Empty where the group has no numbers, or its border is not among the messages that came to the cut.
    """
    step, report = _cut_of(trace)
    sums = budget_sums(trace)
    border = set(group.border)
    drafts = [draft for draft in step.before.drafts if draft.key in border] if step is not None else []
    if sums is None or group.needed is None or not drafts or len(drafts) != len(border):
        return ""
    counter = trace.services.tokenizer
    if report is not None and report.estimate == "safe":
        counter = safe_counter(counter)
    words = [counter.count_draft(draft) - counter.message_tokens for draft in drafts]
    if len(drafts) == 1:
        terms = [f"+ {words[0]:,}"]
    elif len(drafts) <= MOST_NAMED:
        terms = [f"+ {message_name(draft)} {n:,}" for draft, n in zip(drafts, words, strict=True)]
    else:
        terms = [f"+ {len(drafts):,} messages {sum(words):,}"]
    overhead, later = sums.overhead_tokens * len(drafts), sums.later_tokens * len(drafts)
    beside = group.needed - sum(words) - overhead - later
    terms += [
        _term(overhead, "overhead"),
        _term(later, LATER),
        _term(beside, "counted with it" if beside > 0 else "not counted"),
    ]
    shown = [terms[0], *(term for term in terms[1:] if not term.startswith("+ 0 "))]
    return f"{' '.join(shown).removeprefix('+ ')} = {group.needed:,} needed"


def _cut_of(trace: Trace) -> tuple[Step | None, BudgetReport | None]:
    step = next((step for step in trace.steps if step.id == TokenLimiter.id), None)
    return step, step.after.report(BudgetReport) if step is not None else None


def _safe_tokens_of(trace: Trace, step: Step) -> int:
    """Tokens after a step by the safe side of the run's estimate."""
    agent = trace.start.input.agent
    return tokens_of(safe_counter(trace.services.tokenizer), step.after.drafts, agent.sent_tools if agent else ())


def _later_changes(trace: Trace, step: Step, tokens: int) -> Iterator[str]:
    """Ids of the steps after one that made the messages larger or smaller; `tokens` are those after it."""
    for later in trace.steps[trace.index(step.id) + 1 :]:
        before = tokens
        tokens = tokens if later.did_nothing else trace.tokens_of(later.after)
        if tokens != before:
            yield later.id


def _term(tokens: int, words: str) -> str:
    return f"{'+' if tokens >= 0 else MINUS} {abs(tokens):,} {words}"


def _and(names: tuple[str, ...]) -> str:
    *first, last = names
    return " and ".join([*([", ".join(first)] if first else []), last])
