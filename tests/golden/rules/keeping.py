"""The engine and its kept layouts: where ours differs from the reference on purpose."""

from __future__ import annotations

from typing import Any

from tests.golden.cases import Case
from tests.golden.rules.rule import Rule

FILES = ("pipeline_engine_store",)


def _steps(case: Case) -> list[Any]:
    return case.input.get("processors", [])


def _is_out_of_order(case: Case) -> bool:
    priorities = [step.get("priority", 0) for step in _steps(case)]
    return priorities != sorted(priorities)


def _in_order(case: Case) -> Any:
    steps = sorted(_steps(case), key=lambda step: step.get("priority", 0))
    return {**case.expected, "executed": [step["id"] for step in steps]}


def _fails_half_way(case: Case) -> bool:
    return any(step.get("throws") and step.get("mutate") for step in _steps(case))


def _without_halves(case: Case) -> Any:
    halves = {step["mutate"] for step in _steps(case) if step.get("throws") and step.get("mutate")}
    return {**case.expected, "messages": [text for text in case.expected["messages"] if text not in halves]}


def _has_an_id_twice(case: Case) -> bool:
    ids = [step["id"] for step in _steps(case)]
    return len(ids) != len(set(ids))


def _reorders(case: Case) -> bool:
    return any(name == "reorder" for name, *_ in case.input.get("ops", ()))


def _named_first(case: Case) -> Any:
    """Steps that a new order doesn't name stay in the order in which they ran."""
    from tests.golden.layouts import DEFAULT

    (named,) = (values for name, values in case.input["ops"] if name == "reorder")
    return [*named, *(id for id, _ in DEFAULT if id not in named)]


RULES = (
    Rule(
        "architecture, Pipeline: sorted by priority",
        "Steps run by their priorities, whatever order they were given in; the reference's engine takes them as given.",
        FILES,
        _is_out_of_order,
        _in_order,
    ),
    Rule(
        "architecture, Pipeline: a step that fails changes nothing",
        "What a step did before it failed is not in the context; the reference goes on with half of its work.",
        FILES,
        _fails_half_way,
        _without_halves,
    ),
    Rule(
        "architecture, Pipeline: ids are unique",
        "Two steps of one id are refused when the pipeline is made; the reference runs both.",
        FILES,
        _has_an_id_twice,
        lambda case: "refused",
    ),
    Rule(
        "architecture, Pipeline: an order keeps what it doesn't name",
        "Steps that a new order doesn't name keep the order they ran in; the reference's go to that of registration.",
        FILES,
        _reorders,
        _named_first,
    ),
)
