"""Step reports: what a step tells later steps and the reader, as typed values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from ctxlab.context.portable_pickles import by_fields
from ctxlab.documents.frozen_json import frozen
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.context.context import Variables

Row = Mapping[str, Any]
FEW = 3


@runtime_checkable
class StepReport(Protocol):
    """A value that a step leaves for later steps and the reader, defined where it is computed.

    `name` is the name of its table: `trace.table(name)`. A step puts it with `ctx.put(report)`; a later step reads it
    with `ctx.report(ItsType)`.
    """

    @property
    def name(self) -> str: ...

    def rows(self) -> Sequence[Row]:
        """The rows of its table, as JSON data."""
        ...

    def summary(self) -> str:
        """The step's decision in a few words: `5 of 16 entries fired`; empty when there is nothing to say."""
        ...


@runtime_checkable
class PromptLimit(StepReport, Protocol):
    """A report of a step that keeps the prompt within a budget, whichever step that is.

    `budget_tokens` are those for the prompt; `reserve_tokens` are kept free for the reply beside them.
    """

    @property
    def budget_tokens(self) -> int: ...

    @property
    def reserve_tokens(self) -> int: ...


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows under a name, for a step that has no report type of its own; a mapping alone is one row."""

    name: str
    content: Any
    line: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "content", frozen(self.content))

    def __repr__(self) -> str:
        return f"Table({self.name!r}, {len(self.rows())} rows)"

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "content")

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        content: Any = self.content
        if isinstance(content, (Mapping, str, bytes)) or not isinstance(content, Iterable):
            return (cast("Row", content),)
        return tuple(cast("Iterable[Row]", content))

    def summary(self) -> str:
        return self.line


@dataclass(frozen=True, slots=True, eq=False)
class MacroVariables:
    """The variables that macros have set when a step ended, and those before it; the next build takes the former."""

    name = "macro-variables"
    variables: Variables
    before: Variables

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        return (self.variables.as_data(),)

    def summary(self) -> str:
        """`sets mood, weather`: the variables whose values are others than before."""
        pairs = (
            (self.before.session, self.variables.session),
            (self.before.everywhere, self.variables.everywhere),
        )
        names = [name for old, new in pairs for name in dict.fromkeys((*old, *new)) if _differs(old, new, name)]
        more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
        return f"sets {', '.join(names[:FEW])}{more}" if names else ""


@dataclass(frozen=True, slots=True, eq=False)
class LoreActivations:
    """Lore that fired, with the message that was the newest then; the next build takes it as its activations."""

    name = "lore-activations"
    newest: Mapping[str, str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "newest", frozen(self.newest))

    def _repr_html_(self) -> str:
        return report_html(self)

    def rows(self) -> Sequence[Row]:
        return (self.newest,)

    def summary(self) -> str:
        return ""


def report_html(report: StepReport) -> str:
    """The rows of a report as a table for the notebook."""
    from ctxlab.display.html_table import heading, records_table

    rows: Sequence[Any] = report.rows()
    named = [row if isinstance(row, Mapping) else {"row": row} for row in rows]  # a plugin may leave anything
    return heading(report) + (records_table(named) if named else "")


def summary_of(reports: Sequence[StepReport]) -> str:
    """The summaries of what a step left, in a line; empty when there is none."""
    return "; ".join([line for report in reports if (line := report.summary())])


def _differs(old: Row, new: Row, name: str) -> bool:
    before, after = old.get(name), new.get(name)
    return before != after or type(before) is not type(after)
