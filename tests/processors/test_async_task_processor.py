"""The present state of tasks in the place of the answers that only name them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ctxlab
from ctxlab.context import AssetRef, BuildInput, Context, Draft, Origin, Text
from ctxlab.documents import Session
from ctxlab.documents.frozen_json import frozen
from ctxlab.pipeline import Pipeline
from ctxlab.processors import AsyncTaskProcessor
from ctxlab.processors.async_task_processor import task_named_in
from ctxlab.testing.fakes import all_fakes

ANSWER = '{"type":"async_task","taskId":"t1"}'


def conversation(answer: str = ANSWER) -> Session:
    call = {"requestId": "c1", "toolName": "render", "args": {}}
    session = Session(id="s").append(role="user", content="Draw the harbour.")
    session = session.append(role="assistant", content="", metadata={"toolCallsRequested": [call]})
    return session.append(role="tool", content=answer, metadata={"toolCall": {"requestId": "c1"}})


def sent(task: dict[str, Any], **settings: Any) -> str:
    named = {f"async-task-processor.{name}": value for name, value in settings.items()}
    return str(ctxlab.build(conversation(), tasks={"t1": task}, settings=named).messages[-1]["content"])


def told(task: dict[str, Any]) -> dict[str, Any]:
    return json.loads(sent(task))


def test_a_completed_task_gives_its_result() -> None:
    assert sent({"status": "completed", "result": "R"}) == "The task is completed. Its result:\nR"
    assert sent({"status": "completed"}) == sent({"status": "completed", "result": ""}) == "The task is completed."
    assert sent({"status": "completed", "result": {"图": [1]}}).endswith('{\n  "图": [\n    1\n  ]\n}')


def test_another_state_is_told_as_json() -> None:
    same = {"type": "async_task", "taskId": "t1"}

    assert told({"status": "running", "progress": 40, "progressMessage": "half"}) == {
        **same,
        "status": "running",
        "message": "The task is running; 40% of it is done.",
        "progress": 40,
        "progressMessage": "half",
    }
    assert told({"status": "running"})["message"] == "The task is running."
    assert told({"status": "failed", "error": "boom"}) == {
        **same,
        "status": "failed",
        "error": "boom",
        "message": "The task has failed.",
    }
    assert told({"status": "pending"})["message"] == "The task is waiting to be started."
    assert told({"status": "interrupted"})["message"] == "The task was interrupted and does not go on."
    assert told({"status": "zzz"})["message"] == told({})["message"] == "The state of the task is not known."


@pytest.mark.parametrize("progress", [None, "40", True, float("nan"), float("inf"), [40]])
def test_a_progress_that_is_no_number_is_none(progress: object) -> None:
    state = told({"status": "running", "progress": progress})

    assert state["message"] == "The task is running." and "progress" not in state


def test_the_words_are_settings() -> None:
    wording = {"completed": "完成：{result}", "running": "{progress}/100"}

    assert sent({"status": "completed", "result": "{progress} R"}, **wording) == "完成：{progress} R"
    assert '"message": "7.5/100"' in sent({"status": "running", "progress": 7.5}, **wording)


def test_the_new_words_have_their_cause_and_remember_the_old_ones() -> None:
    trace = ctxlab.build(conversation(), tasks={"t1": {"status": "completed", "result": "R"}})

    (span,) = trace.result.drafts[-1].text.spans
    assert span.cause is not None
    assert str(span.cause) == "async-task-processor / state: task 't1' is completed"
    assert "".join(was.text for was in span.was) == ANSWER
    assert trace.table("async-tasks").to_dict("records") == [
        {"key": trace.result.drafts[-1].key, "task": "t1", "state": "completed"}
    ]


def test_a_result_that_goes_as_the_users_text_gets_the_state_too() -> None:
    settings = {"session-loader.tool_role": "user"}

    trace = ctxlab.build(conversation(), tasks={"t1": {"status": "completed"}}, settings=settings)

    assert (trace.messages[-1]["role"], trace.messages[-1]["content"]) == ("user", "The task is completed.")


def test_the_step_comes_after_the_loader_and_before_the_rules() -> None:
    assert ctxlab.default_pipeline().ids[:3] == ("session-loader", "async-task-processor", "regex-processor")


def test_a_task_of_which_nothing_is_known_stays_as_it_is_with_a_note() -> None:
    trace = ctxlab.build(conversation(), tasks={"t2": {"status": "completed"}})

    assert trace.messages[-1]["content"] == ANSWER
    assert [note.text for note in trace.result.notes] == [
        "1 tool result only names a task and stays as it is: its task is not among tasks="
    ]


@pytest.mark.parametrize("answer", ["plain", '{"taskId": ""}', '{"nested": {"taskId": "t1"}}', '{"taskId": ["t1"]}'])
def test_an_answer_that_names_no_task_stays_as_it_is_without_a_note(answer: str) -> None:
    trace = ctxlab.build(conversation(answer), tasks={"t1": {"status": "completed"}})

    assert trace.messages[-1]["content"] == answer
    assert trace.result.notes == () and trace.step("async-task-processor").after is trace.step("session-loader").after


def test_words_of_others_are_not_looked_at() -> None:
    session = Session(id="s").append(role="user", content=ANSWER)

    assert ctxlab.build(session, tasks={"t1": {"status": "completed"}}).messages[-1]["content"] == ANSWER


def test_files_of_the_message_stay_where_they_are() -> None:
    node, picture = Origin("node", "n"), AssetRef("i", "image", "chart.png")
    body = (Text.of("Here:", node), picture, Text.of(ANSWER, node))
    draft = Draft("node:n", "tool", body, node, result_of="c1")
    tasks = frozen({"t1": {"status": "completed", "result": "R"}})

    after = AsyncTaskProcessor()(Context(BuildInput(Session(), tasks=tasks), (draft,)), all_fakes()).drafts[0].body

    assert (str(after[0]), after[1], str(after[2])) == ("Here:", picture, "The task is completed. Its result:\nR")


@given(st.text(), st.dictionaries(st.text(max_size=5), st.recursive(st.none() | st.text() | st.floats(), st.lists)))
def test_any_answer_and_any_task_make_words(answer: str, task: dict[str, Any]) -> None:
    node = Origin("node", "n")
    drafts = [Draft(f"node:{i}", "tool", (Text.of(text, node),), node) for i, text in enumerate((answer, ANSWER))]
    build_input = BuildInput(Session(), tasks=frozen({"t1": task}))

    trace = Pipeline.of([AsyncTaskProcessor]).run(Context(build_input, tuple(drafts)), all_fakes())

    assert str(trace.result.drafts[1].text) != ANSWER


@pytest.mark.parametrize(
    ("text", "task"),
    [
        (ANSWER, "t1"),
        ('{"taskId": 123}', 123),
        ('started: "taskId" : "t2", and "taskId": "t3"', "t2"),
        ("{'taskId':'x'}", None),
        ("null", None),
        ("", None),
    ],
)
def test_an_answer_names_its_task(text: str, task: object) -> None:
    assert task_named_in(text) == task
