"""Ways of thinking between models: a budget, an effort, a switch, or as the model sees fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.parameters.thinking import Effort, ThinkingMode
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.model_info import ModelInfo
from ctxlab.providers.problem import Fix
from ctxlab.providers.request_parameters import Thinking

EFFORTS: tuple[Effort, ...] = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Efforts from the least to the most."""
BUDGETS: dict[Effort, int] = {
    "minimal": 1_024,
    "low": 2_048,
    "medium": 8_192,
    "high": 16_384,
    "xhigh": 32_768,
    "max": 65_536,
}
"""Tokens for an effort. No vendor publishes such a table; the steps are those in which their budgets are offered."""
USUAL_BUDGET = 8_192
USUAL_EFFORT: Effort = "medium"
INSTEAD: dict[ThinkingMode, tuple[ThinkingMode, ...]] = {
    "on": ("adaptive", "effort", "budget"),
    "budget": ("effort", "adaptive", "on"),
    "effort": ("adaptive", "budget", "on"),
    "adaptive": ("effort", "on", "budget"),
    "off": (),
}
"""The ways that take the place of one that a model doesn't have, the nearest first."""


@dataclass(slots=True, eq=False)
class Settling:
    """Notes and losses; `model` is the name by which they call the model."""

    model: str
    notes: list[Note] = field(default_factory=list[Note])
    losses: list[RequestLoss] = field(default_factory=list[RequestLoss])

    def note(self, text: str) -> None:
        self.notes.append(Note("info", text))

    def lose(self, what: str, reason: str, fix: Fix | None = None) -> None:
        self.losses.append(RequestLoss("parameter", what, reason, fix=fix))


def fitted_thinking(wanted: Thinking | None, model: ModelInfo, out: Settling) -> Thinking | None:
    """The way of thinking that a model has for the one that is wanted; what becomes of it is noted."""
    if wanted is None:
        return None
    if wanted.mode == "off" or wanted.effort == "none":
        return _off(model, out)
    if set(model.thinking) <= {"off"}:
        out.lose("thinking", f"{out.model} doesn't think; it isn't sent")
        return None
    mode = _mode(wanted, model)
    found = _translated(wanted, mode, model)
    _tell_dropped(wanted, found, model, out)
    if mode != wanted.mode:
        out.note(f"{out.model} has no thinking by {_WORDS[wanted.mode]}; {_sent(found)} is sent instead")
    return _bounded(_with_known_effort(found, model, out), model, out)


def _tell_dropped(wanted: Thinking, found: Thinking, model: ModelInfo, out: Settling) -> None:
    """Say what isn't sent of a budget and an effort: one gives way to the other, or to a way without."""
    budget, effort = wanted.budget_tokens, wanted.effort
    if budget is not None and found.budget_tokens is None:
        if effort is None and found.effort is not None:
            if wanted.mode != "budget":
                out.note(f"the thinking budget of {budget:,} tokens became {_sent(found)}")
        else:
            out.lose(
                "thinking_budget", f"{_sent(found)} is sent, which takes no number of tokens", _leave("thinkingBudget")
            )
    elif budget is not None and found.budget_tokens != budget:
        out.lose(
            "thinking_budget", f"{_sent(found)} is sent, by the effort that is given too", _leave("thinkingBudget")
        )
    if effort is not None and found.effort is None and found.mode != "budget":
        out.lose("reasoning_effort", f"{_sent(found)} is sent, which takes no effort", _leave("reasoningEffort"))


def _leave(name: str) -> Fix:
    return Fix(f"leave {name} out", parameters={name: None})


_WORDS: dict[ThinkingMode, str] = {
    "off": "a switch",
    "on": "a switch",
    "budget": "a budget",
    "effort": "an effort",
    "adaptive": "its own measure",
}


def _off(model: ModelInfo, out: Settling) -> Thinking | None:
    if "off" in model.thinking and not model.thinks_always:
        return Thinking("off") if set(model.thinking) != {"off"} else None
    least = _least(model)
    words = f"; {_sent(least)} is the least that can be asked for, and is sent" if least else "; nothing is sent of it"
    out.lose("thinking", f"{out.model} always thinks{words}")
    return least


