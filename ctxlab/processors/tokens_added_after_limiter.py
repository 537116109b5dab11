"""The error text for a finished run above its budget: the steps after the limiter and the tokens each added."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Stage, Step, Trace


@dataclass(frozen=True, slots=True)
class Added:
    """Tokens that came to the messages in one step. `stage` is None for a person's edit."""

    step: Step
    stage: Stage | None
    tokens: int
    announced: int
    """Tokens that the step had said it might add, and that the limiter left room for."""

    @property
    def name(self) -> str:
        return self.step.id if self.stage else "an edit by hand"

    @property
    def adds_messages(self) -> bool:
        return len(self.step.after.drafts) > len(self.step.before.drafts)

    def __str__(self) -> str:
        announced = f" (it had announced {self.announced:,})" if 0 < self.announced < self.tokens else ""
        return f"{self.name} added {self.tokens:,}{announced}"


def over_budget_message(trace: Trace, limiter: str, promised: int) -> str:
    """Tokens of the result, tokens that each step after the limiter added, and the remedy, as one message."""
    head = f"the final messages have {trace.tokens:,} tokens, the limiter promised {promised:,}"
    added = added_after(trace, limiter)
    if not added:
        cut = trace.tokens_of(trace.step(limiter).after)
        return (
            f"{head}; no step after it added any, it left {cut:,} itself: a bug, or a tokenizer that changes its mind"
        )
    unannounced = [each for each in added if each.tokens > each.announced]
    return f"{head}; after it {_and(list(map(str, added)))}. {_remedy(unannounced or added, limiter)}"


def added_after(trace: Trace, limiter: str) -> list[Added]:
    """The steps after the limiter that made the messages larger, the largest addition first."""
    found: list[Added] = []
    for step in trace.steps[trace.index(limiter) + 1 :]:
        tokens = 0 if step.did_nothing else trace.tokens_of(step.after) - trace.tokens_of(step.before)
        if tokens > 0:
            stage = None if step.edited else trace.pipeline.stage(step.id)
            each = stage.processor.may_add_tokens(trace.services.tokenizer) if stage else 0
            found.append(Added(step, stage, tokens, each * len(step.before.drafts)))
    return sorted(found, key=lambda each: -each.tokens)


def _remedy(added: Sequence[Added], limiter: str) -> str:
    stages = [each.stage for each in added if each.stage]
    if not stages:
        return f"Make the edit before {limiter}, or raise its budget"
    first = max(stage.priority for stage in stages) + 1
    names = _and([stage.id for stage in stages])
    advice = f"Let {limiter} run after {names}: give it a priority of {first} or more"
    small = [each.name for each in added if each.stage and not each.adds_messages]
    return f"{advice}; or let may_add_tokens of {_and(small)} say what is added to each message" if small else advice


def _and(words: Sequence[str]) -> str:
    return " and ".join([*([", ".join(words[:-1])] if len(words) > 1 else []), words[-1]])
