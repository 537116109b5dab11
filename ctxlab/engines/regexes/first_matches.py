"""First matches of many patterns in many texts at once."""

from __future__ import annotations

import json
from collections.abc import Sequence

from ctxlab.engines.javascript.utf16_offsets import span_in_characters, surrogate_pairs
from ctxlab.engines.regexes import v8
from ctxlab.engines.regexes.pattern import Pattern
from ctxlab.engines.regexes.python_limited_search import BadPython
from ctxlab.engines.regexes.python_patterns import first_span
from ctxlab.engines.regexes.v8 import batches, run_function
from ctxlab.engines.regexes.work_limits import DEFAULT, Limits
from ctxlab.lazy_dataclass import dataclass

MatchSpan = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class FirstMatches:
    """`spans[i][j]` is where pattern i matches first in text j, in characters; None where it doesn't.

    `problems` says, by index of the pattern, why one was left out; it then matches nowhere.
    """

    spans: tuple[tuple[MatchSpan | None, ...], ...]
    problems: dict[int, str]


def first_matches(patterns: Sequence[Pattern], texts: Sequence[str], *, limits: Limits = DEFAULT) -> FirstMatches:
    """The first match of every pattern in every text, in one round trip to V8.

    A pattern that doesn't compile, or needs more work on one text than `limits` allow, is left out everywhere.

    >>> first_matches([parse_pattern("/b+/i", default_flags="")], ["abBa", "x"]).spans
    (((1, 3), None),)
    """
    spans: list[list[MatchSpan | None]] = [[None] * len(texts) for _ in patterns]
    problems: dict[int, str] = {}
    if not texts:
        return FirstMatches(tuple(map(tuple, spans)), problems)
    javascript = [index for index, pattern in enumerate(patterns) if pattern.flavor == "javascript"]
    if javascript:
        wanted = [patterns[index] for index in javascript]
        found = v8.run(lambda machine: _found(machine, wanted, texts, limits))
        for index, row in zip(javascript, found.spans, strict=True):
            spans[index] = list(row)
        problems.update({javascript[index]: why for index, why in found.problems.items()})
    for index, pattern in enumerate(patterns):
        if pattern.flavor == "python":
            try:
                spans[index] = [first_span(pattern, text, limits) for text in texts]
            except BadPython as problem:
                problems[index] = str(problem)
    for index in problems:
        spans[index] = [None] * len(texts)
    return FirstMatches(tuple(map(tuple, spans)), dict(sorted(problems.items())))


def _found(machine: v8.Machine, patterns: Sequence[Pattern], texts: Sequence[str], limits: Limits) -> FirstMatches:
    spans: list[list[MatchSpan | None]] = [[None] * len(texts) for _ in patterns]
    problems: dict[int, str] = {}
    written = [(pattern.body, pattern.flags) for pattern in patterns]
    for first, end in batches(texts):
        piece = texts[first:end]
        result = _searched(machine, written, json.dumps(piece), problems, limits)
        pairs = [surrogate_pairs(text) for text in piece]
        for at in range(0, len(result), 4):
            index, text, start, stop = result[at : at + 4]
            spans[index][first + text] = span_in_characters(start, stop, pairs[text])
    return FirstMatches(tuple(map(tuple, spans)), problems)


def _searched(
    machine: v8.Machine, patterns: list[tuple[str, str]], texts: str, problems: dict[int, str], limits: Limits
) -> list[int]:
    """Four numbers per match; a pattern that hangs is added to `problems`, and the rest is searched again."""
    while True:
        head = {"patterns": patterns, "left_out": list(problems), "most": limits.max_backtracks}
        try:
            result = run_function(machine, "startSearch", head, texts, limits)
        except v8.Interrupted as stopped:
            problems[stopped.pattern] = stopped.why
            continue
        for index, why in result["problems"].items():
            problems.setdefault(int(index), f"it doesn't compile: {why}")
        return result["found"]
