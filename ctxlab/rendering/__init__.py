"""The last step: the text that a model reads of a run, with the origin of each character."""

from ctxlab.rendering.rendered_prompt import RenderedPrompt, rendered
from ctxlab.rendering.template_remedies import TemplateRemedy
from ctxlab.rendering.template_report import EFFECTS, EffectKind, TemplateEffect

__all__ = ["EFFECTS", "EffectKind", "RenderedPrompt", "TemplateEffect", "TemplateRemedy", "rendered"]
