"""A body as it is shown: values of fields that hold keys are hidden."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

HIDDEN = "***"
SAID = frozenset({"messages", "contents", "input", "system", "systemInstruction", "instructions"})
"""Fields of a body that hold what was said; a word of a call's arguments is no key."""
_OF_KEYS = re.compile(
    r"(?:x[-_])?(?:[a-z]+[-_])?(?:api[-_]?key|authorization|(?:access|auth|bearer|refresh)?[-_]?token|secret|secret[-_]?key"
    r"|password|credentials?)",
    re.IGNORECASE,
)


def masked(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body with `***` for the value of each field whose name is one of keys', such as api_key or authorization."""
    return {name: value if name in SAID else _masked(value, name) for name, value in body.items()}


def masked_at(value: object, path: Sequence[str | int]) -> Any:
    """A value of a body as it is shown: `***` where the field that holds it, or one inside it, is one of keys'."""
    if path and path[0] in SAID:
        return value
    return _masked(value, next((step for step in reversed(path) if isinstance(step, str)), ""))


def _masked(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return {each: _masked(item, str(each)) for each, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_masked(item, name) for item in cast("list[Any]", value)]
    is_key = isinstance(value, str | int) and not isinstance(value, bool) and _OF_KEYS.fullmatch(name) is not None
    return HIDDEN if is_key else value
