"""Messages in the words of the command line, where they were written in those of Python."""

from __future__ import annotations

from typing import Final

from ctxlab.lazy_pattern import lazy_pattern

IN_OPTIONS: Final = (
    (lazy_pattern(r"\bpick="), "--pick"),
    (
        lazy_pattern(r"\bbranches\(library\)\.summary\(\) lists"),
        "`ctxlab workspace import W PATH` and then `ctxlab workspace list W` list",
    ),
    (lazy_pattern(r"\bsay format="), "give --format"),
    (lazy_pattern(r"\bpass labels="), "give --labels"),
    (lazy_pattern(r"\bRaise budget_tokens\b"), "Raise --budget"),
    (lazy_pattern(r"; card_png\(agent, picture=\.\.\.\) takes yours"), ""),
    (lazy_pattern(r"; give it with book= to put it in"), ""),
    (lazy_pattern(r"; give agent= to have them"), ""),
    (lazy_pattern(r"\bgive key=, or set\b"), "set"),
    (lazy_pattern(r"\bbase_url\b=?"), "--base-url"),
    (lazy_pattern(r"\bprovider="), "--provider"),
    (lazy_pattern(r"(?:\bSearchIndex\.search: )?\b(since|until) (?=takes an ISO time)"), r"--\1 "),
    (lazy_pattern(r"\brun repaired\(\) first"), "ctxlab convert IN OUT --repair mends the tree"),
    (lazy_pattern(r"\bValue error, "), ""),
    (lazy_pattern(r"Input should be a valid integer.*"), "it takes a whole number"),
    (lazy_pattern(r"Input should be greater than or equal to (\S+)"), r"it takes numbers from \1 on"),
    (lazy_pattern(r"Input should be less than or equal to (\S+)"), r"it takes numbers up to \1"),
    (lazy_pattern(r"Input should be (?=')"), "it takes "),
)
"""Names of Python's keywords and calls, and what stands for them on the command line."""


NO_TIME: Final = "the request has no timestamp, so there is no time to tell"


def with_timestamp_option(text: str) -> str:
    """The note, with the option that gives the time where it says that there is none."""
    return text.replace(NO_TIME, f"{NO_TIME}; --timestamp 2026-05-04T12:30:00Z gives one")


def in_option_names(text: str) -> str:
    """The message with options in place of Python's keywords.

    >>> in_option_names("say which with pick=, an index or an id")
    'say which with --pick, an index or an id'
    """
    for pattern, words in IN_OPTIONS:
        text = pattern.sub(words, text)
    return text