def _least(model: ModelInfo) -> Thinking | None:
    efforts: list[Effort] = [each for each in EFFORTS if each in model.efforts and each != "none"]
    if efforts and "effort" in model.thinking:
        return Thinking("effort", effort=efforts[0])
    if efforts and "adaptive" in model.thinking:
        return Thinking("adaptive", effort=efforts[0])
    if "budget" in model.thinking and model.min_thinking_budget:
        return Thinking("budget", model.min_thinking_budget)
    return None


def _mode(wanted: Thinking, model: ModelInfo) -> ThinkingMode:
    if wanted.mode in model.thinking:
        return wanted.mode
    instead: list[ThinkingMode] = [mode for mode in INSTEAD[wanted.mode] if mode in model.thinking]
    return instead[0] if instead else wanted.mode


def _translated(wanted: Thinking, mode: ThinkingMode, model: ModelInfo) -> Thinking:
    effort, budget = wanted.effort, wanted.budget_tokens
    by_effort = mode == "effort" or (mode == "adaptive" and wanted.mode != "adaptive")
    if effort is None and budget is not None and by_effort:
        effort = effort_of(budget, model.efforts)
    if mode == wanted.mode:
        tokens = (budget or USUAL_BUDGET) if mode == "budget" else None
        return replace(wanted, budget_tokens=tokens, effort=effort)
    match mode:
        case "budget":
            tokens = BUDGETS.get(effort, USUAL_BUDGET) if effort else budget or USUAL_BUDGET
            return Thinking("budget", tokens, include=wanted.include)
        case "effort":
            own = USUAL_EFFORT if not model.thinks_by_default else None
            return Thinking("effort", effort=effort or own, include=wanted.include)
        case "adaptive":
            return Thinking("adaptive", effort=effort if model.efforts else None, include=wanted.include)
        case _:
            return Thinking(mode, include=wanted.include)


def effort_of(budget: int, efforts: Sequence[Effort] = ()) -> Effort:
    """The effort whose number of tokens is nearest to a budget, among those that a model has."""
    known: list[Effort] = [each for each in efforts if each in BUDGETS] or list(BUDGETS)
    distances: list[tuple[int, Effort]] = [(abs(BUDGETS[effort] - budget), effort) for effort in known]
    return min(distances, key=lambda found: found[0])[1]


def _with_known_effort(thinking: Thinking, model: ModelInfo, out: Settling) -> Thinking:
    """The nearest effort that the model has; none where it has none."""
    effort = thinking.effort
    if effort is None or not model.known or effort in model.efforts:
        return thinking
    rungs: list[Effort] = [each for each in model.efforts if each != "none"]
    if not rungs or thinking.mode == "budget":
        out.lose("reasoning_effort", f"{out.model} takes no effort beside this way of thinking; it isn't sent")
        return replace(thinking, effort=None)
    at = EFFORTS.index(effort)
    nearest = min(rungs, key=lambda each: (abs(EFFORTS.index(each) - at), -EFFORTS.index(each)))
    out.note(f"{out.model} has no effort {effort!r}; {nearest!r} is sent")
    return replace(thinking, effort=nearest)


def _bounded(thinking: Thinking, model: ModelInfo, out: Settling) -> Thinking:
    budget = thinking.budget_tokens
    if thinking.mode != "budget" or budget is None:
        return thinking
    least, most = model.min_thinking_budget or 1, model.max_thinking_budget
    fitting = max(least, min(budget, most) if most else budget)
    if fitting != budget:
        end = f"at least {least:,}" if fitting > budget else f"at most {most:,}"
        out.note(f"the thinking budget of {budget:,} tokens became {fitting:,}: {out.model} takes {end}")
    return replace(thinking, budget_tokens=fitting)


def _sent(thinking: Thinking) -> str:
    """The words for a way of thinking as it is sent."""
    match thinking.mode:
        case "budget":
            return f"a budget of {thinking.budget_tokens or 0:,} tokens"
        case "effort":
            return f"effort {thinking.effort!r}" if thinking.effort else "the model's own effort"
        case "adaptive":
            return f"adaptive thinking with effort {thinking.effort!r}" if thinking.effort else "adaptive thinking"
        case _:
            return "thinking switched on"
