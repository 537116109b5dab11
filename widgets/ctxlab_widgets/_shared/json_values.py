"""Values on their way to a browser."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

SURROGATE = re.compile("[\ud800-\udfff]")


def as_json(value: Mapping[str, Any]) -> str:
    """Compact JSON that has a UTF-8 form: half a surrogate pair as an escape, bytes as `{"bytes": base64}`."""
    try:
        return orjson.dumps(value, default=_bytes).decode()
    except orjson.JSONEncodeError:  # half a pair, a number beyond 64 bits, a key that is no text
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_bytes)
        return SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _bytes(value: object) -> dict[str, str]:
    if not isinstance(value, bytes):
        raise TypeError(f"{type(value).__name__} has no JSON form")
    return {"bytes": base64.b64encode(value).decode()}


def list_as_json(values: Sequence[Any]) -> str:
    """Compact JSON of a list, as `as_json` writes it."""
    return as_json({"": values})[4:-1]
