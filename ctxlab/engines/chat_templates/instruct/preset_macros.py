"""Macros in a preset's own texts: names, texts of the card, and what the engine of macros knows besides."""

from __future__ import annotations

from typing import Final

from ctxlab.context import Origin
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

NAME: Final = lazy_pattern(r"\{\{name\}\}")


@dataclass(frozen=True, slots=True)
class PresetMacros:
    """The names that a preset's macros stand for, and the origin of what it writes."""

    user: str
    char: str
    preset: str
    description: str = ""
    personality: str = ""
    scenario: str = ""
    persona: str = ""

    @property
    def origin(self) -> Origin:
        return Origin("template", self.preset)

    def expanded(self, text: str, name: str | None = None) -> str:
        """A text with values for its macros; `name` is what `{{name}}` stands for, None where it stands for nothing."""
        if name is not None:
            text = NAME.sub(lambda _: name, text)
        if "{{" not in text and "<" not in text:
            return text
        env = MacroEnv(
            user=self.user,
            char=self.char,
            persona=self.persona,
            description=self.description,
            personality=self.personality,
            scenario=self.scenario,
            engine="sillytavern",
        )
        return str(expand(text, env).text)
