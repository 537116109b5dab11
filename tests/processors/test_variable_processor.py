"""Session variables over a conversation."""

from __future__ import annotations

from typing import Any

import pytest

from ctxlab.context import BuildInput, Context, Draft, Origin, Text
from ctxlab.documents import Agent, Session
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.processors import InjectionAssembler, SessionLoader, VariableProcessor
from ctxlab.testing.fakes import WordTokenizer
from tests.reports import left

GOLD = '<svar name="gold" op="+" value="5" />'


def agent(*presets: str, enabled: bool = True) -> Agent:
    config = {"enabled": enabled, "definitions": [{"key": "gold", "type": "variable", "initialValue": 10}]}
    messages = [{"id": f"p{n}", "role": "system", "content": words} for n, words in enumerate(presets)]
    return Agent.model_validate({"id": "ag", "presetMessages": messages, "variableConfig": config})


def chat(*texts: str) -> Session:
    session = Session(id="s").append("", role="system", id="root")
    for n, words in enumerate(texts):
        session = session.append(words, id=f"n{n}", role="assistant" if n % 2 else "user")
    return session


def run(session: Session, of: Agent | None, **settings: Any) -> Trace:
    pipeline = Pipeline.of([SessionLoader, InjectionAssembler, VariableProcessor])
    pipeline = pipeline.with_settings({f"variable-processor.{name}": value for name, value in settings.items()})
    return pipeline.run(Context(BuildInput(session, agent=of)), Services(WordTokenizer()))


def texts(trace: Trace) -> list[str]:
    return [str(draft.text) for draft in trace.result.drafts]


def test_a_place_shows_what_the_value_is_at_its_message() -> None:
    trace = run(chat("$[gold]", GOLD, "$[gold]", f"$[gold]{GOLD}"), agent())

    assert texts(trace) == ["10", GOLD, "15", f"20{GOLD}"]


def test_a_panel_at_the_head_shows_what_the_value_is_in_the_end() -> None:
    trace = run(chat(GOLD, GOLD), agent("You have $[gold]."))

    assert texts(trace)[0] == "You have 20."


def test_what_a_place_shows_remembers_what_stood_there() -> None:
    span = run(chat("$[gold]"), agent()).result.drafts[0].text.at(0)

    assert span.origin == Origin("variable", "gold")
    assert span.cause is not None
    assert (span.cause.processor, span.cause.rule) == ("variable-processor", "value")
    assert span.was[0].text == "$[gold]"


def test_a_value_is_data_and_is_not_read_again() -> None:
    trace = run(chat('<svar name="gold" value="$[gold]" />', "$[gold]"), agent())

    assert texts(trace)[1] == "$[gold]"


def test_every_change_is_a_row() -> None:
    trace = run(chat(GOLD, '<svar name="x" op="^" value="1" />'), agent())

    assert tuple(left(trace.result, "variables")) == (
        {"key": "node:n0", "path": "gold", "op": "+", "value": 5, "from": 10, "to": 15, "problem": ""},
        {
            "key": "node:n1",
            "path": "x",
            "op": "^",
            "value": 1,
            "from": None,
            "to": None,
            "problem": "'^' is no operation: it is one of = + - * / set add sub",
        },
    )
    assert left(trace.result, "session-variables") == ({"gold": 15},)


def test_nothing_is_written_into_the_session() -> None:
    session = chat(GOLD)
    before = session.to_json()

    run(session, agent())

    assert session.to_json() == before


def test_what_a_message_stood_for_changes_with_its_text() -> None:
    session = chat(GOLD, "$[gold]").edit("n0", GOLD + GOLD)

    assert texts(run(session, agent()))[1] == "20"


def test_tags_go_where_they_are_not_to_be_sent() -> None:
    trace = run(chat(f"Found it. {GOLD}"), agent(), keep_tags=False)

    assert texts(trace) == ["Found it. "]
    assert left(trace.result, "session-variables") == ({"gold": 15},)


def test_a_rule_that_hides_tags_does_not_undo_what_they_wrote() -> None:
    session = chat(GOLD, "$[gold]")
    hidden = Draft("node:n0", "user", (Text.of("", Origin("node", "n0")),), Origin("node", "n0"))
    shown = Draft("node:n1", "assistant", (Text.of("$[gold]", Origin("node", "n1")),), Origin("node", "n1"))

    context = Context(BuildInput(session, agent=agent()), (hidden, shown))
    trace = Pipeline.of([VariableProcessor]).run(context, Services(WordTokenizer()))

    assert texts(trace)[1] == "15"


def summarised(*, ids: list[str], snapshot: dict[str, Any] | None = None) -> Session:
    kept = {"sessionVariableSnapshot": {"values": snapshot}} if snapshot is not None else {}
    metadata = {"isCompressionNode": True, "compressedNodeIds": ids, **kept}
    session = chat(GOLD, GOLD).append(f"They found {GOLD}.", id="sum", role="system", metadata=metadata)
    return session.append("$[gold]", id="q")


def test_messages_behind_a_summary_keep_what_they_wrote_and_the_summary_does_not_write_again() -> None:
    trace = run(summarised(ids=["n0", "n1"], snapshot={"gold": 99}), agent())

    assert texts(trace) == [f"They found {GOLD}.", "20"]


def test_the_values_kept_with_a_summary_serve_where_its_messages_are_gone() -> None:
    trace = run(summarised(ids=["gone"], snapshot={"gold": 40}), agent())

    assert texts(trace)[-1] == "45"
    assert "the values kept with it are taken" in trace.result.notes[-1].text


def test_an_unknown_place_stays_and_the_nearest_is_named() -> None:
    trace = run(chat("$[gald]"), agent())

    assert texts(trace) == ["$[gald]"]
    assert trace.result.notes[-1].text == (
        "node:n0: $[gald] names no variable and stays as it is; did you mean 'gold'?"
    )


def test_what_cannot_be_done_is_noted_with_its_message() -> None:
    trace = run(chat('<svar name="gold" op="/" value="0" />'), agent())

    assert trace.result.notes[-1].text == "node:n0: 'gold' keeps its value: nothing can be divided by 0"


@pytest.mark.parametrize("of", [None, Agent(id="plain"), agent(enabled=False)])
def test_without_variables_nothing_happens(of: Agent | None) -> None:
    trace = run(chat(f"{GOLD}$[gold]"), of)

    assert texts(trace) == [f"{GOLD}$[gold]"]
    assert trace.result.report_named("variables") is None


def test_an_agent_switches_the_step_off_that_it_does_not_want() -> None:
    entry = VariableProcessor.settings_from(agent(enabled=False))

    assert entry is not None
    assert entry.enabled is False
    assert VariableProcessor.settings_from(Agent()) is None
