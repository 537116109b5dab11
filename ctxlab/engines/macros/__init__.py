"""Macros: `{{user}}`, `{{random::a::b}}`, `{{setvar::k::v}}`, ... in presets, lore and what is typed.

`expand` puts values in their place, `problems` says what is wrong with a text before it is sent, `MACROS` is the table.
"""

from typing import TYPE_CHECKING, Any

from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.clock_and_timeline import timeline_problems
from ctxlab.engines.macros.environment import MacroEnv
from ctxlab.engines.macros.expand import Expansion, expand
from ctxlab.engines.macros.lint import MacroProblem, problems
from ctxlab.engines.macros.registry import Macro, macro, macro_names
from ctxlab.public_names import listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    MACROS: Mapping[str, Macro]

__all__ = [
    "MACROS",
    "Expansion",
    "Macro",
    "MacroCall",
    "MacroEnv",
    "MacroProblem",
    "expand",
    "macro",
    "macro_names",
    "problems",
    "timeline_problems",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)


def __getattr__(name: str) -> Any:
    if name == "MACROS":  # made at first use: the table brings all modules with macros
        from ctxlab.engines.macros.registry import own_macros

        return own_macros()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
