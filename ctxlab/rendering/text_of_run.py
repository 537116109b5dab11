"""The text of a run by a template, an engine and its options, or the template's refusal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from ctxlab.context import Draft
from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.engines.chat_templates.instruct import FittedText, InstructPreset, fit_instruct_text, instruct_text
from ctxlab.engines.chat_templates.instruct.fit import PADDING
from ctxlab.engines.chat_templates.jinja import render, render_for_llama_cpp
from ctxlab.errors import TemplateRefused
from ctxlab.local_models import LocalModel
from ctxlab.pipeline import Trace

OF_PRESET = ("context", "answer", "engine")
"""Options that a template isn't given."""


class TextOfRun(NamedTuple):
    """A text, or why there is none; `cut` are positions of messages that were left out for want of room.

    `over` are the tokens of what always stays, where they are more than the room, and the room; None where they aren't.
    """

    rendered: RenderedText | None
    refusal: TemplateRefused | None
    cut: tuple[int, ...] = ()
    over: tuple[int, int] | None = None


def text_of_run(
    trace: Trace,
    model: LocalModel,
    template: JinjaTemplate | InstructPreset,
    options: Mapping[str, Any],
    *,
    now: datetime | None = None,
) -> TextOfRun:
    """The text that a program makes of the messages of a run; `now` is by default the run's own time."""
    try:
        if isinstance(template, InstructPreset):
            return _by_preset(trace, template, options)
        return TextOfRun(_by_template(trace, model, template, options, now or time_of(trace)), None)
    except TemplateRefused as refusal:
        return TextOfRun(None, refusal)


def _by_template(
    trace: Trace, model: LocalModel, template: JinjaTemplate, options: Mapping[str, Any], now: datetime | None
) -> RenderedText:
    agent, drafts = trace.start.input.agent, trace.result.drafts
    tools = (agent.sent_tools if agent is not None else None) or ()
    given: dict[str, Any] = {"tools": tools, "special_tokens": model.special_tokens, "now": now}
    own = {name: value for name, value in options.items() if name not in OF_PRESET}
    engine = render_for_llama_cpp if options["engine"] == "llama.cpp" else render
    return engine(template, drafts, **given, **own)


def _by_preset(trace: Trace, preset: InstructPreset, options: Mapping[str, Any]) -> TextOfRun:
    context = options.get("context")
    if context is None:
        return TextOfRun(instruct_text(trace.result.drafts, preset, **_of_chat(trace, options)), None)
    fitted = _fitted(trace, preset, options, context)
    over = (fitted.tokens, fitted.budget) if fitted.tokens >= fitted.budget else None
    return TextOfRun(fitted.rendered, None, fitted.cut, over)


def context_that_keeps_all(trace: Trace, preset: InstructPreset, options: Mapping[str, Any]) -> int:
    """A context in tokens with which text completion cuts no message; tried."""
    drafts, count = trace.result.drafts, trace.services.tokenizer.count
    whole = count(str(instruct_text(drafts, preset, **_of_chat(trace, options)).text))
    context, more = whole + PADDING + options["answer"] + 1, 1
    while _fitted(trace, preset, options, context).cut:  # it counts messages one by one, which may be more
        context, more = context + more, 2 * more
    return context


def _fitted(trace: Trace, preset: InstructPreset, options: Mapping[str, Any], context: int) -> FittedText:
    budget, count = context - options["answer"], trace.services.tokenizer.count
    return fit_instruct_text(trace.result.drafts, preset, budget=budget, count=count, **_of_chat(trace, options))


def _of_chat(trace: Trace, options: Mapping[str, Any]) -> dict[str, Any]:
    user, agent = trace.start.input.user, trace.start.input.agent
    return {
        "user": (user.name if user is not None else "") or "User",
        "char": (agent.name if agent is not None else "") or trace.start.input.facts.get("char") or "Assistant",
        "kind": "continue" if options["continue_final_message"] else "normal",
    }


def time_of(trace: Trace) -> datetime | None:
    """The time that a template may write: that of the run."""
    try:
        return datetime.fromisoformat(trace.start.input.timestamp or "")
    except ValueError:
        return None


def with_drafts(trace: Trace, drafts: Sequence[Draft]) -> Trace:
    """The run as if its last step had left these messages."""
    if drafts is trace.result.drafts:
        return trace
    after = replace(trace.result, drafts=tuple(drafts))
    if not trace.steps:
        return replace(trace, start=after)
    return replace(trace, steps=(*trace.steps[:-1], replace(trace.steps[-1], after=after)))
