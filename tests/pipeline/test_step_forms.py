"""What the form of a step says: labels and placeholders of its fields, and forms that other packages bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import Field

from ctxlab.context import Context
from ctxlab.pipeline import Pipeline, Processor, ProcessorSettings, Services, form_hints
from ctxlab.pipeline.settings.setting_form_fields import hints_of
from ctxlab.pipeline.settings.step_forms import forget_forms
from ctxlab.processors import STEPS

MODULE = """
from ctxlab.pipeline import FormGroup, StepForm

GOOD = StepForm(
    (FormGroup("What it does", ("way",), "First of all."),),
    {"size": {"title": "Größe 大小", "maximum": 5}, "way": {"labels": {"up": "upwards"}}},
)
MISSPELT = StepForm((FormGroup("", ("sise",)),))
TWICE = StepForm((FormGroup("", ("size",)), FormGroup("", ("size",))))
ODD = StepForm((), {"size": {"colour": "red"}})
NOTHING = "a text"
"""

Installed = Callable[..., None]


class Knob(Processor):
    id = "knob"

    class Settings(ProcessorSettings):
        size: int = Field(1, ge=0, le=9, json_schema_extra=form_hints(placeholder="as it was"))
        way: Literal["up", "down"] = Field("up", json_schema_extra=form_hints(labels={"up": "to the top"}))

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        return ctx


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    def install(*points: str) -> None:
        (tmp_path / "acme_forms.py").write_text(MODULE, encoding="utf-8")
        about = tmp_path / "acme_forms-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-forms\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join(["[ctxlab.forms]", *points, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))
        forget_forms()

    yield install
    monkeypatch.undo()
    forget_forms()


def knob() -> dict[str, Any]:
    return Pipeline.of([Knob]).as_data()[0]


def test_a_field_says_its_placeholder_and_the_labels_of_its_choices() -> None:
    fields = knob()["settings"]

    assert fields["size"]["placeholder"] == "as it was"
    assert (fields["way"]["choices"], fields["way"]["labels"]) == (["up", "down"], ["to the top", ""])
    assert (fields["size"]["labels"], fields["way"]["placeholder"]) == ([], "")


def test_a_package_brings_the_form_of_a_step(installed: Installed) -> None:
    installed("knob = acme_forms:GOOD")

    form = knob()

    assert form["form_problems"] == []
    assert form["groups"] == [
        {"title": "What it does", "description": "First of all.", "settings": ["way"]},
        {"title": "", "description": "", "settings": ["size"]},
    ]
    assert (form["settings"]["size"]["title"], form["settings"]["size"]["maximum"]) == ("Größe 大小", 5)
    assert form["settings"]["size"]["placeholder"] == "as it was"
    assert form["settings"]["way"]["labels"] == ["upwards", ""]


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ("knob = acme_forms:MISSPELT", "the step has no setting 'sise'; did you mean 'size'?"),
        ("knob = acme_forms:TWICE", "the setting 'size' is in two places"),
        ("knob = acme_forms:ODD", "there is no hint 'colour'"),
        ("knob = acme_forms:NOTHING", "it is str, not a StepForm"),
        ("knob = acme_forms:MISSING", "AttributeError"),
    ],
)
def test_a_form_that_does_not_fit_is_named_and_left_out(installed: Installed, point: str, reason: str) -> None:
    installed(point)

    form = knob()

    assert form["groups"] == []
    assert len(form["form_problems"]) == 1
    assert reason in form["form_problems"][0]
    assert "'acme-forms'" in form["form_problems"][0]


def test_a_form_of_another_step_changes_nothing(installed: Installed) -> None:
    plain = knob()
    installed("other-knob = acme_forms:GOOD")

    assert knob() == plain


def test_labels_of_our_steps_are_of_choices_that_there_are() -> None:
    labelled = 0
    for step in STEPS:
        for name, info in step.Settings.model_fields.items():
            labels = hints_of(info).get("labels", {})
            described = Pipeline.of([step]).as_data()[0]["settings"][name]
            assert set(labels) <= set(map(str, described["choices"])), f"{step.id}.{name}"
            labelled += bool(labels)
    assert labelled
