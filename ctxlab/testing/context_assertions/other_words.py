"""A text that isn't as expected, in words: the first place where it differs, and what stands there in both."""

from __future__ import annotations

from ctxlab.pipeline.explain.diff import smallest_change
from ctxlab.secrets import masked_stretch

AROUND = 20
LONGEST = 120


def other_words(name: str, expected: str, sent: str) -> str:
    """Lines that say where the text that is sent begins to differ, with some characters around it.

    >>> print(other_words("main", "Be kind.", "Be kind. Be brief."))
    main says other words, from character 9 on
    expected: 'Be kind.'
    sent:     'Be kind. Be brief.'
    """
    change = smallest_change(expected, sent)
    if change is None:
        return f"{name} says it"
    start, gone, come = change
    macros = "\nit is sent with macros expanded, and the expected text has {{" if "{{" in expected else ""
    return (
        f"{name} says other words, from character {start + 1:,} on\n"
        f"expected: {_around(expected, start, start + len(gone))}\n"
        f"sent:     {_around(sent, start, start + len(come))}{macros}"
    )


def _around(text: str, start: int, end: int) -> str:
    first, last = max(0, start - AROUND), min(len(text), end + AROUND, start + LONGEST)
    return f"{'…' if first else ''}{masked_stretch(text, first, last)!r}{'…' if last < len(text) else ''}"
