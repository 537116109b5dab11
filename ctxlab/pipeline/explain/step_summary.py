"""What a step decided, in a few words: entries that fired, rules that hit, variables that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from ctxlab.context import Context
from ctxlab.pipeline.explain.lore_decisions import LORE

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


def left(before: Context, after: Context, key: str) -> Any:
    """What a step left under a shared key; None when it left nothing new there."""
    found = after.shared.get(key)
    return None if found is before.shared.get(key) else found


def tally(before: Context, after: Context) -> str:
    """`5 of 16 entries fired`, `3 rules, 12 hits`; empty when nothing of the kind was decided."""
    return "; ".join(_told(before, after)) if after.shared is not before.shared else ""


def _told(before: Context, after: Context) -> Iterator[str]:
    lore = _rows(left(before, after, LORE), "fired")
    rules = _rows(left(before, after, RULES), "layer", "preset", "rule_id", "rule", "hits")
    writes = _rows(left(before, after, WRITES), "path", "op")
    if lore:
        yield f"{sum(bool(row['fired']) for row in lore):,} of {_many(len(lore), 'entry', 'entries')} fired"
    if rules:
        named = {(row["layer"], row["preset"], row["rule_id"], row["rule"]) for row in rules}
        hits = sum(row["hits"] for row in rules)
        yield f"{_many(len(named), 'rule', 'rules')}, {_many(hits, 'hit', 'hits')}"
    if writes:
        paths = _many(len({row["path"] for row in writes}), "variable", "variables")
        yield f"{_many(len(writes), 'write', 'writes')} to {paths}"
    if left(before, after, MACROS) is not None:
        names = [value.name for value in values(before, after) if value.changed and value.scope != "session"]
        if names:
            more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
            yield f"sets {', '.join(names[:FEW])}{more}"


def _rows(left: Any, *columns: str) -> list[Mapping[str, Any]]:
    """The rows of a table; what others leave under the same key is none."""
    rows = cast("tuple[Any, ...]", left) if isinstance(left, (tuple, list)) else ()
    return [row for row in rows if isinstance(row, Mapping) and all(column in row for column in columns)]


def values(before: Context, after: Context) -> list[Value]:
    """Every variable before and after a step, by scope and name."""
    old, new = _state(before), _state(after)
    return [Value(*name, old.get(name), new.get(name)) for name in dict.fromkeys((*old, *new))]


def _state(ctx: Context) -> dict[tuple[Scope, str], Any]:
    macros: Mapping[str, Mapping[str, Any]] = ctx.shared.get(MACROS) or ctx.input.variables.as_data()
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
