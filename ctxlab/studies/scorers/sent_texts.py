"""Every text of a message that a model gets: its words, its calls, its thoughts and its speaker's name."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

from ctxlab.context import Draft


def sent_texts(draft: Draft) -> Iterator[str]:
    """The texts of a message as it is sent, each alone.

    Arguments of a call are there as the JSON that the model wrote, and each text in them without JSON's escapes.
    """
    yield str(draft.text)
    for call in draft.calls:
        yield call.name
        yield call.arguments
        yield from _texts_in(call.arguments)
    yield from filter(None, (draft.reasoning, draft.speaker))


def _texts_in(arguments: str) -> Iterator[str]:
    """Texts of a JSON value; none where it isn't JSON, as what a model wrote may not be."""
    try:
        waiting: list[Any] = [json.loads(arguments)]
    except (ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            found = cast("dict[str, Any]", value)
            waiting += [*found.keys(), *found.values()]
        elif isinstance(value, list):
            waiting += cast("list[Any]", value)
