"""What a writer gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

from ctxlab.display.text import counted
from ctxlab.formats.loss import Loss

T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class Export(Generic[T]):
    """What was written, and what the form could not carry. Markdown shows itself in a notebook."""

    data: T
    losses: tuple[Loss, ...] = ()

    def __repr__(self) -> str:
        losses = f"{len(self.losses)} {'loss' if len(self.losses) == 1 else 'losses'}"
        return f"Export({_size(self.data)}, {losses})"

    def __str__(self) -> str:
        return self.data if isinstance(self.data, str) else repr(self)

    def _repr_markdown_(self) -> str | None:
        return self.data if isinstance(self.data, str) else None


def _size(data: object) -> str:
    if isinstance(data, str):
        return f"{len(data):,} characters"
    if isinstance(data, bytes):
        return f"{len(data):,} bytes"
    held = cast("dict[str, Any]", data).get("messages") if isinstance(data, dict) else data
    if isinstance(held, list):
        return counted(len(cast("list[Any]", held)), "message")
    return counted(len(cast("dict[str, Any]", data)), "field")
