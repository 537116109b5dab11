"""Chat templates: the text that they make of messages, with the origin of each character."""

from ctxlab.engines.chat_templates.rendered_text import LostText, RenderedText, Stretch
from ctxlab.engines.chat_templates.template import JinjaTemplate

__all__ = ["JinjaTemplate", "LostText", "RenderedText", "Stretch"]
