"""The states of a form that undo and redo go through."""

from __future__ import annotations

from typing import Generic, TypeVar

from ctxlab.errors import CtxlabError

MOST_UNDONE = 200
"""States that undo goes back through."""

S = TypeVar("S")


class UndoSteps(Generic[S]):
    """States before the current one and behind it, each with the label of the change that led away from it."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Forget all states: another value is edited."""
        self._undo: list[tuple[str, S]] = []
        self._redo: list[tuple[str, S]] = []
        self._continued = ""

    @property
    def labels(self) -> dict[str, str | None]:
        """The changes that undo takes back and redo makes again; None where there is none."""
        return {"undo": self._undo[-1][0] if self._undo else None, "redo": self._redo[-1][0] if self._redo else None}

    def change(self, label: str, before: S, *, continues: bool = False) -> None:
        """Keep the state before a change; with `continues` it belongs to the change of that label just made."""
        if not (continues and self._continued == label):
            self._undo = [*self._undo, (label, before)][-MOST_UNDONE:]
        self._redo, self._continued = [], label

    def undo(self, now: S) -> S:
        """The state before the last change; raises CtxlabError where there is none."""
        return self._moved(self._undo, self._redo, now, "undo")

    def redo(self, now: S) -> S:
        """The state that was undone last; raises CtxlabError where there is none."""
        return self._moved(self._redo, self._undo, now, "redo")

    def _moved(self, one: list[tuple[str, S]], other: list[tuple[str, S]], now: S, verb: str) -> S:
        if not one:
            raise CtxlabError(f"there is nothing to {verb}")
        label, state = one.pop()
        other.append((label, now))
        self._continued = ""
        return state
