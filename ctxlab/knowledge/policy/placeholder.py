"""The placeholders of knowledge in a text: `【kb::base::limit::minimum::mode::parameters::engine】`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlab.display.short_texts import short
from ctxlab.engines.javascript.numbers import leading_integer
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

PLACEHOLDER = lazy_pattern(r"【(?:kb|knowledge)(?:::([^【】]*))?】")
NUMBER = lazy_pattern(r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(%?)", re.ASCII)
WHOLE_NUMBER = lazy_pattern(r"\s*\+?\d+\s*", re.ASCII)
LEAST_PERCENT, MOST_PERCENT = 10, 100
"""A minimum without a sign is surely meant in percent from this on, and at most this."""
MODES = ("always", "turn", "gate", "static")
ENGINES = ("vector", "keyword", "hybrid", "tags")
ENGINE_ALIASES = {"blender": "hybrid", "lens": "tags"}
"""Names that other programs have for engines."""
MOST_CHARACTERS = 2_000
"""Characters of a placeholder; a longer one is none."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A place in a text that knowledge goes to; None stands for what it leaves to the settings.

    `start` and `end` are offsets in the text. An empty `base` means all bound bases. `minimum` is a share:
    `80%` is 0.8. `problems` are clauses on what in it can't be read.
    """

    raw: str
    start: int = 0
    end: int = 0
    base: str = ""
    limit: int | None = None
    minimum: float | None = None
    mode: str = "always"
    params: tuple[str, ...] | None = None
    engine: str = ""
    problems: tuple[str, ...] = ()


def placeholders_in(text: str) -> tuple[Placeholder, ...]:
    """The placeholders of a text, in order.

    >>> [found.base for found in placeholders_in("【kb】 and 【kb::tides::3】")]
    ['', 'tides']
    """
    if "【k" not in text:
        return ()
    found = PLACEHOLDER.finditer(text)
    return tuple([_read(match) for match in found if match.end() - match.start() <= MOST_CHARACTERS])


def without_placeholders(text: str) -> str:
    """The text without the placeholders of knowledge in it."""
    return PLACEHOLDER.sub("", text) if "【k" in text else text


def share_of(value: float | str) -> float | None:
    """A minimum score as a share from 0 to 1: `80%` and 80 are 0.8; None for what is no number.

    >>> share_of("80%"), share_of(0.3), share_of("x")
    (0.8, 0.3, None)
    """
    percent = False
    if isinstance(value, str):
        match = NUMBER.match(value)
        if match is None:
            return None
        value, percent = float(match[1]), bool(match[2])
    if value != value:
        return None
    # Cosines and shares end at 1: what is above it was meant in percent.
    return min(value / 100, 1.0) if percent or value > 1 else float(value)


def _read(match: re.Match[str]) -> Placeholder:
    parts = (match[1] or "").split("::")
    base, limit, minimum, mode, params, engine = (*parts[:6], *[""] * (6 - len(parts)))
    problems = list(_problems(limit, minimum, mode, engine))
    return Placeholder(
        match[0],
        match.start(),
        match.end(),
        base,
        limit_of(limit),
        share_of(minimum) if minimum else None,
        mode or "always",
        tuple([each.strip() for each in params.split(",")]) if params else None,
        ENGINE_ALIASES.get(engine, engine),
        tuple(problems),
    )


def limit_of(text: str) -> int | None:
    """A number of pieces, as a text begins with it; None where it begins with none, or one below 0."""
    found = leading_integer(text) if text else None
    return found if found is not None and found >= 0 else None


def _problems(limit: str, minimum: str, mode: str, engine: str) -> Iterator[str]:
    if limit and limit_of(limit) is None:
        yield f"{short(limit)!r} is no limit: a whole number is"
    elif limit and not WHOLE_NUMBER.fullmatch(limit):
        yield f"the limit {short(limit)!r} is read as {limit_of(limit):,}: a whole number is a limit"
    if minimum:
        yield from _problems_of_minimum(minimum)
    if mode and mode not in MODES:
        yield f"{short(mode)!r} is no mode and taken as always; there are {', '.join(MODES)}"
    if engine and ENGINE_ALIASES.get(engine, engine) not in ENGINES:
        yield f"{short(engine)!r} is no engine, and that of the settings is taken; there are {', '.join(ENGINES)}"


def _problems_of_minimum(minimum: str) -> Iterator[str]:
    """A sentence on a least score that may be meant otherwise, as 1.5 and 150; 80 is 80 percent."""
    share, match = share_of(minimum), NUMBER.match(minimum)
    if share is None or match is None:
        yield f"{short(minimum)!r} is no least score: a number from 0 to 1 is"
        return
    number = float(match[1])
    if share < 0 or number > MOST_PERCENT or (not match[2] and 1 < number < LEAST_PERCENT):
        yield f"the least score {short(minimum)!r} is read as {share:g}: a number from 0 to 1 is one, or a percentage"
