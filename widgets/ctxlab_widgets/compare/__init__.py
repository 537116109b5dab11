"""Runs side by side: what each of them sends, changes, moves and cuts of the same messages, and why."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import Agent
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab.pipeline import Trace
from ctxlab.studies import Comparison, NamedRun, compare
from ctxlab.studies.comparison import runs_by_name
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.remedies import RemedyCache
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.compare.columns import (
    BASE,
    Column,
    Variant,
    branch_columns,
    built_column,
    columns_of,
    free_name,
    rebased,
    variant_name,
    variants,
)
from ctxlab_widgets.compare.payload import view_of

UNCOUNTABLE = 2**53
BRANCHES = "branches:"


class Compare(Widget):
    """A table of messages with a column for each run; the first column is the base, which the others are held against.

    `traces` is the base's run, runs by name (the first is the base), a list of values with a `name` and a `trace`, or a
    Comparison. From the base further columns are made: every one of `strategies` at every one of `budgets`, each of
    `agents`, each of `leaves` (ids of messages).
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance(Trace, allow_none=True)
    """The run that columns are made from, the base's unless two branches are shown. Runs that were given stay."""
    view = traitlets.Unicode("").tag(sync=True)
    """Columns and rows as JSON; empty when there is no run."""
    texts = traitlets.Unicode(as_json({"texts": []})).tag(sync=True)
    """The texts that the rows open to, as JSON `{"texts": [...]}`; the view's cells number them."""
    opened = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Keys of the rows that are open."""
    ledgers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    """Names of the columns whose ledger is shown."""
    only_differences = traitlets.Bool(False).tag(sync=True)
    """Whether messages that all runs send alike are left out."""
    remedies = traitlets.Unicode("").tag(sync=True)
    """Remedies for the messages of open rows that the base cut, as JSON by key; empty when there are none."""
    undoable = traitlets.Int(0).tag(sync=True)
    """The number of changes made here that can be taken back."""

    @checked_arguments
    def __init__(
        self,
        traces: Trace | Mapping[str, Trace] | Sequence[NamedRun] | Comparison | None = None,
        *,
        strategies: Sequence[str] | None = None,
        budgets: Sequence[int] | None = None,
        agents: Sequence[Agent] | None = None,
        leaves: Sequence[str] | None = None,
    ) -> None:
        runs = traces.traces if isinstance(traces, Comparison) else traces
        self._columns: tuple[Column, ...] = ()
        self._source: Trace | None = None
        self._undo: list[tuple[tuple[Column, ...], Trace]] = []
        self._own: Trace | None = None
        self._remedies = RemedyCache()
        self._comparison = Comparison({}, ())
        self._agents = tuple(agents or ())
        self._shown: Comparison | None = None
        columns = columns_of(runs, variants(strategies, budgets, agents, leaves))
        found = traces if isinstance(traces, Comparison) and list(traces.traces) == _names(columns) else None
        super().__init__()
        self._set(columns, columns[0].trace if columns else None, found)

    @property
    def comparison(self) -> Comparison:
        """The comparison on the page, as `ctxlab.compare` gives it: runs that failed are not in it."""
        return self._comparison

    @property
    def traces(self) -> dict[str, Trace]:
        """The runs by name, the base first."""
        return dict(self._comparison.traces)

    @property
    def failed(self) -> dict[str, str]:
        """Columns that came to no run, with the sentence that says why."""
        return {column.name: column.error for column in self._columns if column.error}

    # --- commands

    def add(
        self,
        name: str | None = None,
        *,
        strategy: str | None = None,
        budget: int | None = None,
        agent: Agent | str | None = None,
        leaf: str | None = None,
    ) -> None:
        """One more column: the base's run with something else in it. An agent of the run can be given by id or name.

        A run whose budget is too small is a column that says so. Raises for what there is not.
        """
        base = self._shown_run()
        if budget is not None and budget >= UNCOUNTABLE:
            raise CtxlabError(f"a budget is below {UNCOUNTABLE:,} tokens: a page can't count further")
        variant = Variant(strategy, budget, self._agent(agent), leaf)
        if not variant:
            raise CtxlabError("say what is different in the new column: a strategy, a budget, an agent or a branch")
        taken = _names(self._columns)
        if name is not None and name in taken:
            raise CtxlabError(f"there is a column {name!r} already")
        column = built_column(name or free_name(variant_name(variant, base), taken), variant, base)
        self._set((*self._columns, column), base)

    def show_branches(self, one: str, other: str) -> None:
        """Two branches of the conversation instead of all columns, each named by the message that it ends at.

        They are run with what `trace` was run with, which stays; the one that `trace` is at is the base.
        """
        run = self._shown_run()
        self._set(branch_columns(run, one, other), run)

    def show_key(self, key: str) -> None:
        """Open a message's row, or of `branches:["a8","b3"]` two branches."""
        if not key.startswith(BRANCHES):
            self.open_row(key)
            return
        match _json(key.removeprefix(BRANCHES)):
            case [str(one), str(other)]:
                self.show_branches(one, other)
            case _:
                raise CtxlabError(f'two branches are named as in {BRANCHES}["a8","b3"], got {key[:80]!r}')

    def undo(self) -> None:
        """Take the last change of the base's run back."""
        if not self._undo:
            raise CtxlabError("nothing was changed here that could be taken back")
        columns, self._own = self._undo.pop()
        self.effect = {}
        self._set(columns, self._own)

    def show_runs(self, runs: Mapping[str, Trace] | Sequence[NamedRun]) -> None:
        """Hold the base against these runs by name, in place of those that were shown; the base is not shown twice."""
        columns = [each for each in self._columns[:1] if each.variant is None] or [Column(BASE, trace=self._source)]
        for name, run in runs_by_name(runs).items():
            if run is not self._source:
                columns.append(Column(free_name(name, _names(columns)), trace=run))
        self._set(tuple(columns), self._source)

    def remove(self, name: str) -> None:
        """Take a column away; the base stays."""
        column = self._column(name)
        if column is self._columns[0]:
            raise CtxlabError(f"{name!r} is the base: make another column the base first")
        self._set(tuple(each for each in self._columns if each is not column), self._source)

    def set_base(self, name: str) -> None:
        """Hold the others against this column, which goes to the front. All runs stay as they are."""
        column = self._column(name)
        if column.trace is None:
            raise CtxlabError(f"{name!r} has no run to be the base: {column.error or 'no run yet'}")
        if column is self._columns[0]:
            return
        rest = [each for each in self._columns if each is not column]
        self._make_base((replace(column, variant=None), *rest), column.trace)

    def open_row(self, key: str) -> None:
        """Open a message's row: its text in every run, and why."""
        keys = [line.key for line in self._comparison.lines]
        if key not in keys:
            raise CtxlabError(f"no run has a message {key!r}{did_you_mean(key, keys)}"[:300])
        with self.hold_sync():
            self.selected = key
            if key not in self.opened:
                self.opened = [*self.opened, key]

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "add"} if (wanted := _add_arguments(message)) is not None:
                self.add(**wanted)
            case {"command": "remove", "name": str(name)}:
                self.remove(name)
            case {"command": "base", "name": str(name)}:
                self.set_base(name)
            case {"command": "open", "key": str(key)}:
                self.open_row(key)
            case {"command": "undo"}:
                self.undo()
            case _:
                raise self._wrong_command(message)

    # --- what is held

    def _take_run(self, run: Trace, *, label: str = "", continues: bool = False) -> None:
        before = self._columns, self._shown_run()
        self._own = run
        super()._take_run(run, label=label, continues=continues)
        self._undo.append(before)
        self.undoable = len(self._undo)

    def _make_base(self, columns: tuple[Column, ...], run: Trace) -> None:
        """Columns that are there already in another order; the first one's run is the one to show from now on."""
        if self._source is not None:
            self._undo.append((self._columns, self._source))
            self._columns, self._source, self._own = columns, run, run
            super()._take_run(run)
        self._set(columns, run)

    @traitlets.observe("trace")
    def _on_trace(self, change: Any) -> None:
        run: Trace | None = change["new"]
        if run is self._source:
            return
        if run is not self._own:
            self._undo.clear()
        columns = rebased(self._columns, run)
        with self.hold_sync():
            if self._columns and self._columns[0].name in self.ledgers:
                self.ledgers = [columns[0].name if name == self._columns[0].name else name for name in self.ledgers]
            self._set(columns, run)

    @traitlets.observe("opened")
    def _on_opened(self, _: Any) -> None:
        self._fill_remedies()

    def _set(self, columns: tuple[Column, ...], source: Trace | None, comparison: Comparison | None = None) -> None:
        """Take over other columns whole, or nothing of them where they can't be compared."""
        if comparison is None:
            comparison = compare({each.name: each.trace for each in columns if each.trace is not None})
        self._columns, self._source, self._comparison = columns, source, comparison
        with self.hold_sync():
            self.trace = source
            self.ledgers = [name for name in self.ledgers if name in comparison.traces]
            self.show()

    def show(self) -> None:
        """Take over what is compared, where it is something else than what was shown last."""
        self.undoable = len(self._undo)
        if self._shown is self._comparison:
            return
        self._shown = self._comparison
        with self.hold_sync():
            self._fill_remedies()
            if not self._comparison.traces:
                self.view, self.texts = "", as_json({"texts": []})
                return
            view, texts = view_of(self._columns, self._comparison, self._known_agents())
            self.texts = as_json({"texts": texts})
            self.view = as_json(view)

    def _fill_remedies(self) -> None:
        """Only the base's run can be changed here, and only while it is the one that columns are made from."""
        run = self._columns[0].trace if self._columns else None
        self.remedies = self._remedies.of(run if run is self._source else None, self.opened)

    def _column(self, name: str) -> Column:
        found = next((column for column in self._columns if column.name == name), None)
        if found is None:
            raise CtxlabError(f"there is no column {name!r}{did_you_mean(name, _names(self._columns))}"[:300])
        return found

    def _known_agents(self) -> list[Agent]:
        """The agents that a column can be made with, each id once."""
        build_input = self._source.start.input if self._source is not None else None
        known = [*(build_input.agents if build_input else ()), *self._agents]
        if build_input is not None and build_input.agent is not None:
            known.insert(0, build_input.agent)
        return list({agent.id: agent for agent in reversed(known)}.values())[::-1]

    def _agent(self, agent: Agent | str | None) -> Agent | None:
        if agent is None or isinstance(agent, Agent):
            return agent
        known = self._known_agents()
        found = next((each for each in known if agent in (each.id, each.name)), None)
        if found is None:
            raise CtxlabError(f"no agent {agent!r} is at hand{did_you_mean(agent, [each.id for each in known])}"[:300])
        return found


def _names(columns: Sequence[Column]) -> list[str]:
    return [column.name for column in columns]


_FIELDS: Mapping[str, type] = {"name": str, "strategy": str, "budget": int, "agent": str, "leaf": str}


def _add_arguments(command: Mapping[str, Any]) -> dict[str, Any] | None:
    """The fields of an `add`, null ones left out; None where one is of a wrong kind or there is no such field."""
    fields = {name: value for name, value in command.items() if name != "command" and value is not None}
    right = all(type(value) is _FIELDS.get(name) for name, value in fields.items())
    return fields if right else None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None
