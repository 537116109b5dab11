"""The text that a model reads of a run: what its template makes of the messages, and what it does to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Origin, Span
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.engines.chat_templates.instruct import InstructPreset, instruct_text
from ctxlab.engines.chat_templates.jinja import render, render_for_llama_cpp
from ctxlab.engines.tokens import Tokenizer
from ctxlab.errors import TemplateRefused, WrongArgument
from ctxlab.local_models import LocalModel
from ctxlab.pipeline import Trace
from ctxlab.rendering.read_template import read_template
from ctxlab.rendering.template_remedies import Losses, Remedies, TemplateRemedy
from ctxlab.rendering.template_report import TemplateEffect, effects_of, losses_in

if TYPE_CHECKING:
    import pandas as pd

EFFECT_COLUMNS = ("kind", "key", "sentence", "line", "remedy")
COLUMNS = ("start", "end", "number", "key", "field", "origin", "text")
REFUSED = ("refused", "")


@dataclass(frozen=True, eq=False)
class RenderedPrompt:
    """The text that a model reads of a run, and what its template does to the messages.

    `rendered` is None where the template refuses them; `refusal` then has its own error. Each character of `text` has
    its origin; `effects` say what the template refuses, drops, moves, shortens, joins, adds, or lets be forged.
    """

    trace: Trace
    model: LocalModel
    template: JinjaTemplate | InstructPreset
    rendered: RenderedText | None
    refusal: TemplateRefused | None
    options: Mapping[str, Any]

    def __repr__(self) -> str:
        if self.rendered is None:
            return f"RenderedPrompt({self.template.name!r}, refused: {self.refusal})"
        size = f"{len(self.text):,} characters"
        tokens = f", {counted(self.tokens, 'token')}" if self.tokens is not None else ""
        return f"RenderedPrompt({self.template.name!r}, {size}{tokens}, {counted(len(self.effects), 'effect')})"

    def _repr_html_(self) -> str:
        rows = ((each.kind, each.key, each.sentence, each.line, _said(each.remedy)) for each in self.effects)
        return heading(self) + html_table(EFFECT_COLUMNS, rows, of="effects", cells=200)

    @property
    def engine(self) -> str:
        """The program whose text it is."""
        return "sillytavern" if isinstance(self.template, InstructPreset) else self.options["engine"]

    @property
    def text(self) -> str:
        """The text; "" where the template refuses the messages."""
        return str(self.rendered.text) if self.rendered is not None else ""

    @cached_property
    def tokens(self) -> int | None:
        """Tokens of the text by the model's own vocabulary; None where it isn't at hand."""
        counter = self.model.vocabulary
        return counter.count(self.text) if isinstance(counter, Tokenizer) and self.rendered is not None else None

    @cached_property
    def effects(self) -> tuple[TemplateEffect, ...]:
        """Everything that the template does to the messages, losses first."""
        if self.rendered is None:
            assert self.refusal is not None
            sentence = f"The template refuses these messages: {str(self.refusal).rstrip('.')}."
            line = self.refusal.line
            return (TemplateEffect("refused", "", sentence, line=line, _remedy=self._remedies.of_all),)
        drafts = self.trace.result.drafts
        return tuple(effects_of(self.rendered, drafts, self.model.special_tokens, self._remedy_of))

    @cached_property
    def remedy(self) -> TemplateRemedy | None:
        """The smallest set of formatter steps with which the template refuses, drops and moves nothing."""
        if not _losses(self.rendered, self.trace):
            return None
        return self._remedies.of_all()

    def _remedy_of(self, kind: str, key: str) -> TemplateRemedy | None:
        return self._remedies.of(kind, key)

    @cached_property
    def typed_parts_help(self) -> bool:
        """Whether the template refuses, drops and moves nothing where messages are lists of typed parts; tried."""
        if self.options["typed_parts"] or self.engine != "transformers" or not _losses(self.rendered, self.trace):
            return False
        found, _ = _rendered(self.trace, self.model, self.template, {**self.options, "typed_parts": True})
        return not _losses(found, self.trace)

    @cached_property
    def _remedies(self) -> Remedies:
        return Remedies(self.trace, self._losses_of)

    def _losses_of(self, trace: Trace) -> Losses:
        if trace is self.trace:
            return _losses(self.rendered, trace)
        return _losses(_rendered(trace, self.model, self.template, self.options)[0], trace)

    def where(self, text: str) -> list[Span]:
        """The spans of the first place at which a text stands, each with its origin; none where it stands nowhere."""
        at = self.text.find(text)
        return [*self.rendered.text.cut(at, at + len(text)).spans] if at >= 0 and self.rendered is not None else []

    def frame(self) -> pd.DataFrame:
        """One row a stretch of the text, in order.

        `start` and `end` are its characters; `number` is that of its message, from 0, `key` its key, None of the
        template's own words; `field` says what of the message it is; `origin` is the origin of its first character.
        """
        return frame_of(self._rows(), COLUMNS).astype({"number": "Int64"})

    def _rows(self) -> list[dict[str, Any]]:
        if self.rendered is None:
            return []
        drafts, text = self.trace.result.drafts, self.text
        return [
            {
                "start": each.start,
                "end": each.end,
                "number": each.message,
                "key": None if each.message is None else drafts[each.message].key,
                "field": each.field,
                "origin": _written(self.rendered.text.at(each.start).origin),
                "text": text[each.start : each.end],
            }
            for each in self.rendered.stretches
        ]

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data: the text, its stretches and effects, with the remedies that were tried."""
        remedy = self.remedy
        return {
            "template": self.template.name,
            "engine": self.engine,
            "text": self.text if self.rendered is not None else None,
            "tokens": self.tokens,
            "traced": self.rendered is not None and self.rendered.traced,
            "effects": [each.as_data() for each in self.effects],
            "remedy": remedy and remedy.as_data(),
            "typed_parts_help": self.typed_parts_help,
            "stretches": [{name: row[name] for name in COLUMNS if name != "text"} for row in self._rows()],
        }


