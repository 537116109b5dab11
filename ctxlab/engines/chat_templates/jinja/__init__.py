"""Jinja templates: rendered as transformers or llama.cpp does it, with the origin of each character."""

from ctxlab.engines.chat_templates.jinja.llama_cpp import render_for_llama_cpp
from ctxlab.engines.chat_templates.jinja.transformers_engine import plain_text, render

__all__ = ["plain_text", "render", "render_for_llama_cpp"]
