"""The words that an entry of a worldbook is sent as."""

from __future__ import annotations

from dataclasses import dataclass

from ctxlab.context import BuildInput
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.processors.macro_engine import MacroEngine


@dataclass(frozen=True, slots=True, eq=False)
class LoreWording:
    """Expands the macros of an entry's content, as SillyTavern does before it counts it and looks for keys in it.

    Variables are as they are in the input: one that a preset sets isn't known yet.
    """

    build_input: BuildInput
    engine: MacroEngine = "seed"

    def __call__(self, key: str, content: str, dialect: str | None) -> str:
        """The content of the entry of this key, with values in the place of its macros."""
        if "{{" not in content and "<" not in content and "\\" not in content:
            return content
        env = MacroEnv.of(self.build_input, engine=self.engine)
        return str(expand(content, env.at(key).speaking(dialect)).text)
