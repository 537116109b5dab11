"""The query of a search: the newest turns of a conversation, each text with its weight."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.context import QueryPart
from ctxlab.display.short_texts import short
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SpokenText:
    """A text of the conversation and who said it: `user`, `assistant` or `tool`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class QueryRules:
    """The making of a query: `turns` newest turns whole; of `projection_turns` before them the user's words alone.

    Weights are those of the newest turn; each turn before it weighs `projection` times the next one.
    """

    turns: int = 1
    user_weight: float = 0.7
    assistant_weight: float = 0.3
    with_tools: bool = False
    projection_turns: int = 0
    projection: float = 0.5

    @property
    def turns_back(self) -> int:
        """The number of turns that a query is made of."""
        return self.turns + self.projection_turns


@dataclass(frozen=True, slots=True)
class Turn:
    """The user's words and what came after them."""

    user: str
    assistant: str = ""
    tools: str = ""


def newest_turns(spoken: Sequence[SpokenText], count: int) -> Sequence[SpokenText]:
    """The texts of the newest turns, at most so many; those of older ones are no part of any query."""
    left = count
    for at in range(len(spoken) - 1, -1, -1):
        if spoken[at].role == "user":
            left -= 1
            if left == 0:
                return spoken[at:]
    return spoken


def turns_of(spoken: Sequence[SpokenText]) -> tuple[Turn, ...]:
    """The turns of a conversation, oldest first; each begins with the user's words."""
    turns: list[tuple[str, list[str], list[str]]] = []
    for each in spoken:
        text = each.text.strip()
        if each.role == "user":
            turns.append((text, [], []))
        elif turns and text:
            _, answers, tools = turns[-1]
            (tools if each.role == "tool" else answers).append(text)
    return tuple([Turn(user, "\n".join(answers), "\n".join(tools)) for user, answers, tools in turns])


def query_of(turns: Sequence[Turn], rules: QueryRules, *, back: int = 0) -> tuple[QueryPart, ...]:
    """The parts of the query as of `back` turns ago, newest first; empty where the user said nothing then."""
    known = turns[: len(turns) - back] if back else turns
    if not known or not known[-1].user:
        return ()
    parts: list[QueryPart] = []
    for age, turn in enumerate(reversed(known)):
        if age >= rules.turns_back:
            break
        fades = rules.projection**age
        said = [("user", turn.user, rules.user_weight)]
        if age < rules.turns:
            said.append(("assistant", turn.assistant, rules.assistant_weight))
            if rules.with_tools:
                said.append(("tool", turn.tools, rules.assistant_weight))
        parts += [QueryPart(text, weight * fades, role, age) for role, text, weight in said if text and weight * fades]
    return (QueryPart(parts[0].text, 1.0, parts[0].role, parts[0].back),) if len(parts) == 1 else tuple(parts)


def query_words(query: Sequence[QueryPart]) -> str:
    """The texts of a query in a line, each with its weight where there are several."""
    if len(query) == 1:
        return query[0].text
    return " | ".join([f"{part.weight:.2g} × {short(part.text, 200)}" for part in query])
