"""Processors of other packages, found by entry point."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.processor import FunctionProcessor, Processor, as_processor
from ctxlab.plugins import announced, raised

GROUP = "ctxlab.processors"


@dataclass(frozen=True, slots=True, eq=False)
class PluginSteps:
    """The usable steps, and a warning for each plugin that is not usable."""

    steps: tuple[Processor, ...]
    notes: tuple[Note, ...] = ()


class _Unusable(Exception):
    """Raised for a loaded object that is no step; the message says why."""


@cache
def plugin_processors(taken: Collection[str] = ()) -> PluginSteps:
    """Steps announced under the entry point group `ctxlab.processors`; scanned once per process.

    `taken` are ids that no plugin may have.
    """
    problems: list[str] = []
    steps: dict[str, Processor] = {}
    for plugin in announced(GROUP, problems):
        try:
            step = _step(plugin.value, (*taken, *steps))
        except _Unusable as why:
            problems.append(plugin.left_out(str(why)))
        except Exception as error:  # somebody else's class may raise anything when an instance of it is made
            problems.append(plugin.left_out(raised(error)))
        else:
            steps[step.id] = step
    notes = [Note("warning", problem, details={"group": GROUP}) for problem in problems]
    return PluginSteps(tuple(steps.values()), tuple(notes))


def _step(loaded: Any, taken: Collection[str]) -> Processor:
    is_class = isinstance(loaded, type)
    if not (isinstance(loaded, Processor) or (issubclass(loaded, Processor) if is_class else callable(loaded))):
        what = f"the class {loaded.__name__}" if is_class else type(loaded).__name__
        raise _Unusable(f"it is {what}, not a Processor or a function of a context")
    step = as_processor(loaded)
    if isinstance(step, FunctionProcessor) and not step.takes_a_context:
        raise _Unusable("its function takes no context")
    if not step.id or not isinstance(step.id, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _Unusable(f"{type(step).__name__} has no id")
    if step.id in taken:
        raise _Unusable(f"there is a step {step.id!r} already; ids are unique")
    if not isinstance(step.priority, int):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise _Unusable(f"its priority is {step.priority!r}, not a whole number")
    return step
