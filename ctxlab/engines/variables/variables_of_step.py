"""Every variable before and after a step: those that macros set, and those that messages write."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from ctxlab.context import Context
from ctxlab.engines.variables.report import SessionVariables

Scope = Literal["conversation", "everywhere", "session"]
"""`conversation` and `everywhere` for what macros set, `session` for what <svar> tags write."""


class VariableValue(NamedTuple):
    """A variable, its value before and after a step; None when it had none."""

    scope: Scope
    name: str
    before: Any
    after: Any

    @property
    def changed(self) -> bool:
        return self.before != self.after or type(self.before) is not type(self.after)


def variable_values(before: Context, after: Context) -> list[VariableValue]:
    """Every variable before and after a step, by scope and name."""
    old, new = _values(before), _values(after)
    return [VariableValue(*name, old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new))]


def _values(ctx: Context) -> dict[tuple[Scope, str], Any]:
    written, variables = ctx.report(SessionVariables), ctx.variables
    scopes: dict[Scope, Mapping[str, Any]] = {
        "conversation": variables.session,
        "everywhere": variables.everywhere,
        "session": _flat(written.values) if written is not None else {},
    }
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
