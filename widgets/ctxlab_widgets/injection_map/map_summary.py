"""The injections of a run in one sentence: how many are placed, and those that aren't where they asked to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.display.short_texts import counted

MOST_NAMED = 3
PRESETS = ("presets", "depth", "anchor")
EXCEPTIONS = (
    ("elsewhere", "elsewhere than asked"),
    ("moved", "moved by a later step"),
    ("unknown anchor", "unknown anchor"),
    ("warned", "with a warning"),
)

Part = tuple[str, str]
"""Words, and the key of the definition that they name; empty where they name none."""


def map_summary(groups: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Part]:
    """The sentence in its parts; `groups` are definitions by group, as the page gets them."""
    presets = [each for name in PRESETS for each in groups.get(name, ())]
    lore, steps = groups.get("lore", ()), groups.get("steps", ())
    counts = [
        _placed(definitions, one, several)
        for definitions, one, several in (
            (presets, "preset", "presets"),
            (lore, "lore entry", "lore entries"),
            (steps, "message of a step", "messages of steps"),
        )
        if definitions
    ]
    if not counts:
        return [("Nothing is injected.", "")]
    one = len(counts) == 1 and counts[0].startswith("1 of ")
    parts: list[Part] = [(f"{_and(counts)} {'is' if one else 'are'} placed", "")]
    definitions = [*presets, *lore, *steps]
    found = [(words, own) for outcome, words in EXCEPTIONS if (own := _of(definitions, outcome))]
    for words, own in found:
        parts += [(f"; {words}: ", ""), *_named(own)]
    as_asked = any(each["landings"] for each in definitions) and not found
    return [*parts, (", all where they asked to be." if as_asked else ".", "")]


def _placed(definitions: Sequence[Mapping[str, Any]], one: str, several: str) -> str:
    placed = sum(bool(each["landings"]) for each in definitions)
    return f"{placed:,} of {counted(len(definitions), one, several)}"


def _of(definitions: Sequence[Mapping[str, Any]], outcome: str) -> list[Mapping[str, Any]]:
    return [each for each in definitions if each["outcome"] == outcome]


def _named(definitions: Sequence[Mapping[str, Any]]) -> list[Part]:
    shown = definitions if len(definitions) <= MOST_NAMED + 1 else definitions[:MOST_NAMED]
    parts: list[Part] = []
    for i, each in enumerate(shown):
        parts += [(", ", "")] if i else []
        parts.append((each["name"], each["key"]))
    more = len(definitions) - len(shown)
    return [*parts, (f" and {more:,} more", "")] if more else parts


def _and(words: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
