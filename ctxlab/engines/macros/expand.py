"""Put values in the place of macros, and remember which macro stood there."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ctxlab.context import Cause, Edit, Origin, Text
from ctxlab.documents import Agent, Note, UserProfile

NO_USER, NO_AGENT = "User", "Assistant"


@dataclass(frozen=True, slots=True)
class MacroEnv:
    """The values that macros stand for: names as the agent and the user are called, not as they are shown."""

    user: str = NO_USER
    char: str = NO_AGENT
    persona: str = ""

    @classmethod
    def of(cls, agent: Agent | None, user: UserProfile | None) -> MacroEnv:
        return cls(
            user=(user.name if user else "") or NO_USER,
            char=(agent.name if agent else "") or NO_AGENT,
            persona=user.content if user else "",
        )


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """The text with values in place; `count` is how many macros were replaced."""

    text: Text
    count: int = 0
    notes: tuple[Note, ...] = ()


CAUSE = "macros"
TOKEN = re.compile(r"\\\{\{|\{\{([^{}]*)\}\}")
MACROS: dict[str, Callable[[MacroEnv], str]] = {
    "user": lambda env: env.user,
    "char": lambda env: env.char,
    "persona": lambda env: env.persona,
}


def expand(text: Text, env: MacroEnv) -> Expansion:
    r"""Values for the macros that are known; others stay as they are. `\{{` gives a literal `{{`.

    A value is data: what it contains is not expanded again.
    """
    whole = str(text)
    if "{{" not in whole:
        return Expansion(text)
    edits: list[Edit] = []
    count = 0
    for match in TOKEN.finditer(whole):
        if match.group(1) is None:
            edits.append(Edit(match.start(), match.end(), "{{", Cause(CAUSE, "escape", "a literal brace pair")))
            continue
        name = match.group(1).partition("::")[0].strip()
        value = MACROS.get(name)
        if value is not None:
            count += 1
            cause = Cause(CAUSE, name, f"stood at character {match.start()}")
            edits.append(Edit(match.start(), match.end(), value(env), cause, Origin("macro", name)))
    return Expansion(text.splice(edits), count)
