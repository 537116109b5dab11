"""Layers of settings: which value counts, where it is from, and what None means in each."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel

from ctxlab.pipeline.settings.resolver import Given, NoneMeans, WrongValue, names_of, resolve


class Knobs(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    first_knob: int | None = Field(1, ge=1, le=9)
    second: int = 5

    @model_validator(mode="after")
    def _in_order(self) -> Knobs:
        if (self.first_knob or 0) > self.second:
            raise ValueError("the first is above the second")
        return self


def resolved(*layers: Given, base: Knobs | None = None) -> tuple[Any, str, list[WrongValue]]:
    told: list[WrongValue] = []
    found = resolve(Knobs, layers, told.append, base=base)
    return found.settings.first_knob, found.origins["first_knob"], told


def test_the_last_layer_that_says_something_counts() -> None:
    assert resolved() == (1, "default", [])
    assert resolved(Given("agent", {"first_knob": 2}), Given("call", {"first_knob": 3})) == (3, "call", [])
    assert resolved(Given("agent", {"first_knob": 2}), Given("call")) == (2, "agent", [])
    assert resolved(base=Knobs(firstKnob=4)) == (4, "default", [])


@pytest.mark.parametrize(
    ("none", "value", "layer"), [("a value", None, "call"), ("switched off", None, "call"), ("not set", 2, "agent")]
)
def test_none_is_said_or_says_nothing(none: NoneMeans, value: int | None, layer: str) -> None:
    assert resolved(Given("agent", {"first_knob": 2}), Given("call", {"first_knob": None}, none)) == (value, layer, [])


def test_below_a_wrong_value_the_next_one_counts_and_only_what_would_count_is_told() -> None:
    value, layer, told = resolved(
        Given("model", {"first_knob": "none"}), Given("agent", {"first_knob": 2}), Given("layout", {"first_knob": 99})
    )

    assert (value, layer) == (2, "agent")
    assert [(each.layer, each.name, each.value, each.below) for each in told] == [("layout", "first_knob", 99, "agent")]


def test_wrong_values_all_the_way_down_leave_the_default() -> None:
    value, layer, told = resolved(Given("model", {"first_knob": "x"}), Given("agent", {"first_knob": 0}))

    assert (value, layer, [each.below for each in told]) == (1, "default", ["model", "default"])


def test_what_is_wrong_of_several_settings_together_is_raised_after_it_was_told() -> None:
    told: list[WrongValue] = []
    with pytest.raises(ValidationError):
        resolve(Knobs, [Given("call", {"first_knob": 8})], told.append)

    assert [(each.layer, each.name, each.value) for each in told] == [("default", "", None)]
    assert "above the second" in told[0].reason


def test_fields_are_found_by_the_names_of_files_and_of_python() -> None:
    assert names_of(Knobs) == {"firstKnob": "first_knob", "first_knob": "first_knob", "second": "second"}
