"""The last step: the text that a model reads of a run, with the origin of each character."""

from ctxlab.rendering.rendered_prompt import RenderedPrompt, rendered
from ctxlab.rendering.template_effect import EFFECTS, EffectKind, TemplateEffect
from ctxlab.rendering.template_remedies import TemplateRemedy
from ctxlab.rendering.text_places import TextPart, TextPlace, TextPlaces
from ctxlab.rendering.why_in_text import TextAnswer

__all__ = [
    "EFFECTS",
    "EffectKind",
    "RenderedPrompt",
    "TemplateEffect",
    "TemplateRemedy",
    "TextAnswer",
    "TextPart",
    "TextPlace",
    "TextPlaces",
    "rendered",
]
