"""The values of variables after a row of messages: initial values, then every tag's write in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ctxlab.engines.javascript.numbers import as_float, plain
from ctxlab.engines.variables.definitions import Definition, Definitions
from ctxlab.engines.variables.svar_tags import Tag
from ctxlab.engines.variables.values_by_path import MISSING, Compat, Values, is_number, look_up, put
from ctxlab.lazy_dataclass import dataclass

ALIASES = {"set": "=", "add": "+", "sub": "-"}
OPERATORS = ("=", "+", "-", "*", "/")


@dataclass(frozen=True, slots=True, eq=False)
class VariableChange:
    """The effect of one tag on one variable: MISSING is no value, `problem` says why nothing changed."""

    path: str
    op: str
    value: Any
    before: Any
    after: Any
    problem: str = ""


class Replay:
    """Applies tags to values one after the other; `values` are never changed in place, so they can be kept."""

    def __init__(self, definitions: Definitions, *, compat: Compat = "ctxlab") -> None:
        self.definitions = definitions
        self.compat: Compat = compat
        self.values: Values = definitions.initial

    def resume(self, values: Values) -> None:
        """Go on from values that were kept; what they don't know has its initial value."""
        self.values = {**self.definitions.initial, **values}

    def write(self, tags: Sequence[Tag]) -> list[VariableChange]:
        """The changes of these tags, applied in order."""
        return [self._written(tag) for tag in tags]

    def _written(self, tag: Tag) -> VariableChange:
        before = look_up(self.values, tag.path)
        after, problem = _result(tag, before, self.definitions.by_path.get(tag.path), self.compat)
        if after is not before:
            self.values = put(self.values, tag.path, after)
        return VariableChange(tag.path, tag.op, tag.value, before, after, problem)


def _result(tag: Tag, before: Any, definition: Definition | None, compat: Compat) -> tuple[Any, str]:
    op = ALIASES.get(tag.op, tag.op)
    if op not in OPERATORS:
        return before, f"{tag.op!r} is no operation: it is one of {' '.join((*OPERATORS, *ALIASES))}"
    if tag.value is MISSING and (compat == "ctxlab" or op != "="):
        return before, "the tag has no value"
    if op == "=":
        return _clamped(tag.value, definition), ""
    if op == "/" and tag.value == 0 and is_number(tag.value) and compat == "ctxlab":
        return before, "nothing can be divided by 0"
    result = _computed(op, before, tag.value)
    if compat == "reference":
        return _clamped(plain(result), definition), ""
    if not math.isfinite(result):
        return before, "the result is too large for a number"
    return _clamped(plain(result), definition), ""


def _computed(op: str, before: Any, value: Any) -> float:
    """Arithmetic as JavaScript has it: what is no number counts as 0, as a factor or divisor as 1."""
    a = as_float(before) if is_number(before) else 0.0
    b = as_float(value) if is_number(value) else (1.0 if op in "*/" else 0.0)
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case _ if b == 0:
            return math.nan if a == 0 else math.copysign(math.inf, a)
        case _:
            return a / b


def _clamped(value: Any, definition: Definition | None) -> Any:
    if definition is None or not is_number(value):
        return value
    if definition.min is not None and value < definition.min:
        return definition.min
    if definition.max is not None and value > definition.max:
        return definition.max
    return value
