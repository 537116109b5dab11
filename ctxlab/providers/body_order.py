"""Problems in the order in which their places stand in a body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from ctxlab.providers.problem import Problem


def in_order(problems: Iterable[Problem], body: Mapping[str, Any]) -> list[Problem]:
    """The problems by their places in the body, each place and rule once; those of the whole body come first."""
    once = {(problem.path, problem.rule): problem for problem in reversed(list(problems))}
    return sorted(once.values(), key=lambda problem: _place(problem, body))


def _place(problem: Problem, body: Mapping[str, Any]) -> tuple[int, ...]:
    """Indexes of each step of the path among its neighbours."""
    value: object = body
    found: list[int] = []
    for step in problem.path:
        if isinstance(value, dict):
            names = list(cast("Mapping[Any, Any]", value))
            found.append(names.index(step) if step in names else len(names))
            value = cast("Mapping[Any, Any]", value).get(step)
        elif isinstance(value, list | tuple) and isinstance(step, int) and step < len(cast("list[Any]", value)):
            found.append(step)
            value = cast("list[Any]", value)[step]
        else:
            found.append(0)
            value = None
    return tuple(found)
