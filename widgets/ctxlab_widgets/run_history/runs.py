"""The runs of a page, each with the one that it was made from: what undo, redo and going back walk through."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import overload

from ctxlab.context import PromptLimit
from ctxlab.display.html_table import html_table
from ctxlab.errors import CtxlabError, UnknownName, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.comparison import COLUMNS as COLUMNS_OF_COMPARISONS
from ctxlab.studies.run_changes import run_changes
from ctxlab.studies.run_effect import RunEffect, run_effect

AS_OPENED = "as opened"
COLUMNS = ("name", "from", "tokens", "change", "effect")


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A trace with a name. `python` are statements that make it from its parent's trace `run`; empty where none do."""

    name: str
    trace: Trace
    parent: str | None = None
    python: str = ""

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {self.trace.tokens:,} tokens)"

    def own_python(self, page: str = "page") -> str:
        """The statements that make it from its parent; of the page, where there are none."""
        return self.python or f"run = {page}.runs[{self.name!r}].trace  # {page}: what lab(...) gave"


@dataclass(slots=True, eq=False)
class Runs(Sequence[Run]):
    """All runs of a page in the order in which they came; `compare` takes them. One of them is the current one.

    A run that is recorded becomes a child of the current one: after going back that is a fork.
    """

    all: list[Run] = field(default_factory=list[Run])
    current: Run = field(init=False)
    _latest_child: dict[str, str] = field(default_factory=dict[str, str])
    _effects: dict[Run, RunEffect] = field(default_factory=dict[Run, RunEffect])

    @classmethod
    def begin(cls, trace: Trace, python: str = "") -> Runs:
        """Runs with a first one, named after its budget."""
        runs = cls([])
        limit = trace.result.report(PromptLimit)
        runs.current = Run(f"{limit.budget_tokens:,}" if limit is not None else AS_OPENED, trace, None, python)
        runs.all.append(runs.current)
        return runs

    def __repr__(self) -> str:
        return f"Runs({', '.join([run.name for run in self.all])})"

    def _repr_html_(self) -> str:
        rows = (
            (run.name, run.parent or "", f"{run.trace.tokens:,}", run.python, str(self.effect(run) or ""))
            for run in self.all
        )
        return html_table(COLUMNS, rows)

    def __len__(self) -> int:
        return len(self.all)

    def __iter__(self) -> Iterator[Run]:
        return iter(self.all)

    @overload
    def __getitem__(self, which: int | str) -> Run: ...
    @overload
    def __getitem__(self, which: slice) -> list[Run]: ...
    def __getitem__(self, which: int | str | slice) -> Run | list[Run]:
        """A run by its number or its name."""
        if not isinstance(which, str):
            return self.all[which]
        found = next((run for run in self.all if run.name == which), None)
        if found is None:
            names = [run.name for run in self.all]
            raise UnknownName(f"there is no run {which!r}{did_you_mean(which, names)}")
        return found

    # --- what is recorded

    def record(self, trace: Trace, *, continues: bool = False) -> Run:
        """The run of this trace, which becomes the current one; a known one is found again.

        With `continues` it takes the place of the current one, such as while a handle is dragged.
        """
        known = next((run for run in self.all if run.trace is trace), None)
        if known is not None:
            self.current = known
            return known
        if continues and self._may_be_replaced(self.current):
            return self._replace(self.current, trace)
        return self._add(trace, self.current)

    def _may_be_replaced(self, run: Run) -> bool:
        return run is self.all[-1] and run.parent is not None

    def _add(self, trace: Trace, parent: Run) -> Run:
        changes = run_changes(parent.trace, trace)
        run = Run(self._free(changes.label or "run again"), trace, parent.name, changes.python)
        self.all.append(run)
        self._latest_child[parent.name] = run.name
        self.current = run
        return run

    def _replace(self, run: Run, trace: Trace) -> Run:
        parent = self[run.parent or ""]
        self.all.remove(run)
        self._effects.pop(run, None)
        return self._add(trace, parent)

    def _free(self, name: str) -> str:
        taken = {run.name for run in self.all}
        name = f"run {name}" if name in COLUMNS_OF_COMPARISONS else name
        tries = (name, *(f"{name} ({n})" for n in range(2, len(taken) + 3)))
        return next(each for each in tries if each not in taken)

    # --- where one goes

    def go_to(self, name: str) -> Run:
        """Make another run the current one."""
        self.current = self[name]
        if self.current.parent is not None:
            self._latest_child[self.current.parent] = self.current.name
        return self.current

    @property
    def undone(self) -> Run | None:
        """The run that undo leads to; None where there is none."""
        return None if self.current.parent is None else self[self.current.parent]

    @property
    def redone(self) -> Run | None:
        """The run that redo leads to: of those made from the current one the latest."""
        child = self._latest_child.get(self.current.name)
        return None if child is None else self[child]

    def undo(self) -> Run:
        """Go to the run that the current one was made from; raises CtxlabError where there is none."""
        if self.undone is None:
            raise CtxlabError("there is nothing to undo: this is the first run")
        self.current = self.undone
        return self.current

    def redo(self) -> Run:
        """Go to the run that was undone; raises CtxlabError where there is none."""
        if self.redone is None:
            raise CtxlabError("there is nothing to redo: no run was made from this one")
        self.current = self.redone
        return self.current

    # --- what is known of a run

    def effect(self, run: Run) -> RunEffect | None:
        """The effect of the change that made it.

        None for the first, for one of another conversation, and where one of the two came to no end.
        """
        parent = self[run.parent].trace if run.parent is not None else None
        if parent is None or parent.stopped_at is not None or run.trace.stopped_at is not None:
            return None
        if parent.start.input.session.id != run.trace.start.input.session.id:
            return None
        held = self._effects.get(run)
        if held is None:
            held = self._effects[run] = run_effect(parent, run.trace)
        return held

    def python(self, run: Run, page: str = "page") -> str:
        """Statements that make a run from the beginning, and call its trace `run`.

        What no short code makes is taken from the page.
        """
        lines: list[str] = []
        at: Run | None = run
        while at is not None:
            lines.append(at.own_python(page))
            at = self[at.parent] if at.parent is not None and at.python else None
        return "\n".join(reversed(lines))
