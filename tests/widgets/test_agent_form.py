"""The Python half of the form of an agent: what is changed is in the edited agent, and what is shown is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Session
from ctxlab.errors import CtxlabError
from ctxlab.processors import default_pipeline
from ctxlab_widgets import AgentForm
from ctxlab_widgets.agent_form.form_state import moved_priorities

PARAMETERS = {"temperature": 0.7, "maxTokens": 4096, "custom": {"enabled": False, "params": {"x": 1}}}


def agent(**parameters: Any) -> Agent:
    return Agent.model_validate({"id": "a", "name": "沈砚", "parameters": {**PARAMETERS, **parameters}, "mood": "odd"})


def form(**options: Any) -> AgentForm:
    return AgentForm(options.pop("agent", agent()), **{"model": "claude-sonnet-4-5", **options})


def asked(widget: AgentForm, command: str, **given: Any) -> AgentForm:
    widget._handle_custom_msg({"command": command, **given}, [])
    return widget


def view(widget: AgentForm) -> dict[str, Any]:
    return json.loads(widget.view)


def field(widget: AgentForm, name: str) -> dict[str, Any]:
    return next(each for group in view(widget)["groups"] for each in group["fields"] if each["name"] == name)


def body(widget: AgentForm) -> dict[str, Any]:
    return json.loads("{" + "\n".join(line["text"] for line in view(widget)["body"]) + "}")


def test_the_agent_that_was_given_stays_as_it_is_until_a_save_gives_another() -> None:
    given = agent()
    widget = form(agent=given)
    seen: list[Agent] = []
    widget.observe(lambda change: seen.append(change["new"]), "agent")

    asked(widget, "set_parameter", name="temperature", value=0.2)

    assert (widget.agent, seen) == (given, [])
    assert (widget.edited.parameters or {})["temperature"] == 0.2
    asked(widget, "save")
    assert seen == [widget.edited]
    assert widget.agent == given.with_(parameters={**PARAMETERS, "temperature": 0.2})
    assert widget.agent.model_extra == {"mood": "odd"}
    assert (given.parameters or {})["temperature"] == 0.7
    assert not view(widget)["dirty"]


def test_each_value_is_from_the_newest_origin_that_has_one() -> None:
    session = Session.model_validate({"id": "s", "parameterOverrides": {"topP": 0.5}})
    widget = form(session=session, call={"max_tokens": 2048})

    limit, top, seed = (field(widget, name) for name in ("maxTokens", "topP", "seed"))

    assert view(widget)["origins"] == ["default", "model", "agent", "session", "call"]
    assert (limit["value"], limit["origin"]) == (2048, "call")
    assert limit["values"] == {"model": 64000, "default": None, "agent": 4096, "call": 2048}
    assert (top["value"], top["origin"]) == (0.5, "session")
    assert (seed["value"], seed["origin"]) == (None, "default")
    assert "session" not in view(form())["origins"]


def test_a_value_goes_back_to_an_earlier_origin() -> None:
    widget = form(call={"maxTokens": 2048, "temperature": 0.1})

    asked(widget, "back_to", name="maxTokens", origin="agent")
    asked(widget, "back_to", name="temperature", origin="default")

    assert (field(widget, "maxTokens")["value"], field(widget, "maxTokens")["origin"]) == (4096, "agent")
    assert (field(widget, "temperature")["value"], field(widget, "temperature")["origin"]) == (None, "default")
    assert widget.edited_call == {}
    assert widget.call == {"maxTokens": 2048, "temperature": 0.1}


def test_over_a_session_a_value_of_the_agent_becomes_the_calls() -> None:
    session = Session.model_validate({"id": "s", "parameterOverrides": {"temperature": 0.5}})
    widget = form(session=session)

    asked(widget, "back_to", name="temperature", origin="agent")

    assert widget.edited_call == {"temperature": 0.7}
    assert widget.edited == agent()


def test_a_change_is_made_where_the_value_that_counts_is_from() -> None:
    widget = form(call={"temperature": 0.1})

    widget.set_parameter("temperature", 0.3)
    widget.set_parameter("top_p", 0.9)
    widget.set_parameter("contextManagement.maxContextTokens", 900)

    assert widget.edited_call == {"temperature": 0.3}
    assert widget.edited.parameters == {**PARAMETERS, "topP": 0.9, "contextManagement": {"maxContextTokens": 900}}
    widget.set_parameter("contextManagement.maxContextTokens", None)
    assert "contextManagement" not in (widget.edited.parameters or {})


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("temperature", 9, "Temperature must be at most 2, not 9."),
        ("maxTokens", "灯", "Reply limit must be a whole number, not '灯'."),
        ("stop", 3, "Stop"),
    ],
)
def test_a_value_that_is_not_taken_is_told_at_its_field_and_changes_nothing(name: str, value: Any, reason: str) -> None:
    widget = form()

    asked(widget, "set_parameter", name=name, value=value)

    assert widget.refused["name"] == name
    assert reason in widget.refused["text"]
    assert (widget.error, widget.edited) == ("", agent())
    asked(widget, "set_parameter", name="seed", value=3)
    assert widget.refused == {}


def test_a_budget_of_thoughts_that_passes_the_reply_limit_is_an_error_that_both_ends_mend() -> None:
    widget = form(agent=agent(thinkingEnabled=True, thinkingBudget=4096), call={"max_tokens": 2048})
    wrong = field(widget, "thinkingBudget")
    assert wrong["error"] == "4,096 must be below the reply limit 2,048."
    assert wrong["bar"] == {"thinking": 4096, "limit": 2048}
    assert len(wrong["fixes"]) == 2

    for label in wrong["fixes"]:
        mended = asked(
            form(agent=agent(thinkingEnabled=True, thinkingBudget=4096), call={"max_tokens": 2048}), "fix", label=label
        )
        assert field(mended, "thinkingBudget")["error"] == "", label
        assert view(mended)["errors"] == 0

    asked(widget, "save")
    assert widget.error == "not saved: mend Thinking budget first"
    assert widget.agent == agent(thinkingEnabled=True, thinkingBudget=4096)


def test_thinking_that_is_switched_on_gets_a_budget_within_the_reply_limit() -> None:
    widget = form(call={"max_tokens": 2048})

    asked(widget, "set_parameter", name="thinkingEnabled", value=True)

    budget, limit = (field(widget, name)["value"] for name in ("thinkingBudget", "maxTokens"))
    assert budget < limit
    assert view(widget)["errors"] == 0
    assert body(widget)["thinking"]["budget_tokens"] == budget
    asked(widget, "undo")
    assert (widget.edited, widget.edited_call) == (agent(), {"maxTokens": 2048})


def test_what_the_model_does_not_take_is_kept_and_says_so() -> None:
    widget = form(agent=agent(seed=7, reasoningEffort="medium"))
    assert "seed" not in body(widget)
    assert field(widget, "seed")["why_not"] == "no place in Anthropic's request"
    assert field(widget, "reasoningEffort")["why_not"] == "not for this model"
    assert any("seed" in note["text"] for note in view(widget)["notes"])

    asked(widget, "model", name="gpt-4o")

    assert field(widget, "seed")["why_not"] == ""
    assert body(widget)["seed"] == 7
    assert (widget.edited.parameters or {})["seed"] == 7


def test_undo_and_redo_go_through_the_changes() -> None:
    widget = form()
    for value in (0.1, 0.2):
        asked(widget, "set_parameter", name="temperature", value=value)
    asked(widget, "switch", step="token-limiter", on=False)

    asked(widget, "undo")
    assert widget.pipeline.stage("token-limiter").enabled
    asked(asked(widget, "undo"), "undo")
    assert widget.edited == agent()
    assert (view(widget)["undo"], view(widget)["redo"]) == (None, "Temperature")
    asked(widget, "redo")
    assert (widget.edited.parameters or {})["temperature"] == 0.1
    asked(widget, "set_parameter", name="seed", value=1)
    assert view(widget)["redo"] is None


def test_what_belongs_to_one_drag_is_undone_at_once() -> None:
    widget = form()
    for value, continues in ((0.1, False), (0.2, True), (0.3, True)):
        asked(widget, "set_parameter", name="temperature", value=value, continues=continues)

    assert asked(widget, "undo").edited == agent()


@pytest.mark.parametrize("to", [0, 3, 9, 13])
def test_a_step_is_moved_and_all_others_keep_their_order(to: int) -> None:
    widget = form()
    before = [id for id in widget.pipeline.ids if id != "regex-processor"]

    widget.move_step("regex-processor", to)

    assert list(widget.pipeline.ids) == [*before[:to], "regex-processor", *before[to:]]
    assert default_pipeline().with_layout(list(widget._now().layout)).ids == widget.pipeline.ids
    with pytest.raises(CtxlabError, match="there are places 0 to"):
        widget.move_step("regex-processor", 99)


def test_a_move_gives_other_priorities_to_no_more_steps_than_it_must() -> None:
    pipeline = default_pipeline()
    changed = moved_priorities(pipeline, "regex-processor", 0)

    assert set(changed) == {"regex-processor"}


def test_steps_are_saved_as_a_layout() -> None:
    widget = form()
    asked(widget, "switch", step="variable-processor", on=False)
    asked(widget, "set", step="worldbook-processor", name="scan_depth", value=3)
    asked(widget, "set", step="worldbook-processor", name="scan_depth", value="x")
    assert widget.refused["step"] == "worldbook-processor"

    asked(widget, "save")

    pipeline = default_pipeline().with_layout(widget.pipeline_layout)
    assert not pipeline.stage("variable-processor").enabled
    assert pipeline.stage("worldbook-processor").processor.settings.scan_depth == 3
    asked(widget, "undo", step="worldbook-processor", name="scan_depth")
    assert [entry["id"] for entry in widget._now().layout] == ["variable-processor"]


def test_a_file_is_written_where_a_path_was_given(tmp_path: Path) -> None:
    path = tmp_path / "沈砚.agent.json"
    ctxlab.write(agent(), path)
    before = path.read_bytes()
    widget = AgentForm(path, model="gpt-4o")
    widget.set_parameter("temperature", 0.2)
    assert path.read_bytes() == before

    asked(widget, "save")

    assert widget.error == ""
    assert widget.report.startswith("Saved to 沈砚.agent.json.")
    assert ctxlab.load_agent(path).parameters == {**PARAMETERS, "temperature": 0.2}


def test_a_wrong_value_in_a_file_is_an_error_of_its_field() -> None:
    widget = form(agent=agent(temperature="hot"))

    assert field(widget, "temperature")["error"] == "Temperature must be a number, not 'hot'."
    assert view(widget)["sentence"].startswith("1 field has an error")


def test_another_agent_is_edited_from_the_start() -> None:
    widget = form()
    widget.set_parameter("seed", 1)

    widget.agent = Agent(id="b", name="other")

    assert (view(widget)["agent"], view(widget)["undo"], view(widget)["dirty"]) == ("other", None, False)
    widget.agent = None
    assert widget.view == ""
    with pytest.raises(CtxlabError, match="shows no agent"):
        widget.set_parameter("seed", 1)


@pytest.mark.parametrize(
    "command",
    [
        {"command": "set_parameter", "name": "temprature", "value": 1},
        {"command": "back_to", "name": "temperature", "origin": "session"},
        {"command": "back_to", "name": "temperature", "origin": "moon"},
        {"command": "move", "step": "regex-processor", "to": True},
        {"command": "fix", "label": "nothing"},
        {"command": "undo"},
        {"command": "fly"},
    ],
)
def test_a_command_that_can_not_be_done_says_so_and_changes_nothing(command: dict[str, Any]) -> None:
    widget = form()

    widget._handle_custom_msg(command, [])

    assert widget.error
    assert widget.edited == agent()
