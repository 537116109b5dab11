"""The context of one node, taken apart: every figure adds up to the trace's."""

from __future__ import annotations

import pytest

from ctxlab.api import build
from ctxlab.documents import Agent, Session
from ctxlab.errors import UnknownNode
from ctxlab.pipeline import Services
from ctxlab.studies import analysis_of
from ctxlab.testing.fakes import WordTokenizer
from tests.studies.conftest import Built

TALK = Session(id="talk").append("", role="system", id="root").append("hello there", id="u1").append("hi", id="u2")
ANN = Agent.model_validate(
    {
        "id": "ann",
        "name": "Ann",
        "presetMessages": [
            {"id": "p1", "role": "system", "content": "you are {{char}}"},
            {"id": "p2", "role": "system", "content": "be kind"},
        ],
    }
)
BUDGETS = (None, 1000)


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_structure_adds_up_to_the_trace(name: str, budget: int | None, built: Built) -> None:
    trace = built(name, budget_tokens=budget)

    structure = analysis_of(trace).structure()

    assert structure["tokens"].sum() == trace.tokens
    assert structure["characters"].sum() == sum(len(draft.text) for draft in trace.result.drafts)
    assert structure["share"].sum() == pytest.approx(1)
    assert list(structure["number"].dropna().unique()) == list(range(1, len(trace.messages) + 1))


@pytest.mark.parametrize("budget", BUDGETS)
def test_the_shares_are_those_of_the_budget(name: str, budget: int | None, built: Built) -> None:
    trace = built(name, budget_tokens=budget)

    shares = analysis_of(trace).shares()

    assert dict(zip(shares["source"], shares["tokens"], strict=True)) == dict(
        trace.budget().drop(["reserve", "free"], errors="ignore")
    )
    assert shares["characters"].sum() == sum(len(draft.text) for draft in trace.result.drafts)
    assert shares["share"].sum() == pytest.approx(1)


def test_parts_of_a_joined_message_have_rows_of_their_own() -> None:
    trace = build(TALK, ANN, services=Services(tokenizer=WordTokenizer()))

    structure = analysis_of(trace).structure()

    assert list(structure["number"]) == [1, 1, 2, 2, *structure["number"][4:]]
    assert list(structure["text"][:4]) == ["you are Ann", "be kind", "hello there", "hi"]
    assert list(structure["source"]) == ["system", "system", "history", "history", "seams"]


def test_what_was_rewritten_says_by_whom_and_what_stood_there() -> None:
    trace = build(TALK, ANN, services=Services(tokenizer=WordTokenizer()))

    structure = analysis_of(trace).structure()

    assert list(structure["key"][:2]) == ["preset:0", "preset:1"]
    assert structure["note"][0] == "macros / char: stood at character 8, substitute phase"
    assert list(structure["original"][:2]) == ["you are {{char}}", None]


def test_the_request_is_what_goes_over_the_wire() -> None:
    found = analysis_of(build(TALK, services=Services(tokenizer=WordTokenizer())))

    assert found.request == [{"role": "user", "content": "hello there\n\n---\n\nhi"}]


def test_statistics_split_presets_from_history_and_count_what_was_cut(built: Built) -> None:
    trace = built("coding_chat", budget_tokens=1000)

    found = analysis_of(trace).statistics

    cut = [group for group in trace.result.dropped if group.needed is not None]
    assert found["tokens"] == trace.tokens
    assert found["cut_messages"] == sum(len(group.drafts) for group in cut)
    assert found["left_out_messages"] == 1
    assert found["saved_tokens"] == trace.tokens_of(trace.step("token-limiter").before) - trace.tokens
    assert found["preset_tokens"] + found["history_tokens"] == trace.tokens - trace.budget()["overhead"]
    assert (found["budget"], found["strategy"], found["estimated"]) == (1000, "sliding", False)


def test_a_picture_whose_size_is_not_known_is_an_estimate() -> None:
    picture = {"id": "i", "type": "image", "name": "p.png", "mimeType": "image/png"}

    found = analysis_of(build(TALK.append("look", id="u3", attachments=[picture])))

    assert found.statistics["estimated"]
    assert found.shares().set_index("source").loc["attachments", "tokens"] > 0


def test_tool_definitions_are_a_row_of_their_own() -> None:
    tools = ({"type": "function", "function": {"name": "look"}},)
    trace = build(TALK, ANN.with_(tools=tools), services=Services(tokenizer=WordTokenizer()))

    structure = analysis_of(trace).structure()

    assert structure.set_index("key").loc["tool definitions", "tokens"] > 0
    assert structure["tokens"].sum() == trace.tokens


def test_an_empty_context_is_analyzed_too() -> None:
    found = analysis_of(build(Session(id="empty")))

    assert found.node is None
    assert found.structure()["tokens"].sum() == found.trace.tokens
    assert repr(found).startswith("Analysis(no node, no agent, no model: 0 messages")


def test_a_leaf_that_is_gone_is_analyzed_as_far_as_there_is_something() -> None:
    broken = TALK.model_copy(update={"active_leaf_id": "gone"})

    found = analysis_of(build(broken))

    assert found.node is None
    assert found.request == []


def test_another_node_than_the_sessions_is_refused() -> None:
    with pytest.raises(UnknownNode):
        analysis_of(build(TALK), "nowhere")


def test_a_named_agent_that_is_not_at_hand_is_a_note() -> None:
    answered = TALK.append("answer", role="assistant", id="a1", metadata={"agentId": "gone"})

    found = analysis_of(build(answered, agents=[ANN]))

    assert found.agent is not None
    assert [note.text for note in found.notes] == [
        "message 'a1' was written with agent 'gone', which is not at hand ('ann'); 'ann' is taken, the only one"
    ]


def test_the_page_is_small_and_escaped(name: str, built: Built) -> None:
    assert len(analysis_of(built(name))._repr_html_()) < 50_000
    evil = TALK.append("<script>", id="<img>")
    assert "<script>" not in analysis_of(build(evil))._repr_html_()
    assert "<img>" not in analysis_of(build(evil))._repr_html_()
