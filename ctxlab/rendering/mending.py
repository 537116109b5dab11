"""Remedies of the losses of a rendered run: settings that were tried, else advice in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.instruct import InstructPreset
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models import LocalModel
from ctxlab.pipeline import Trace
from ctxlab.rendering.advice import advice_on, beginning_advice
from ctxlab.rendering.losses import Losses, losses_of
from ctxlab.rendering.template_effect import LOSSES, Loss, TemplateEffect
from ctxlab.rendering.template_remedies import Remedies, is_whole, steps_for
from ctxlab.rendering.template_report import markup_in
from ctxlab.rendering.text_of_run import TextOfRun, context_that_keeps_all, text_of_run

MENDED: Final = LOSSES - {"cut", "not traced"}
"""Losses for which sets of settings are tried."""


@dataclass(frozen=True, eq=False)
class Mending:
    """The losses of a run by a template, and what was tried against them; each thing is worked out once."""

    trace: Trace
    model: LocalModel
    template: JinjaTemplate | InstructPreset
    options: Mapping[str, Any]
    found: TextOfRun

    def with_remedy(self, effect: TemplateEffect) -> TemplateEffect:
        """An effect that knows its remedy, or what else is to be done."""
        if effect.kind == "cut":
            return replace(effect, _advice=lambda: self.context_advice)
        if effect.kind not in MENDED:
            return effect
        remedy, advice = lambda: self.remedies.of(effect.loss), lambda: self._advice_on(effect)
        return replace(effect, _remedy=remedy, _advice=advice)

    def _advice_on(self, effect: TemplateEffect) -> str:
        if effect.kind == "doubled" and not effect.key:
            begin = self.model.special_tokens.get("bos_token", "")
            return beginning_advice(begin, self.template.name, can_be_left_out=self._without_beginning_token())
        return advice_on(effect, typed_parts_help=self.typed_parts_help)

    @cached_property
    def context_advice(self) -> str:
        assert isinstance(self.template, InstructPreset)
        context = context_that_keeps_all(self.trace, self.template, self.options)
        return f"With a context of {context:,} tokens every message stays."

    @property
    def loses_messages(self) -> bool:
        """Whether a whole message is refused, dropped, cut or moved."""
        return any(map(is_whole, self.losses))

    @cached_property
    def typed_parts_help(self) -> bool:
        """Whether all messages are there in order where they are lists of typed parts; tried."""
        takes_them = isinstance(self.template, JinjaTemplate) and self.options["engine"] == "transformers"
        if self.options["typed_parts"] or not takes_them or not self.loses_messages:
            return False
        return not any(map(is_whole, self._with_options(typed_parts=True)))

    def _without_beginning_token(self) -> bool:
        """Whether one token is left at the beginning, and nothing else is lost, where the template gets none; tried."""
        variables = {**self.options["variables"], "bos_token": ""}
        return self._with_options(variables=variables) <= self.losses - {Loss("doubled")}

    @cached_property
    def losses(self) -> Losses:
        return losses_of(self.found.rendered, self.trace.result.drafts, self.model.special_tokens, cut=self.found.cut)

    @cached_property
    def remedies(self) -> Remedies:
        drafts = self.trace.result.drafts
        source = self.template.source if isinstance(self.template, JinjaTemplate) else ""
        marks = {*self.model.special_tokens.values(), *markup_in(self.found.rendered, source)}
        words = "\n".join([str(draft.text) for draft in drafts])
        steps = steps_for(self.losses, drafts, (mark for mark in marks if mark in words))
        return Remedies(self.trace, self.losses, steps, self._losses_of)

    def _losses_of(self, trace: Trace) -> Losses:
        """The losses of another run of the same messages."""
        found = text_of_run(trace, self.model, self.template, self.options)
        before, drafts = self.trace.result.drafts, trace.result.drafts
        return losses_of(found.rendered, drafts, self.model.special_tokens, cut=found.cut, before=before)

    def _with_options(self, **options: Any) -> Losses:
        """The losses of the same run rendered otherwise."""
        found = text_of_run(self.trace, self.model, self.template, {**self.options, **options})
        return losses_of(found.rendered, self.trace.result.drafts, self.model.special_tokens, cut=found.cut)
