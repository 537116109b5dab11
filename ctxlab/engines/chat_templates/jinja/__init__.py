"""Jinja templates: rendered as transformers does it, with the origin of each character."""

from ctxlab.engines.chat_templates.jinja.transformers_engine import render

__all__ = ["render"]