def _written(origin: Origin) -> str:
    return f"{origin.kind}:{origin.ref}" if origin.ref else origin.kind


def _said(remedy: TemplateRemedy | None) -> str:
    return remedy.sentence if remedy is not None else ""


def _losses(rendered: RenderedText | None, trace: Trace) -> Losses:
    if rendered is None:
        return frozenset((REFUSED,))
    return frozenset((kind, each.key) for kind, each in losses_in(rendered, trace.result.drafts))


@checked_arguments
def rendered(
    trace: Trace,
    model: LocalModel | JinjaTemplate | InstructPreset | Path | str,
    *,
    template: str | None = None,
    engine: Literal["transformers", "llama.cpp"] = "transformers",
    add_generation_prompt: bool = True,
    continue_final_message: bool = False,
    typed_parts: bool = False,
    variables: Mapping[str, Any] | None = None,
) -> RenderedPrompt:
    """The text that a model reads of a run, as `engine` renders it, with what the template does to the messages.

    `model` is a model of one's own, a template, an instruct preset of SillyTavern, by which its text completion is
    written, or the path of a file that has one of these. `template` names one of several;
    by default it is `tool_use` where there are tools and the model has one. With `typed_parts` each message is a list
    of parts, as some templates want it. llama.cpp continues a last message of the assistant, whatever is asked for.
    `variables` are what a template gets besides, such as `{"enable_thinking": False}`. Times that a template writes are
    the run's.

    Raises WrongArgument for what a preset would pass over: all but a continued message.
    """
    own = read_template(model)
    if isinstance(own, InstructPreset):
        _refuse(
            "an instruct preset",
            template=template,
            engine=engine == "llama.cpp",
            typed_parts=typed_parts,
            variables=variables,
        )
    agent = trace.start.input.agent
    tools: Sequence[Any] = (agent.sent_tools if agent is not None else None) or ()
    chosen = own if isinstance(own, InstructPreset) else own.template(template, has_tools=bool(tools))
    own = LocalModel(own.name) if isinstance(own, InstructPreset) else own
    options = {
        "add_generation_prompt": add_generation_prompt,
        "continue_final_message": continue_final_message,
        "typed_parts": typed_parts,
        "engine": engine,
        "variables": dict(variables or {}),
    }
    found, refusal = _rendered(trace, own, chosen, options)
    return RenderedPrompt(trace, own, chosen, found, refusal, options)


def _refuse(what: str, **given: object) -> None:
    """Refuse arguments that would be passed over."""
    named = next((name for name, value in given.items() if value), None)
    if named is not None:
        raise WrongArgument(f"{what} takes no {named}; leave it out", function="rendered")


def _rendered(
    trace: Trace, model: LocalModel, template: JinjaTemplate | InstructPreset, options: Mapping[str, Any]
) -> tuple[RenderedText | None, TemplateRefused | None]:
    agent, drafts, now = trace.start.input.agent, trace.result.drafts, _time_of(trace)
    tools = (agent.sent_tools if agent is not None else None) or ()
    own = {name: value for name, value in options.items() if name != "engine"}
    given: dict[str, Any] = {"tools": tools, "special_tokens": model.special_tokens, "now": now}
    try:
        if isinstance(template, InstructPreset):
            text = _by_preset(trace, template, options)
        elif options["engine"] == "llama.cpp":
            text = render_for_llama_cpp(template, drafts, **given, **own)
        else:
            text = render(template, drafts, **given, **own)
    except TemplateRefused as refusal:
        return None, refusal
    return text, None


def _by_preset(trace: Trace, preset: InstructPreset, options: Mapping[str, Any]) -> RenderedText:
    user, agent = trace.start.input.user, trace.start.input.agent
    return instruct_text(
        trace.result.drafts,
        preset,
        user=(user.name if user is not None else "") or "User",
        char=(agent.name if agent is not None else "") or trace.start.input.facts.get("char") or "Assistant",
        kind="continue" if options["continue_final_message"] else "normal",
    )


def _time_of(trace: Trace) -> datetime | None:
    try:
        return datetime.fromisoformat(trace.start.input.timestamp or "")
    except ValueError:
        return None
