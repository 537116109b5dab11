"""Macros by dialect and phase."""

from __future__ import annotations

from _ext.reference.markdown import code, page, plain, table
from ctxlab.engines.macros import MACROS
from ctxlab.engines.macros.registry import Macro

INTRO = """A macro stands in presets, lore, greetings and in what is typed; never is one expanded in retrieved text,
in tool results or in a model's words. `ctxlab.expand_input(text, session, agent)` shows a text phase by phase. A name
that isn't known stays as it is, with a note. Names are read without regard to capitals."""


def macros() -> str:
    """The page."""
    blocks = [INTRO]
    for dialect in dict.fromkeys(macro.dialect for macro in MACROS.values()):
        own = {name: macro for name, macro in MACROS.items() if macro.dialect == dialect}
        rows = ([code(_called(name, macro)), macro.phase, plain(macro.description)] for name, macro in own.items())
        blocks += [f"## {dialect}", table(["macro", "phase", "what it gives"], rows)]
    return page("Macros and dialects", *blocks)


def _called(name: str, macro: Macro) -> str:
    free = (macro.most if macro.most is not None else macro.least + 1) - macro.least
    return "::".join([f"{{{{{name}", *["…"] * macro.least, *["[…]"] * max(free, 0)]) + "}}"
