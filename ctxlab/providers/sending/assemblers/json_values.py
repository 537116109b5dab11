"""Values of a vendor's JSON, taken for what they should be and for nothing where they aren't."""

from __future__ import annotations

from typing import Any, cast

Data = dict[str, Any]


def object_in(value: Any) -> Data:
    """The fields of an object; none of anything else."""
    return cast("Data", value) if isinstance(value, dict) else {}


def list_in(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def text_in(value: Any) -> str:
    return value if isinstance(value, str) else ""


def index_in(value: Any, otherwise: int = 0) -> int:
    """A place in a list, as a vendor numbers it."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise
