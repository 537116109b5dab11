"""Jobs for V8 in batches of limited size."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ctxlab.engines.regexes import v8
from ctxlab.engines.regexes.limits import Limits

LARGEST_BATCH = 8_000_000
"""Characters that go to V8 at once; a text that is longer goes alone."""


def batches(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The texts in pieces, as (first, end)."""
    first = size = 0
    for index, text in enumerate(texts):
        if size and size + len(text) > LARGEST_BATCH:
            yield first, index
            first, size = index, 0
        size += len(text)
    if first < len(texts):
        yield first, len(texts)


def run_function(machine: v8.Machine, function: str, head: Any, texts: str, limits: Limits) -> dict[str, Any]:
    """The final result of a function of worker.js; raises Interrupted, which names the pattern that caused it."""
    answer = machine.call(function, json.dumps(head), texts, limits=limits)
    while answer is None:
        answer = machine.call("proceed", limits=limits)
    result = json.loads(answer)
    if "failed" in result:
        raise v8.Interrupted(result["why"], text=-1, pattern=result["failed"])
    return result
