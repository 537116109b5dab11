"""Data that UTF-8 JSON can hold: what it can't is replaced, with a loss for every field."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from ctxlab.formats.loss import Loss

LONE_SURROGATE = re.compile("[\ud800-\udfff]")

Way = tuple[str | int, ...]


def cleaned(data: Any, *, place: str = "") -> tuple[Any, list[Loss]]:
    """A copy with plain JSON types only: no lone surrogates, no NaN, no infinity, no foreign objects."""
    losses: list[Loss] = []

    def clean(value: Any, way: Way) -> Any:
        if isinstance(value, str):
            return value if value.isascii() else _text(value, way, losses, place)
        if value is None or isinstance(value, bool | int):
            return value
        if isinstance(value, float):
            if math.isfinite(value):
                return value
            losses.append(Loss(_where(place, way), f"{value} is no JSON value; null is used"))
            return None
        if isinstance(value, Mapping):
            items = cast("Mapping[Any, Any]", value).items()
            return {_key(key, way, losses, place): clean(item, (*way, str(key))) for key, item in items}
        if isinstance(value, BaseModel):
            return clean(value.model_dump(mode="json", by_alias=True, exclude_none=True), way)
        if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            return [clean(item, (*way, index)) for index, item in enumerate(cast("Sequence[Any]", value))]
        losses.append(Loss(_where(place, way), f"{type(value).__name__} is no JSON value; its text is used"))
        return _text(str(value), way, losses, place)

    return clean(data, ()), losses


def _key(key: Any, way: Way, losses: list[Loss], place: str) -> str:
    text = key if isinstance(key, str) else str(key)
    return text if text.isascii() else _text(text, way, losses, place)


def _text(text: str, way: Way, losses: list[Loss], place: str) -> str:
    found = LONE_SURROGATE.search(text)
    if found is None:
        return text
    mended, count = LONE_SURROGATE.subn("\ufffd", text)
    what = "a lone surrogate was" if count == 1 else f"{count} lone surrogates were"
    losses.append(Loss(f"{_where(place, way)}, character {found.start()}", f"{what} replaced by U+FFFD"))
    return mended


def _where(place: str, way: Way) -> str:
    """A person's words for a way through the data: nodes by their id, the rest as in a program."""
    shown = ""
    steps = list(way)
    for index, step in enumerate(steps):
        if step == "nodes" and index + 2 < len(steps):
            shown = f"node {steps[index + 1]!r} " + _dotted(steps[index + 2 :])
            break
    else:
        shown = _dotted(steps)
    shown = LONE_SURROGATE.sub("\ufffd", shown)
    return ", ".join(part for part in (place, shown) if part) or "the data"


def _dotted(steps: Sequence[str | int]) -> str:
    shown = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return shown.removeprefix(".")
