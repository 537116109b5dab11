"""Undo and redo: the states that a session went through, as reversible steps."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any, Concatenate, Literal, ParamSpec, Self

from pydantic import Field, ValidationError

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.atomic_file import replace_file
from ctxlab.documents.history.patch import Patch, patch_between
from ctxlab.documents.history.patch_as_deltas import affected_nodes, deltas_of, tag_of
from ctxlab.documents.refused_values import first_refusal
from ctxlab.documents.session.session import Session
from ctxlab.documents.stored import Stored, as_json
from ctxlab.errors import BrokenFile, ReadError, Refused

P = ParamSpec("P")

LIMIT = 50
"""States that are kept, the oldest and the present one included."""

START = "start"


class HistoryStep(Stored):
    """One step of a history; `breakpoint` is the label of the barrier that was set after it."""

    label: str = ""
    target: str | None = None
    timestamp: str | None = None
    breakpoint: str | None = None
    patch: Patch = Field(default_factory=Patch)


class StoredHistory(Stored):
    """A history as it is stored: `of` is the fingerprint of its session, which is state `index`."""

    version: Literal[1] = 1
    of: str = ""
    index: int = 0
    steps: tuple[HistoryStep, ...] = ()


class History:
    """The one mutable thing among the documents: a session that can go back.

    State 0 is the oldest that is kept; with more than 50 states the oldest ones go.

    >>> history = History(Session(id="s").append("Why?", id="q"))
    >>> history.do(Session.edit, "q", "Why not?")
    Session('s', 2 nodes, leaf 'q')
    >>> history.undo().node("q").content
    'Why?'
    """

    @checked_arguments
    def __init__(self, session: Session) -> None:
        self._session = session
        self._steps: list[HistoryStep] = []
        self._index = 0

    def __repr__(self) -> str:
        return (
            f"History({self._session.id!r}, state {self._index} of 0 to {len(self._steps)}: {self.labels[self._index]})"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:
        from ctxlab.display.views import shown_as

        return shown_as("session", self)

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import heading, html_table

        states = list(enumerate(self.labels))
        newest_first = ((i, label, "now" if i == self._index else "") for i, label in reversed(states))
        return heading(self) + html_table(("state", "step", ""), newest_first, of="states")

    @property
    def session(self) -> Session:
        """The present state."""
        return self._session

    @property
    def index(self) -> int:
        """Number of the present state."""
        return self._index

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of the step that led to each state, oldest first; state 0 is the start."""
        return (START, *(step.label for step in self._steps))

    @property
    def can_undo(self) -> bool:
        """Whether `undo()` goes back: there is an older state, and no breakpoint before it.

        At a breakpoint, as a turn sets one, `undo(past_breakpoint=True)` goes back all the same.
        """
        return self._index > 0 and self._steps[self._index - 1].breakpoint is None

    @property
    def can_redo(self) -> bool:
        return self._index < len(self._steps)

    # --- forward

    @checked_arguments
    def do(self, verb: Callable[Concatenate[Session, P], Session], *args: P.args, **kwargs: P.kwargs) -> Session:
        """Apply a verb of Session and record what it did: `history.do(Session.edit, "n1", "new words")`."""
        session = verb(self._session, *args, **kwargs)
        target = signature(verb).bind(self._session, *args, **kwargs).arguments.get("node_id", session.active_leaf_id)
        return self.record(session, getattr(verb, "__name__", "change"), target=target)

    @checked_arguments
    def record(
        self, session: Session, label: str, *, target: str | None = None, timestamp: str | None = None
    ) -> Session:
        """Make this the present state. What could be redone is gone; a state that is no other one is not recorded.

        `label` is a verb's name or any words; `target` is the node that it is about.
        """
        patch = patch_between(self._session, session)
        if patch.is_empty:
            return self._session
        given = {"target": target, "timestamp": timestamp}
        step = HistoryStep.model_validate(
            {"label": label, "patch": patch, **{k: v for k, v in given.items() if v is not None}}
        )
        self._steps[self._index :] = [step]
        del self._steps[: max(0, len(self._steps) - (LIMIT - 1))]
        self._index = len(self._steps)
        self._session = session
        return session

    @checked_arguments
    def continue_from(self, saved: Session) -> None:
        """Go on from the present state as it was saved. Other nodes, of a merge, are a step of their own.

        Fields that no state of the history has otherwise, such as a revision, stay as they were saved when one goes
        back.
        """
        present = self._session
        same_tree = saved.nodes == present.nodes and _head(saved) == _head(present)
        if same_tree and not any(step.patch.before.extra or step.patch.after.extra for step in self._steps):
            self._session = present.with_extra(saved.model_extra or {})
        else:
            self.record(saved, "merge" if not same_tree else "save")

    @checked_arguments
    def breakpoint(self, label: str = "breakpoint") -> None:
        """Have undo stop at the present state, as after a message was sent."""
        if self._index > 0:
            self._steps[self._index - 1] = self._steps[self._index - 1].with_(breakpoint=label)

    # --- back and forth

    @checked_arguments
    def undo(self, *, past_breakpoint: bool = False) -> Session:
        """The state before. Refuses at the oldest one, and at a breakpoint unless asked to pass it."""
        if self._index == 0:
            raise Refused("there is nothing to undo: this is the oldest state that is kept")
        stop = self._steps[self._index - 1].breakpoint
        if stop is not None and not past_breakpoint:
            raise Refused(f"undo stops here, at the breakpoint {stop!r}; undo(past_breakpoint=True) goes on")
        return self.jump(self._index - 1)

    def redo(self) -> Session:
        """The state that was undone last; refuses where there is none."""
        if not self.can_redo:
            raise Refused("there is nothing to redo: this is the newest state")
        return self.jump(self._index + 1)

    @checked_arguments
    def jump(self, index: int) -> Session:
        """Any state by its number, breakpoints or not."""
        if not 0 <= index <= len(self._steps):
            raise Refused(f"there is no state {index}: they are 0 to {len(self._steps)}")
        session = self._session
        for step in reversed(self._steps[index : self._index]):
            session = step.patch.undone(session)
        for step in self._steps[self._index : index]:
            session = step.patch.apply(session)
        self._session, self._index = session, index
        return session

    # --- read out and kept

    def entries(self) -> tuple[dict[str, Any], ...]:
        """All states in the seeds' words: tag, context and deltas; the first is INITIAL_STATE and has none."""
        start: dict[str, Any] = {"actionTag": "INITIAL_STATE", "context": {}, "isSnapshot": True}
        return (start, *(_entry(step) for step in self._steps))

    def to_data(self) -> dict[str, Any]:
        """The history as JSON data, without the session, which is kept beside it."""
        kept = StoredHistory(version=1, of=_fingerprint(self._session), index=self._index, steps=tuple(self._steps))
        return kept.to_data()

    @classmethod
    @checked_arguments
    def from_data(cls, session: Session, data: object) -> Self:
        """The history of a session, from what `to_data` gave.

        Raises BrokenFile for what is no history, Refused for the history of another session or of another state of it.
        """
        try:
            kept = StoredHistory.model_validate(data)
        except ValidationError as error:
            raise BrokenFile(f"this is no history of a session: {first_refusal(error)}") from error
        if not 0 <= kept.index <= len(kept.steps):
            raise BrokenFile(f"this is no history of a session: it has no state {kept.index}")
        if kept.of != _fingerprint(session):
            raise Refused(
                f"this history belongs to another state of session {session.id!r} or to another session: "
                "History(session) begins a new one"
            )
        history = cls(session)
        history._steps, history._index = list(kept.steps), kept.index
        return history

    @checked_arguments
    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the history's JSON in one step; the session itself is written separately by the caller."""
        return replace_file(path, as_json(self.to_data()))

    @classmethod
    @checked_arguments
    def load(cls, session: Session, path: str | os.PathLike[str]) -> Self:
        """The history of a session, from the file that `save` wrote; raises as `from_data`."""
        try:
            data = json.loads(Path(path).expanduser().read_bytes())
        except OSError as error:
            raise ReadError(f"{os.fspath(path)!r} can't be read: {error.strerror}") from error
        except ValueError as error:
            raise BrokenFile(f"{os.fspath(path)} is no JSON: {error}") from error
        return cls.from_data(session, data)


