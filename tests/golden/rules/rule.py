"""What a difference rule is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.golden.cases import Case


def _as_it_is(result: Any) -> Any:
    return result


@dataclass(frozen=True)
class Rule:
    """`applies` looks at the case as it was read, `ours` at one whose `expected` is in comparable form.

    `view` takes what doesn't count out of both results before they are compared.
    """

    id: str
    why: str
    files: tuple[str, ...]
    applies: Callable[[Case], bool]
    ours: Callable[[Case], Any]
    view: Callable[[Any], Any] = _as_it_is
