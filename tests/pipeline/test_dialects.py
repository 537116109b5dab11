"""A dialect is the lowest layer of settings: files of its program bring it, everything else may say otherwise."""

from __future__ import annotations

import pytest

import ctxlab
from ctxlab import Agent, Dialect, ModelProfile, Session
from ctxlab.context import BuildInput
from ctxlab.errors import WrongArgument, WrongSetting
from ctxlab.pipeline.settings import dialects
from ctxlab.pipeline.settings.dialects import DIALECTS, SEED, dialect_of
from ctxlab.processors import default_pipeline

DEPTH = "worldbook-processor.scan_depth"
DEEP = Dialect("deep", "Scans deeper", {DEPTH: 7, "merge-system.enabled": False}, program="sillytavern")
CHAT = Session(id="s").append("Is the wheel turning?")


def layer_of(trace: ctxlab.Trace, setting: str) -> tuple[object, str]:
    step, _, name = setting.rpartition(".")
    frame = trace.pipeline.settings()
    row = frame[(frame["step"] == step) & (frame["setting"] == name)].iloc[0]
    return row["value"], row["layer"]


def test_a_dialect_sets_steps_and_is_named_as_their_layer() -> None:
    trace = ctxlab.build(CHAT, dialect=DEEP)

    assert layer_of(trace, DEPTH) == (7, "dialect")
    assert layer_of(trace, "merge-system.enabled") == (False, "dialect")


@pytest.mark.parametrize("holder", ["model", "agent", "layout", "call"])
def test_every_other_layer_says_otherwise(holder: str) -> None:
    entry = {"id": "worldbook-processor", "settings": {"scan_depth": 3}}
    pipeline = default_pipeline().with_layout([entry]) if holder == "layout" else default_pipeline()
    model = ModelProfile.model_validate({"id": "m", "processors": [entry] if holder == "model" else []})
    agent = Agent.model_validate({"id": "a", "processors": [entry]}) if holder == "agent" else None
    settings = {DEPTH: 3} if holder == "call" else {}

    trace = ctxlab.build(CHAT, agent, model=model, pipeline=pipeline, settings=settings, dialect=DEEP)

    assert layer_of(trace, DEPTH) == (3, holder)
    assert layer_of(trace, "merge-system.enabled") == (False, "dialect")


def test_an_agent_of_the_program_brings_its_dialect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialects, "DIALECTS", (SEED, DEEP))
    card = Agent(id="card", macro_dialect="sillytavern")

    assert layer_of(ctxlab.build(CHAT, card), DEPTH) == (7, "dialect")
    assert layer_of(ctxlab.build(CHAT, card, dialect="seed"), DEPTH)[1] == "default"
    assert layer_of(ctxlab.build(CHAT, Agent(id="own")), DEPTH)[1] == "default"


def test_a_run_with_another_agent_has_the_dialect_of_that_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialects, "DIALECTS", (SEED, DEEP))
    trace = ctxlab.build(CHAT, Agent(id="card", macro_dialect="sillytavern"))

    again = ctxlab.rebuild(trace, agent=Agent(id="own"))

    assert layer_of(again, DEPTH)[1] == "default"


def test_a_chat_of_the_program_brings_its_dialect_where_there_is_no_agent() -> None:
    chat = ctxlab.read_data(
        [{"chat_metadata": {}, "user_name": "Ilse"}, {"name": "Ilse", "is_user": True, "mes": "Good evening."}]
    )

    assert dialect_of(BuildInput(chat.session())).program == "sillytavern"
    assert dialect_of(BuildInput(chat.session(), agent=Agent(id="own"))) is SEED
    assert dialect_of(BuildInput(CHAT)) is SEED


def test_a_wrong_dialect_is_refused() -> None:
    with pytest.raises(WrongArgument, match="did you mean 'seed'"):
        ctxlab.build(CHAT, dialect="sed")
    with pytest.raises(WrongSetting, match="did you mean 'scan_depth'"):
        ctxlab.build(CHAT, dialect=Dialect("wrong", "", {"worldbook-processor.scan_dept": 7}))


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
def test_every_setting_of_a_dialect_is_one_of_a_step_that_comes_with_ctxlab(dialect: Dialect) -> None:
    settings = default_pipeline().settings()
    known = {f"{step}.{setting}" for step, setting in zip(settings["step"], settings["setting"], strict=True)}

    assert set(dialect.settings) <= known
