"""Macros by dialect and phase."""

from __future__ import annotations

from collections.abc import Mapping

from _ext.reference.markdown import code, page, plain, table
from ctxlab.engines.macros import MACROS
from ctxlab.engines.macros.registry import NEWER, OLDER, Macro, table_of

INTRO = """A macro stands in presets, lore, greetings and in what is typed; never is one expanded in retrieved text
or in tool results, and in a model's words only in SillyTavern's dialect, as that program does.
`ctxlab.expand_input(text, session, agent)` shows a text phase by phase. A name that isn't known stays as it is, with a
note. Names are read without regard to capitals."""
ENGINES = """SillyTavern's own engines expand every text, messages too if asked for, where `macro_engine` of the
steps says `sillytavern` (as 1.19 does by default, strictly left to right) or `sillytavern-old` (as it did before, one
name after another). In the newer one the last argument may stand before an end, as in `{{setvar::x}}words{{/setvar}}`,
`{{if x}}…{{else}}…{{/if}}` chooses, and `{{.x}}`, `{{.x = 1}}`, `{{.x += 1}}`, `{{.x++}}`, `{{.x == 1}}` and
`{{.x ?? words}}` are variables of the conversation, with `$` those of all of them."""


def macros() -> str:
    """The page."""
    blocks = [INTRO]
    for dialect in dict.fromkeys(macro.dialect for macro in MACROS.values()):
        blocks += _of(dialect, {name: macro for name, macro in MACROS.items() if macro.dialect == dialect})
    blocks.append(ENGINES)
    for dialect in (NEWER, OLDER):
        blocks += _of(dialect, {macro.name: macro for macro in table_of(dialect).values()})
    return page("Macros and dialects", *blocks)


def _of(dialect: str, macros: Mapping[str, Macro]) -> list[str]:
    rows = ([code(_called(name, macro)), macro.phase, plain(macro.description)] for name, macro in macros.items())
    return [f"## {dialect}", table(["macro", "phase", "what it gives"], rows)]


def _called(name: str, macro: Macro) -> str:
    free = (macro.most if macro.most is not None else macro.least + 1) - macro.least
    return "::".join([f"{{{{{name}", *["…"] * macro.least, *["[…]"] * max(free, 0)]) + "}}"
