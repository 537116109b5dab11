"""Jinja templates: rendered as transformers or llama.cpp does it, with the origin of each character."""

from ctxlab.engines.chat_templates.jinja.llama_cpp import render_for_llama_cpp
from ctxlab.engines.chat_templates.jinja.transformers_engine import render

__all__ = ["render", "render_for_llama_cpp"]
