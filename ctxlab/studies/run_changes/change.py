"""One difference between two runs: a label, and code that makes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RunChange:
    """One difference: `label` in a few words, such as `scan depth 3`, and `python`, statements that make it.

    They turn a trace `run` into the other one, and are empty where no short code does.
    """

    label: str
    python: str = ""


@dataclass(frozen=True, slots=True)
class Way:
    """A way to make a difference: the call as code, and the call itself."""

    code: str
    call: Callable[[], Any]


def first_that_makes(wanted: object, ways: Iterable[Way]) -> str:
    """The code of the first way that gives the value that is wanted; empty where none does."""
    for way in ways:
        try:
            if way.call() == wanted:
                return way.code
        except CtxlabError:
            continue
    return ""


def as_written(value: Any) -> Any:
    """A number as a person writes it: whole ones without a fraction."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def arguments(values: dict[str, Any]) -> str:
    """Keyword arguments as code.

    >>> arguments({"depth": 1, "anchor": "chat_history"})
    "depth=1, anchor='chat_history'"
    """
    return ", ".join([f"{name}={as_written(value)!r}" for name, value in values.items()])
