"""Kinds of text, line by line: prose by its script, code, numbers, hexadecimal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from ctxlab.engines.tokens.estimate_by_kind import features_of

SCRIPTS: Final[Mapping[str, str]] = {
    "kana+": "Japanese",
    "hangul+": "Korean",
    "chinese+": "Chinese",
    "cyrillic+": "Russian",
    "greek+": "Greek",
    "hebrew+": "Hebrew",
    "arabic+": "Arabic",
    "indic+": "Hindi",
    "thai+": "Thai",
    "symbols+": "emoji",
}
"""Names of kinds by what they are written in; the first of which there is enough decides."""
ENOUGH: Final[Mapping[str, float]] = {"kana+": 0.1}
"""Share of a line's characters that decide; of others 0.3."""
HEX, NUMBERS, CODE, ACCENTED, ENGLISH = "hexadecimal", "numbers", "code", "French, German", "English"


def kind_of_line(line: str) -> str:
    """The kind of text of a line; "" for a blank one.

    >>> kind_of_line("The lamp is out."), kind_of_line("12.5,7.25,3"), kind_of_line("灯灭了")
    ('English', 'numbers', 'Chinese')
    """
    characters = sum(not each.isspace() for each in line)
    if not characters:
        return ""
    found = features_of(line)
    for script, kind in SCRIPTS.items():
        if found.get(script, 0) >= ENOUGH.get(script, 0.3) * characters:
            return kind
    digits, codes, signs = (found.get(name, 0) for name in ("digits+", "codes+", "signs+"))
    if codes >= 0.4 * characters:
        return HEX
    if digits + codes >= 0.4 * characters:
        return NUMBERS
    if signs >= 0.2 * characters:
        return CODE
    return ACCENTED if found.get("accented+", 0) >= 0.02 * characters else ENGLISH


def stretches_of(text: str) -> Iterator[tuple[str, str]]:
    """The text in stretches of one kind, each with its kind; together they are the text. A blank line ends none."""
    kind = ""
    lines: list[tuple[str, str]] = []
    for line in text.splitlines(keepends=True):
        kind = kind_of_line(line) or kind
        lines.append((kind, line))
    first = next((kind for kind, _ in lines if kind), ENGLISH)
    for kind, group in groupby(lines, key=lambda each: each[0] or first):
        yield kind, "".join(line for _, line in group)
