"""Forms that packages bring for the settings of a step: entry points `ctxlab.forms`, named by the step's id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any

from pydantic import BaseModel

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.errors import did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.processor import ProcessorSettings
from ctxlab.plugins import Plugin, announced

GROUP = "ctxlab.forms"
HINTS = ("title", "description", "placeholder", "labels", "minimum", "maximum")


@dataclass(frozen=True, slots=True)
class FormGroup:
    """Settings under one heading, in the order in which they are drawn."""

    title: str
    settings: tuple[str, ...]
    description: str = ""

    def as_data(self) -> dict[str, Any]:
        return {"title": self.title, "description": self.description, "settings": list(self.settings)}


@dataclass(frozen=True, slots=True)
class StepForm:
    """The form of a step's settings: their groups in order, and hints for single fields.

    A hint is one of title, description, placeholder, labels (by choice), minimum and maximum; the last two set the
    ends of a slider and refuse nothing. Settings in no group come after the others. A form is data: it draws the same
    in a notebook, in a report and in a terminal, and no code of a package reaches the page.
    """

    groups: tuple[FormGroup, ...] = ()
    hints: Mapping[str, Mapping[str, Any]] = field(default_factory=FrozenDict)

    def groups_of(self, settings: type[BaseModel]) -> list[dict[str, Any]]:
        """All settings of a step by their groups, the rest last under no heading."""
        grouped = {name for group in self.groups for name in group.settings}
        rest = tuple(name for name in settings.model_fields if name not in grouped)
        return [group.as_data() for group in (*self.groups, *([FormGroup("", rest)] if rest else []))]

    def hinted(self, name: str, described: dict[str, Any]) -> dict[str, Any]:
        """The description of a field, as `field_of` gives it, with the hints for it."""
        hints = dict(self.hints.get(name, {}))
        labels = hints.pop("labels", None)
        if labels is not None:
            hints["labels"] = [str(labels.get(str(choice), "")) for choice in described["choices"]]
        return {**described, **hints}

    def problem(self, settings: type[BaseModel]) -> str:
        """The reason why it doesn't fit the settings, as a sentence; empty where it does."""
        known = list(settings.model_fields)
        for name in (*(name for group in self.groups for name in group.settings), *self.hints):
            if name not in known:
                return f"the step has no setting {name!r}{did_you_mean(name, known)}"
        named = [name for group in self.groups for name in group.settings]
        twice = next((name for name in named if named.count(name) > 1), None)
        if twice is not None:
            return f"the setting {twice!r} is in two places"
        wrong = next((hint for hints in self.hints.values() for hint in hints if hint not in HINTS), None)
        return "" if wrong is None else f"there is no hint {wrong!r}; there are: {', '.join(HINTS)}"


PLAIN = StepForm()


@cache
def step_form(step: str, settings: type[ProcessorSettings]) -> tuple[StepForm, tuple[str, ...]]:
    """The form that a package brings for a step, else a plain one; and a sentence for each that can't be used."""
    plugins, failed = _announced_forms()
    problems = [problem for problem in failed if f"plugin {step!r} " in problem]
    found: StepForm | None = None
    for plugin in plugins:
        if plugin.name != step:
            continue
        if not isinstance(plugin.value, StepForm):
            problems.append(plugin.left_out(f"it is {type(plugin.value).__name__}, not a StepForm"))
        elif problem := plugin.value.problem(settings):
            problems.append(plugin.left_out(problem))
        elif found is not None:
            problems.append(plugin.left_out(f"another package brings a form for {step!r} already"))
        else:
            found = plugin.value
    return found or PLAIN, tuple(problems)


@cache
def _announced_forms() -> tuple[tuple[Plugin, ...], tuple[str, ...]]:
    """All under the group, and what could not be loaded; looked up once per process."""
    problems: list[str] = []
    plugins = tuple(announced(GROUP, problems))
    return plugins, tuple(problems)


def forget_forms() -> None:
    """Look for forms anew: a package was installed."""
    step_form.cache_clear()
    _announced_forms.cache_clear()
