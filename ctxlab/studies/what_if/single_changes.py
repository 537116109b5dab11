"""Single changes of a run, one at a time: a step switched, a setting moved by a notch, a preset, entry or rule out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ctxlab.display.one_line import plain
from ctxlab.engines.truncation import strategies
from ctxlab.engines.worldbook import LoreScan
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.processors import TokenLimiter
from ctxlab.studies.what_if.removals import Removals, preset_keys, rule_keys, run_on

Kind = Literal["step", "setting", "preset", "entry", "rule"]
KINDS: tuple[Kind, ...] = ("step", "setting", "preset", "entry", "rule")
NOTCH = 0.1
"""A notch of a number that has no bounds on both sides, as a share of its value."""
NOTCH_OF_RANGE = 0.05
"""A notch of a number between two bounds, as a share of their distance."""


@dataclass(frozen=True, slots=True)
class SingleChange:
    """One thing that is otherwise: a setting by its name, or something that is taken out by its key.

    `before` and `after` are values of a setting; of something that is taken out they are `in` and `out`.
    """

    kind: Kind
    name: str
    before: Any
    after: Any
    title: str = ""

    def __str__(self) -> str:
        if self.kind in ("step", "setting"):
            return f"{self.name}: {plain(repr(self.before), 40)} → {plain(repr(self.after), 40)}"
        return f"{plain(self.name, 60)} out"

    @property
    def settings(self) -> dict[str, Any]:
        """The change as settings; empty where something is taken out."""
        return {self.name: self.after} if self.kind in ("step", "setting") else {}

    def applied(self, trace: Trace) -> Trace:
        """The run with this change alone; raises what a build raises."""
        if self.settings:
            return trace.rerun(self.settings)
        return run_on(trace, Removals(trace).without([self.name]))


def single_changes(trace: Trace) -> Iterator[SingleChange]:
    """All single changes of a run: of steps and settings in running order, then of presets, lore entries and rules.

    Lore entries are those that fire, and those that are blocked by more than that no key was found or that they are
    switched off: nothing depends on the others.
    """
    described = trace.pipeline.as_data()
    for step in described:
        yield SingleChange("step", f"{step['id']}.enabled", step["enabled"], not step["enabled"])
    for step in described:
        if step["enabled"]:
            yield from _of_settings(step, trace)
    for key in preset_keys(trace.start.input):
        yield SingleChange("preset", key, "in", "out")
    scan = trace.result.report(LoreScan)
    for one in scan.decisions if scan is not None else ():
        if one.fired or one.gate not in ("no-key", "disabled"):
            yield SingleChange("entry", one.key, "in", "out", one.title)
    for key, name in rule_keys(trace.start.input):
        yield SingleChange("rule", key, "in", "out", name)


def _of_settings(step: Mapping[str, Any], trace: Trace) -> Iterator[SingleChange]:
    notches = _notches_of_strategy(trace) if step["id"] == TokenLimiter.id else {}
    for name, about in step["settings"].items():
        value = about["value"]
        for other in _other_values(about, notches.get(name)):
            yield SingleChange("setting", f"{step['id']}.{name}", value, other)


def _notches_of_strategy(trace: Trace) -> dict[str, float]:
    """The notch of each strategy's main setting."""
    traits = [strategy.traits for strategy in strategies().by_name.values()]
    return {each.main_setting: each.step for each in traits if each.main_setting and each.step != 1}


def _other_values(about: Mapping[str, Any], notch: float | None) -> list[Any]:
    """The values next to one that has a form: a notch up and down, the other side of a switch, the other choices."""
    value, kind = about["value"], about["type"]
    if kind == "boolean":
        return [not value]
    if kind == "choice":
        return [choice for choice in about["choices"] if choice != value]
    if kind not in ("integer", "number") or not isinstance(value, int | float) or isinstance(value, bool):
        return []
    low, high = about["minimum"], about["maximum"]
    size = notch or _notch(value, low, high, whole=kind == "integer")
    found: list[Any] = []
    for other in (value - size, value + size):
        other = max(other, low) if low is not None else other
        other = min(other, high) if high is not None else other
        other = round(other) if kind == "integer" else round(other, 10)
        if other != value:
            found.append(other)
    return found


def _notch(value: float, low: float | None, high: float | None, *, whole: bool) -> float:
    size = abs(value) * NOTCH or NOTCH
    if low is not None and high is not None:
        size = (high - low) * NOTCH_OF_RANGE
    return max(1, round(size)) if whole else size
