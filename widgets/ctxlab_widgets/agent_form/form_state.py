"""The state of a form as a value: agent, call and arrangement of steps, with the changes a person makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from ctxlab.documents import Agent, Session
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Pipeline
from ctxlab_widgets.agent_form.parameter_fields import (
    MISSING,
    ORIGINS,
    Origin,
    newest_origin,
    parameter_field,
    values_of,
    with_value,
)


@dataclass(frozen=True, slots=True, eq=False)
class FormState:
    """An agent, the parameters of a call, and entries of steps that differ from the pipeline's own.

    `layout` has the form of `Pipeline.layout()`; only steps that were changed are in it.
    """

    agent: Agent
    session: Session | None = None
    call: Mapping[str, Any] = field(default_factory=dict[str, Any])
    layout: tuple[Mapping[str, Any], ...] = ()
    model: str = ""

    def same_as(self, other: FormState) -> bool:
        """Whether there is nothing to save between both."""
        mine, theirs = (self.agent, dict(self.call), self.layout), (other.agent, dict(other.call), other.layout)
        return mine == theirs

    def values(self, name: str) -> dict[Origin, Any]:
        """The value of a parameter by each origin that has one."""
        return values_of(parameter_field(name), self.agent, self.session, self.call)

    # --- parameters

    def with_parameter(self, name: str, value: Any) -> FormState:
        """With another value where the one that counts is from: the call over a session's, else the agent."""
        origin = newest_origin(self.values(name))
        return self._with(parameter_field(name).name, value, "call" if origin in ("session", "call") else "agent")

    def back_to(self, name: str, origin: Origin) -> FormState:
        """With the value of an earlier origin: those of agent and call after it go; over a session's it is a call's."""
        values = self.values(name)
        if origin not in values and origin != "model":
            raise CtxlabError(f"{parameter_field(name).title} has no value of the {origin}")
        made = self
        for later in ORIGINS[ORIGINS.index(origin) + 1 :]:
            if later in ("agent", "call") and later in values:
                made = made._with(name, MISSING, later)
        if origin == "model" or newest_origin(made.values(name)) == origin:
            return made
        return made._with(name, values[origin], "call")

    def _with(self, name: str, value: Any, origin: str) -> FormState:
        if origin == "call":
            return replace(self, call=with_value(self.call, name, value))
        value = MISSING if value is None else value
        parameters = with_value(self.agent.parameters, name, value)
        if not parameters and self.agent.parameters is None:
            return self
        return replace(self, agent=self.agent.with_(parameters=parameters))

    # --- steps

    def with_step(self, step: str, **changes: Any) -> FormState:
        """With other values in the entry of a step: enabled, priority, or settings beside those that are there."""
        entries = {str(entry["id"]): dict(entry) for entry in self.layout}
        entry = entries.setdefault(step, {"id": step})
        if "settings" in changes:
            changes["settings"] = {**entry.get("settings", {}), **changes["settings"]}
        entry.update(changes)
        return replace(self, layout=tuple(entries.values()))

    def without_setting(self, step: str, name: str) -> FormState:
        """With the step's own value of a setting."""
        entries: list[Mapping[str, Any]] = []
        for entry in self.layout:
            if entry["id"] == step:
                kept = {key: value for key, value in entry.get("settings", {}).items() if key != name}
                entry = {key: value for key, value in {**entry, "settings": kept}.items() if key != "settings" or kept}
            if len(entry) > 1:
                entries.append(entry)
        return replace(self, layout=tuple(entries))

    def with_order(self, pipeline: Pipeline, step: str, to: int) -> FormState:
        """With a step at another place among all; others move on only as far as they must."""
        made = self
        for id, priority in moved_priorities(pipeline, step, to).items():
            made = made.with_step(id, priority=priority)
        return made


def moved_priorities(pipeline: Pipeline, step: str, to: int) -> dict[str, int]:
    """Priorities that put a step at a place, counted without it: its own, and those of steps that must make room."""
    moved = pipeline.stage(step)
    others = [stage for stage in pipeline.stages if stage is not moved]
    if not 0 <= to <= len(others):
        raise CtxlabError(f"there are places 0 to {len(others)}, not {to}")
    before = others[to - 1].priority if to else None
    after = others[to].priority if to < len(others) else None
    if before is None:
        return {} if after is None else {moved.id: after - 10}
    if after is None:
        return {moved.id: before + 10}
    changes = {moved.id: before + max(1, (after - before) // 2)}
    last = changes[moved.id]
    for stage in others[to:]:
        if stage.priority > last:
            break
        last = changes[stage.id] = last + 1
    return changes
