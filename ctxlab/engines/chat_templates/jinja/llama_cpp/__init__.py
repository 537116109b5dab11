"""llama.cpp's text of a template: what its server does to messages before, behind and in place of the template."""

from ctxlab.engines.chat_templates.jinja.llama_cpp.engine import render_for_llama_cpp

__all__ = ["render_for_llama_cpp"]
