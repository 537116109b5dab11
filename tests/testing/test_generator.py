"""Generated sessions: the same for the same seed, of the size asked for, with every call answered."""

import json
from itertools import pairwise
from typing import Any

import pytest

from ctxlab.providers import tokenizer_for
from ctxlab.testing.generator import generated_agent, generated_session

Json = dict[str, Any]


def path_of(session: Json) -> list[Json]:
    path = [session["nodes"][session["activeLeafId"]]]
    while path[-1]["parentId"] is not None:
        path.append(session["nodes"][path[-1]["parentId"]])
    return path[-2::-1]


def calls_of(node: Json) -> list[Json]:
    return node["metadata"].get("toolCallsRequested", [])


def test_the_same_seed_gives_the_same_session() -> None:
    assert generated_session(80, seed=3, branches=4) == generated_session(80, seed=3, branches=4)


def test_another_seed_gives_other_texts() -> None:
    one = {node["content"] for node in path_of(generated_session(80, seed=3))}
    other = {node["content"] for node in path_of(generated_session(80, seed=4))}

    assert not one & other


@pytest.mark.parametrize("messages", [0, 1, 2, 3, 7, 100])
@pytest.mark.parametrize("tool_share", [0, 0.15, 0.45])
def test_the_path_is_as_long_as_asked(messages: int, tool_share: float) -> None:
    session = generated_session(messages, tool_share=tool_share)

    assert len(path_of(session)) == len(session["nodes"]) - 1 == messages


def test_it_is_plain_json() -> None:
    session = generated_session(60, branches=2)

    assert json.loads(json.dumps(session)) == session


def test_no_two_messages_are_alike() -> None:
    session = generated_session(3000, tokens_per_message=30)

    assert len({node["content"] for node in path_of(session)}) == 3000


@pytest.mark.parametrize("tool_share", [0.05, 0.15, 0.45])
def test_every_call_is_answered_before_the_next_assistant_message(tool_share: float) -> None:
    open_calls: list[str] = []
    for node in path_of(generated_session(300, tool_share=tool_share)):
        if node["role"] == "tool":
            assert node["metadata"]["toolCall"]["requestId"] == open_calls.pop(0)
        else:
            assert open_calls == []
        open_calls += [call["requestId"] for call in calls_of(node)]

    assert open_calls == []


def test_some_messages_ask_for_two_things_at_once() -> None:
    at_once = {len(calls_of(node)) for node in path_of(generated_session(300))}

    assert at_once == {0, 1, 2}


@pytest.mark.parametrize("tool_share", [0, 0.15, 0.3])
def test_tool_results_have_the_share_asked_for(tool_share: float) -> None:
    path = path_of(generated_session(1000, tool_share=tool_share))

    assert sum(node["role"] == "tool" for node in path) / 1000 == pytest.approx(tool_share, abs=0.01)


def test_branches_are_leaves_beside_the_path() -> None:
    session = generated_session(50, branches=5)
    on_path = {node["id"] for node in path_of(session)}

    beside = [node for node in session["nodes"].values() if node["id"] not in on_path and node["parentId"] is not None]

    assert len(beside) == 5
    assert all(node["id"] in session["nodes"][node["parentId"]]["childrenIds"] for node in beside)
    assert all(node["childrenIds"] == [] and node["role"] == "assistant" for node in beside)


def test_time_runs_forward() -> None:
    for above, below in pairwise(path_of(generated_session(200))):
        assert above["timestamp"] < below["timestamp"]


def test_the_agent_is_the_one_that_answers_name() -> None:
    answers = [node for node in path_of(generated_session(40)) if node["role"] == "assistant"]

    assert {node["metadata"]["agentId"] for node in answers} == {generated_agent()["id"]}


@pytest.mark.parametrize("wrong", [{"messages": -1}, {"tool_share": 0.9}, {"tokens_per_message": 0}, {"branches": -2}])
def test_impossible_sizes_are_refused(wrong: Json) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        generated_session(**wrong)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_messages_have_about_120_tokens(seed: int) -> None:
    count = tokenizer_for("gpt-4o").count

    mean = sum(count(node["content"]) for node in path_of(generated_session(1000, seed=seed))) / 1000

    assert 100 <= mean <= 140