def _entry(step: HistoryStep) -> dict[str, Any]:
    deltas = deltas_of(step.patch)
    context: dict[str, Any] = {"affectedNodeCount": affected_nodes(deltas)}
    if step.target is not None:
        context["targetNodeId"] = step.target
        context |= _ends(step.target, deltas)
    times = {} if step.timestamp is None else {"timestamp": step.timestamp}
    tag = tag_of(step.label, step.patch)
    return {"actionTag": tag, **times, "context": context, "isSnapshot": False, "deltas": deltas}


def _ends(target: str, deltas: list[dict[str, Any]]) -> Mapping[str, Any]:
    """The old and the new parent of a node that moved; empty for one that didn't."""
    for delta in deltas:
        for change in delta.get("changes", ()):
            if change["nodeId"] == target:
                return {"sourceNodeId": change["oldParentId"], "destinationNodeId": change["newParentId"]}
    return {}


def _head(session: Session) -> dict[str, Any]:
    """The fields of a session that are known, without its nodes."""
    return {name: getattr(session, name) for name in Session.model_fields if name != "nodes"}


def _fingerprint(session: Session) -> str:
    """A hash of a tree's nodes, root and leaf; the session's name doesn't matter."""
    nodes = {key: node.to_data() for key, node in session.nodes.items()}
    return sha256(as_json([session.root_node_id, session.active_leaf_id, nodes])).hexdigest()
