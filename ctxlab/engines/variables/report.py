"""The reports of session variables: the writes of messages, and the values after the last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxlab.context.step_report import Row, report_html
from ctxlab.display.short_texts import counted
from ctxlab.documents.frozen_json import frozen
from ctxlab.engines.variables.replay import VariableChange
from ctxlab.engines.variables.values_by_path import MISSING
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class VariableWrite:
    """One change that a message asked for; its `problem` says why the value stayed as it was."""

    message: str
    change: VariableChange

    def as_data(self) -> Row:
        """A row of the table; no value is None."""
        change = self.change
        values = {"value": change.value, "from": change.before, "to": change.after}
        return {
            "key": self.message,
            "path": change.path,
            "op": change.op,
            **{name: None if value is MISSING else value for name, value in values.items()},
            "problem": change.problem,
        }


@dataclass(frozen=True, slots=True, eq=False)
class VariableWrites:
    """Every write, in the order of the messages."""

    name = "variables"
    writes: tuple[VariableWrite, ...]

    def __repr__(self) -> str:
        return f"VariableWrites({self.summary()})"

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        return tuple([frozen(write.as_data()) for write in self.writes])

    def summary(self) -> str:
        """`3 writes to 2 variables`; empty when there is none."""
        paths = counted(len({write.change.path for write in self.writes}), "variable")
        return f"{counted(len(self.writes), 'write')} to {paths}" if self.writes else ""


@dataclass(frozen=True, slots=True, eq=False)
class SessionVariables:
    """The values of the session variables in the end."""

    name = "session-variables"
    values: Mapping[str, Any]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", frozen(self.values))

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        return (self.values,)

    def summary(self) -> str:
        return ""
