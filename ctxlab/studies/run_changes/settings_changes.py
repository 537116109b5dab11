"""Settings that two runs don't have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.pipeline import Pipeline, Trace
from ctxlab.pipeline.stage import Stage
from ctxlab.studies.run_changes.change import RunChange

ENABLED = "enabled"
VALUE = 24
SHOWN = 2
PLAIN = (str, int, float, bool, type(None))


def changed_settings(before: Trace, after: Trace) -> dict[str, Any]:
    """Settings with other values, as `Trace.rerun` takes them; empty where the steps are others."""
    a, b = before.pipeline, after.pipeline
    if a is b or a.ids != b.ids:
        return {}
    return {
        f"{new.id}.{name}": value
        for old, new in zip(a.stages, b.stages, strict=True)
        if old.base is new.base
        for name, value in _differences(old, new)
    } | _of_request(a, b)


def settings_change(before: Trace, after: Trace) -> RunChange | None:
    """All settings with other values as one change; None where there is none."""
    a, b = before.pipeline, after.pipeline
    if a is b:
        return None
    if a.ids != b.ids or any(old.base is not new.base for old, new in zip(a.stages, b.stages, strict=True)):
        return RunChange("another pipeline")
    found = [
        (new, name, value)
        for old, new in zip(a.stages, b.stages, strict=True)
        for name, value in _differences(old, new)
    ]
    request = _of_request(a, b)
    if not found and not request:
        return None
    values = {f"{stage.id}.{name}": value for stage, name, value in found} | request
    names = {name for _, name, _ in found}
    labels = [_label(stage, name, value) for stage, name, value in found if not _goes_with(name, names)]
    labels += [f"{name} {plain(str(value), VALUE)}" for name, value in request.items()]
    more = f" and {len(labels) - SHOWN:,} more" if len(labels) > SHOWN else ""
    code = f"run = run.rerun({values!r})" if all(map(_is_plain, values.values())) else ""
    return RunChange(", ".join(labels[:SHOWN]) + more, code)


def _of_request(before: Pipeline, after: Pipeline) -> dict[str, Any]:
    """Parameters of the request that are set otherwise; one that is set no more can't be taken back by a setting."""
    was, now = before.request, after.request
    return {f"request.{name}": now.get(name) for name in {**was, **now} if was.get(name) != now.get(name)}


def _goes_with(name: str, names: set[str]) -> bool:
    """Whether a setting is changed because another one is, and needs no words of its own."""
    return name == "reserve_tokens" and "budget_tokens" in names


def _differences(old: Stage, new: Stage) -> Iterator[tuple[str, Any]]:
    if old.enabled != new.enabled:
        yield ENABLED, new.enabled
    if old.processor is new.processor:
        return
    was, now = old.processor.settings, new.processor.settings
    for name in type(now).model_fields:
        if getattr(was, name, None) != getattr(now, name):
            yield name, getattr(now, name)


def _label(stage: Stage, name: str, value: Any) -> str:
    """The words that a person would use: the number alone of a budget, the choice alone of a strategy."""
    if name == ENABLED:
        return f"{stage.processor.name or stage.id} {'on' if value else 'off'}"
    if name == "budget_tokens":
        return "no budget" if value is None else f"{value:,}"
    info = type(stage.processor.settings).model_fields[name]
    title = (info.title or name.replace("_", " ")).lower()
    if isinstance(value, bool):
        return f"{title} {'on' if value else 'off'}"
    if value is None:
        return f"no {title}"
    if name == "strategy":
        return plain(str(value), VALUE)
    shown = f"{value:,}" if isinstance(value, int) else str(value)
    return f"{title} {plain(shown, VALUE)}".strip()


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(each) for key, each in value.items())
    return isinstance(value, PLAIN)
