"""The steps of a pipeline and their settings, as frames and as JSON data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.display.data_frame import frame_of
from ctxlab.pipeline.settings.setting_form_fields import field_of
from ctxlab.pipeline.settings.step_forms import step_form

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.pipeline.stage import Stage

STEP_COLUMNS = ("step", "priority", "enabled", "layer", "name", "description")
SETTING_COLUMNS = ("step", "setting", "value", "layer", "description")
OF_EVERY_STEP = {"enabled": "Whether the step runs.", "priority": "Steps run by it, smaller first."}


def steps_frame(stages: Sequence[Stage]) -> pd.DataFrame:
    """One row a step: whether it is on, by which layer, and what it does."""
    return frame_of(map(_step_row, stages), STEP_COLUMNS)


def settings_frame(stages: Sequence[Stage], request: Mapping[str, Any]) -> pd.DataFrame:
    """One row a setting: its value, the layer that it is from, and what it means; then parameters of the request."""
    rows = (row for stage in stages for row in _setting_rows(stage))
    return frame_of((*rows, *_request_rows(request)), SETTING_COLUMNS).astype({"value": object})


def steps_as_data(stages: Sequence[Stage]) -> list[dict[str, Any]]:
    """One dict a step: every setting's value, the layer it is from, what it means and takes; its form's groups."""
    return [_step_as_data(stage) for stage in stages]


def _request_rows(request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    if not request:
        return
    from ctxlab.pipeline.parameters.layers import field_of_parameter

    for name, value in request.items():
        info = field_of_parameter(name)
        about = (info.description or "") if info is not None else "Fields by the vendor's own names."
        yield {"step": "request", "setting": name, "value": value, "layer": "call", "description": about}


def _step_as_data(stage: Stage) -> dict[str, Any]:
    settings = stage.processor.settings
    form, problems = step_form(stage.id, type(settings))
    return {
        "id": stage.id,
        "name": stage.base.name or stage.id,
        "description": stage.base.description,
        "priority": stage.priority,
        "enabled": stage.enabled,
        "layers": {name: stage.sources[name] for name in OF_EVERY_STEP},
        "groups": form.groups_of(type(settings)) if form.groups else [],
        "form_problems": list(problems),
        "settings": {
            name: {
                "value": getattr(settings, name),
                "layer": stage.sources[name],
                **form.hinted(name, {"description": info.description or "", **field_of(info)}),
                "read_with": type(settings).read_with.get(name),
            }
            for name, info in type(settings).model_fields.items()
        },
    }


def _step_row(stage: Stage) -> dict[str, Any]:
    return {
        "step": stage.id,
        "priority": stage.priority,
        "enabled": stage.enabled,
        "layer": stage.sources["enabled"],
        "name": stage.base.name or stage.id,
        "description": stage.base.description,
    }


def _setting_rows(stage: Stage) -> Iterator[dict[str, Any]]:
    settings = stage.processor.settings
    values = [(name, getattr(stage, name), about) for name, about in OF_EVERY_STEP.items()]
    values += [
        (name, getattr(settings, name), info.description or "") for name, info in type(settings).model_fields.items()
    ]
    for name, value, about in values:
        yield dict(zip(SETTING_COLUMNS, (stage.id, name, value, stage.sources[name], about), strict=True))
