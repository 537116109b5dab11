"""Widgets that run again show a run that turns out larger than its budget as they show any other refusal."""

from __future__ import annotations

import json
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Session, Trace
from ctxlab.pipeline import OverBudget
from ctxlab_widgets import lab
from ctxlab_widgets.compare import Compare
from ctxlab_widgets.step_debugger import StepDebugger
from ctxlab_widgets.token_budget import TokenBudget

LIMITER = "token-limiter"
AGENT = Agent.model_validate({"id": "a", "presetMessages": [{"role": "system", "content": "word " * 100}]})


@pytest.fixture
def early() -> Trace:
    """A run whose limiter comes before what adds most, with room enough."""
    session = Session(id="s").append("", id="root").append("hello there")
    return ctxlab.build(session, AGENT, settings={f"{LIMITER}.priority": 250, f"{LIMITER}.budget_tokens": 400})


def words(trace: Trace) -> str:
    with pytest.raises(OverBudget) as caught:
        trace.rerun({f"{LIMITER}.budget_tokens": 60})
    return str(caught.value)


def asked(widget: Any, **command: Any) -> Any:
    widget._handle_custom_msg(command, [])
    return widget


def test_a8_the_budget_stays_at_the_last_run_with_the_handle_where_it_was_put(early: Trace) -> None:
    widget = TokenBudget(early)

    asked(widget, command="budget", tokens=60)

    view = json.loads(widget.view)
    assert widget.trace is early
    assert widget.error == view["refused"] == words(early)
    assert "injection-assembler added" in widget.error
    asked(widget, command="budget", tokens=300)
    assert (widget.error, json.loads(widget.view)["refused"]) == ("", "")


def test_a8_the_step_debugger_stops_before_the_last_step_and_says_why(early: Trace) -> None:
    widget = StepDebugger(early)

    asked(widget, command="set", step=LIMITER, name="budget_tokens", value=60)

    assert widget.error == words(early)
    assert [step.id for step in widget.debugger.known.steps] == [step.id for step in early.steps[:-1]]
    asked(widget, command="set", step=LIMITER, name="budget_tokens", value=300)
    assert (widget.error, len(widget.debugger.known.steps)) == ("", len(early.steps))
    assert widget.trace is not None and widget.trace.messages == early.messages


def test_a8_a_column_of_a_comparison_says_why_it_has_no_run(early: Trace) -> None:
    widget = Compare(early, budgets=[60, 300])

    assert list(widget.failed) == ["60"]
    assert widget.failed["60"] == words(early)


def test_a8_the_views_of_a_page_stay_at_the_last_run(early: Trace) -> None:
    page = lab(early)

    asked(page.budget, command="budget", tokens=60)

    assert page.trace is early
    assert page.budget.error == words(early)
    page.close()
