"""Parameters of a request are settings of its run: set, taken back and told like those of steps."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.errors import WrongSetting
from ctxlab.providers import payload

PARAMETERS = st.fixed_dictionaries(
    {},
    optional={
        "temperature": st.none() | st.integers(0, 20).map(lambda n: n / 10),
        "max_tokens": st.integers(1, 9000),
        "seed": st.integers(0, 9),
        "presence_penalty": st.sampled_from([-1.0, 0.5]),
    },
)


def session() -> ctxlab.Session:
    return ctxlab.Session(id="s").append("The lamp?", role="user")


def agent(**parameters: object) -> ctxlab.Agent:
    return ctxlab.Agent.model_validate({"id": "a", "parameters": parameters})


def set_of(parameters: dict[str, object]) -> dict[str, object]:
    return {f"request.{name}": value for name, value in parameters.items()}


@settings(deadline=None)
@given(PARAMETERS, PARAMETERS, PARAMETERS)
def test_what_is_set_of_a_run_is_what_its_call_could_have_said(
    stored: dict[str, object], first: dict[str, object], then: dict[str, object]
) -> None:
    plain = ctxlab.build(session(), agent(**stored), model="gpt-4o")
    built = ctxlab.build(session(), agent(**stored), model="gpt-4o", settings=set_of(first))
    again = built.rerun(set_of(then))

    assert payload(built).body == payload(plain, parameters=first).body
    assert payload(again).body == payload(plain, parameters={**first, **then}).body
    assert payload(again, parameters=first).body == payload(plain, parameters={**then, **first}).body


def test_no_step_is_run_again_for_a_parameter() -> None:
    trace = ctxlab.build(session(), model="gpt-4o")

    other = trace.rerun({"request.temperature": 0})

    assert all(old is new for old, new in zip(trace.steps, other.steps, strict=True))
    assert other.parameters.values["temperature"] == 0
    assert other.parameters.sources["temperature"] == "call"
    assert trace.parameters.sources["temperature"] == "default"


def test_a_parameter_has_the_names_of_a_file_too_and_its_row_among_the_settings() -> None:
    trace = ctxlab.build(session(), model="gpt-4o", settings={"request.maxTokens": 90})
    frame = trace.pipeline.settings()

    assert payload(trace).body["max_tokens"] == 90
    assert frame[frame["step"] == "request"].drop(columns="description").to_dict("records") == [
        {"step": "request", "setting": "max_tokens", "value": 90, "layer": "call"}
    ]


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("temprature", 0, "request.temprature: there is no parameter 'temprature'; did you mean 'temperature'?"),
        ("temperature", "warm", "request.temperature: parameter temperature"),
    ],
)
def test_a_wrong_one_is_refused_at_once(name: str, value: object, sentence: str) -> None:
    with pytest.raises(WrongSetting, match=re.escape(sentence)):
        ctxlab.build(session()).rerun({f"request.{name}": value})


def test_layouts_and_dialects_keep_what_is_set() -> None:
    pipeline = ctxlab.default_pipeline().with_settings({"request.temperature": 0})

    for other in (pipeline.with_layout(pipeline.layout()), pipeline.with_dialect("sillytavern-1.19")):
        assert payload(ctxlab.build(session(), pipeline=other)).body["temperature"] == 0
