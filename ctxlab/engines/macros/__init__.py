"""Placeholders in presets: `{{user}}`, `{{char}}`, `{{persona}}`."""

from ctxlab.engines.macros.expand import Expansion, MacroEnv, expand

__all__ = ["Expansion", "MacroEnv", "expand"]
