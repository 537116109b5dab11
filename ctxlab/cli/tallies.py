"""What a step decided, in a few words for its row: entries that fired, rules that hit, variables that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ctxlab.cli.terminal import harmless
from ctxlab.context import Context
from ctxlab.pipeline.decisions import LORE
from ctxlab.pipeline.trace import Step, Trace

RULES, WRITES, STATE, MACROS = "regex-processor", "variables", "session-variables", "macro-variables"
FEW = 3

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


def left(step: Step, key: str) -> Any:
    """What a step left under a shared key; None when it left nothing new there."""
    found = step.after.shared.get(key)
    return None if found is step.before.shared.get(key) else found


def rows_of(trace: Trace, key: str) -> tuple[Mapping[str, Any], ...]:
    """The rows under a shared key."""
    return tuple(trace.result.shared.get(key, ()))


def tally(step: Step) -> str:
    """`5 of 16 entries fired`, `3 rules, 12 hits`; empty when nothing of the kind was decided."""
    return "; ".join(_told(step))


def _told(step: Step) -> Iterator[str]:
    lore, rules, writes = left(step, LORE), left(step, RULES), left(step, WRITES)
    if lore:
        yield f"{sum(bool(row['fired']) for row in lore):,} of {_many(len(lore), 'entry', 'entries')} fired"
    if rules:
        named = {(row["layer"], row["preset"], row["rule_id"], row["rule"]) for row in rules}
        hits = sum(row["hits"] for row in rules)
        yield f"{_many(len(named), 'rule', 'rules')}, {_many(hits, 'hit', 'hits')}"
    if writes:
        paths = _many(len({row["path"] for row in writes}), "variable", "variables")
        yield f"{_many(len(writes), 'write', 'writes')} to {paths}"
    if left(step, MACROS) is not None:
        names = [value.name for value in values(step) if value.changed and value.scope != "session"]
        if names:
            more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
            yield f"sets {harmless(', '.join(names[:FEW]))}{more}"


def values(step: Step) -> list[Value]:
    """Every variable before and after a step, by scope and name."""
    before, after = _state(step.before), _state(step.after)
    return [Value(*name, before.get(name), after.get(name)) for name in dict.fromkeys((*before, *after))]


def _state(ctx: Context) -> dict[tuple[Scope, str], Any]:
    macros: Mapping[str, Mapping[str, Any]] = ctx.shared.get(MACROS) or ctx.request.variables.as_data()
    scopes = {"conversation": macros["session"], "everywhere": macros["everywhere"]}
    scopes["session"] = _flat(ctx.shared.get(STATE, {}))
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


def _many(n: int, one: str, more: str) -> str:
    return f"{n:,} {one if n == 1 else more}"
