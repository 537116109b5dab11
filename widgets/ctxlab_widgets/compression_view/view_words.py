"""Refusals of a compression in the words of the view, which has no names of Python's settings and calls."""

from __future__ import annotations

PROTECTED = "the number of protected messages"
SAID_HERE = {
    "lower protect_recent_count": f"lower {PROTECTED} below",
    "(protect_recent_count)": "(protected)",
    "set keep_exchanges_whole to False": "allow cuts inside of an exchange",
    "compress_count is 0, so": "the number of messages that go at once is 0, so",
    ": see legal_cuts()": "",
}
"""Refusals as a program gets them, and as the view says them."""


def in_view_words(sentence: str) -> str:
    """A refusal as the view says it."""
    for said, here in SAID_HERE.items():
        sentence = sentence.replace(said, here)
    return sentence
