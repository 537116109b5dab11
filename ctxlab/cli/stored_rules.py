"""Find and replace rules as ctxlab itself stores them: a set, a list of sets, or the `presets` of a configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from ctxlab.documents import Note, RegexPreset


def stored_rules(path: Path) -> tuple[tuple[RegexPreset, ...], tuple[Note, ...]]:
    """The sets of rules in a file, and notes on what could not be read; none when it holds none."""
    from ctxlab.documents import RegexPreset, read_stored

    try:
        data: Any = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return (), ()
    found = [read_stored(RegexPreset, each, place=f"set {n} of rules") for n, each in enumerate(_sets(data), start=1)]
    return tuple(preset for preset, _ in found), tuple(note for _, notes in found for note in notes)


def _sets(data: Any) -> Iterator[dict[str, Any]]:
    if isinstance(data, dict):
        held = cast("dict[str, Any]", data)
        if isinstance(held.get("rules"), list):
            yield held
        elif isinstance(held.get("presets"), list):
            yield from _sets(held["presets"])
    elif isinstance(data, list):
        for each in cast("list[Any]", data):
            if isinstance(each, dict):
                yield from _sets(each)
