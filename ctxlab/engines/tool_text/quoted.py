"""Stretches of a text that quote: inline code, lines quoted with `>`, and thoughts."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Protocol

from ctxlab.lazy_pattern import lazy_pattern

_QUOTED = lazy_pattern(r"[ \t]{0,3}>")
_TICKS_OR_BREAK = lazy_pattern(r"^[ \t]{0,3}(?:`{3,}|~{3,})[^\n`]*$|^[ \t]*$|(?P<ticks>`+)", re.MULTILINE)


class Request(Protocol):
    """A request in a text."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def broken(self) -> str: ...


def is_quoted(text: str, request: Request) -> bool:
    """Whether a request begins in a line that is quoted with `>`."""
    line = text.rfind("\n", 0, request.start) + 1
    return _QUOTED.match(text, line, request.start) is not None


class Thoughts:
    """The places where thoughts of a text end."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._closed: dict[str, list[int]] = {}

    def end(self, opened: re.Match[str]) -> int:
        """The end of a thought by its opening; one that is never closed is one only where the text begins with it."""
        tag = opened.group()[1:].lower()
        if tag not in self._closed:
            self._closed[tag] = [found.end() for found in re.finditer(f"</{tag}", self._text, re.IGNORECASE)]
        closed = self._closed[tag]
        following = bisect_right(closed, opened.end())
        if following < len(closed):
            return closed[following]
        begins_it = self._text[: opened.start()].isspace() or not opened.start()
        return len(self._text) if begins_it else opened.end()


def code_spans(text: str, requests: Sequence[Request]) -> Iterator[tuple[int, int]]:
    """The stretches of inline code, within a paragraph; backticks in the values of whole requests are none of them."""
    runs: list[tuple[int, int]] = []
    for found in _outside(_TICKS_OR_BREAK.finditer(text), requests):
        if found["ticks"]:
            runs.append((found.start(), len(found["ticks"])))
        else:
            yield from _pairs(runs)
            runs = []
    yield from _pairs(runs)


def _outside(found: Iterator[re.Match[str]], requests: Sequence[Request]) -> Iterator[re.Match[str]]:
    whole = [request for request in requests if not request.broken]
    starts = [request.start for request in whole]
    for each in found:
        before = bisect_right(starts, each.start())
        if not before or each.start() >= whole[before - 1].end:
            yield each


def _pairs(runs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Each run of backticks with the next one that has as many."""
    places: dict[int, list[int]] = {}
    for at, length in runs:
        places.setdefault(length, []).append(at)
    done = -1
    for at, length in runs:
        if at <= done:
            continue
        later = places[length]
        following = bisect_right(later, at)
        if following < len(later):
            done = later[following]
            yield at, done
