"""What a step decided, in a few words: entries that fired, rules that hit, variables that changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ctxlab.context import Context, MacroVariables, StepReport
from ctxlab.context.report import rows_named

RULES, STATE = "regex-processor", "session-variables"

Scope = str
"""`conversation` and `everywhere` for what macros set, `session` for what <svar> tags write."""


class Value(NamedTuple):
    """A variable, its value before and after a step; None when it had none."""

    scope: Scope
    name: str
    before: Any
    after: Any

    @property
    def changed(self) -> bool:
        return self.before != self.after or type(self.before) is not type(self.after)


def summary(reports: Sequence[StepReport]) -> str:
    """`5 of 16 entries fired`, `3 rules, 12 hits`: the summaries of what a step left; empty when there is none."""
    return "; ".join([line for report in reports if (line := report.summary())])


def values(before: Context, after: Context) -> list[Value]:
    """Every variable before and after a step, by scope and name."""
    old, new = _state(before), _state(after)
    return [Value(*name, old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new))]


def _state(ctx: Context) -> dict[tuple[Scope, str], Any]:
    report = ctx.report(MacroVariables)
    macros = report.variables if report is not None else ctx.input.variables
    scopes = {"conversation": macros.session, "everywhere": macros.everywhere}
    scopes["session"] = _flat(dict(next(iter(rows_named(ctx, STATE)), {})))
    return {(scope, name): value for scope, named in scopes.items() for name, value in named.items()}


def _flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested values by path."""
    out: dict[str, Any] = {}
    for name, value in tree.items():
        if isinstance(value, Mapping) and value:
            out |= _flat(value, f"{prefix}{name}.")
        else:
            out[f"{prefix}{name}"] = value
    return out
