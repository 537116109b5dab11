"""A setting of the call for a step that is off is named, with what makes it count."""

from __future__ import annotations

from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Session, Trace

CHAT = Session(id="s").append("one").append("two", role="system").append("three")


def built(off: bool, **settings: Any) -> Trace:
    agent = Agent.model_validate({"id": "a", "processors": [{"id": "merge-system", "enabled": not off}]})
    return ctxlab.build(
        CHAT, agent, settings={name.replace("__", ".").replace("_", "-"): v for name, v in settings.items()}
    )


def idle(trace: Trace) -> list[str]:
    return [note.text for note in trace.result.notes if "nothing: " in note.text]


def test_a_setting_of_a_step_that_the_agent_switched_off_is_noted_with_what_makes_it_count() -> None:
    trace = built(True, merge_system__hoist="all")

    assert idle(trace) == [
        "merge-system.hoist changes nothing: merge-system is switched off by the agent; "
        "set 'merge-system.enabled' to true as well"
    ]
    on = trace.rerun({"merge-system.enabled": True})
    assert idle(on) == [] and on.messages[0]["role"] == "system"


def test_a_step_that_is_off_by_default_says_so() -> None:
    (text,) = idle(ctxlab.build(CHAT, settings={"ensure-alternating.user_placeholder": "x"}))

    assert "ensure-alternating is off by default" in text


@pytest.mark.parametrize(
    "settings", [{"merge-system.enabled": False, "merge-system.hoist": "all"}, {"merge-system.enabled": False}, {}]
)
def test_who_switches_a_step_off_in_the_same_call_is_told_nothing(settings: dict[str, Any]) -> None:
    assert idle(ctxlab.build(CHAT, settings=settings)) == []
