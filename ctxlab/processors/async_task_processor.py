"""The present state of tasks that tools have begun and not awaited, in the place of the answers that only name them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import orjson
from pydantic import Field

from ctxlab.context import AssetRef, Cause, Context, Draft, Edit, Table, Text
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Asset
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.pipeline import Processor, ProcessorSettings, Services

ID = "async-task-processor"
TABLE = "async-tasks"

_NAMED = lazy_pattern(r'"taskId"\s*:\s*"([^"\\\n]{1,200})"')
"""A task in a text that isn't JSON itself."""
_STATES = ("pending", "running", "failed", "interrupted")


class AsyncTaskProcessor(Processor):
    """Put the state of each task where a tool's answer names it, and behind it the files that a completed one gave.

    Files of the message stay.

    Leaves a table: `trace.table("async-tasks")`.
    """

    id = ID
    name = "Asynchronous tasks"
    description = "Puts the present state of a task, or its result, in the place of the tool's answer that names it."
    priority = 110
    needs = ("history",)

    class Settings(ProcessorSettings):
        completed: str = Field(
            "The task is completed. Its result:\n{result}",
            title="Completed",
            description="Text for a completed task; {result} is its result.",
        )
        completed_without_result: str = Field(
            "The task is completed.",
            title="Completed without a result",
            description="Text for a completed task that has no result.",
        )
        pending: str = Field(
            "The task is waiting to be started.", title="Waiting", description="Message of a task that waits."
        )
        running: str = Field(
            "The task is running; {progress}% of it is done.",
            title="Running",
            description="Message of a running task; {progress} is a number up to 100.",
        )
        running_without_progress: str = Field(
            "The task is running.", title="Running, progress unknown", description="Message of a running task."
        )
        failed: str = Field("The task has failed.", title="Failed", description="Message of a task that has failed.")
        interrupted: str = Field(
            "The task was interrupted and does not go on.",
            title="Interrupted",
            description="Message of a task that was interrupted.",
        )
        unknown: str = Field(
            "The state of the task is not known.", title="Unknown", description="Message of a task in another state."
        )

    settings: Settings

    def __call__(self, ctx: Context, services: Services) -> Context:
        answers = [answer for draft in ctx.drafts if draft.is_result and (answer := _answer_in(draft))]
        if not answers:
            return ctx
        tasks = {id: task for id, task in ctx.input.tasks.items() if isinstance(cast("object", task), Mapping)}
        known = {answer.key: answer for answer in answers if answer.task in tasks}
        drafts = [
            self._updated(draft, known[draft.key], tasks[known[draft.key].task]) if draft.key in known else draft
            for draft in ctx.drafts
        ]
        rows = [_row(answer, tasks.get(answer.task)) for answer in answers]
        line = f"{len(known)} of {counted(len(answers), 'task')} updated"
        return _noted(ctx.arrange(drafts), answers, tasks).put(Table(TABLE, rows, line))

    def _updated(self, draft: Draft, answer: _Answer, task: Mapping[str, Any]) -> Draft:
        part = draft.body[answer.part]
        assert isinstance(part, Text)
        cause = Cause(ID, "state", f"task {short(answer.task)!r} is {_state(task)}")
        text = part.splice([Edit(0, len(part), self.text_of(answer.task, task), cause)])
        files = _files_of(task)
        if text is part and not files:
            return draft
        before, after = draft.body[: answer.part], draft.body[answer.part + 1 :]
        body: tuple[Text | AssetRef, ...] = (*before, text, *files, *after)
        return draft.with_body(body, cause) if files else replace(draft, body=body)

    def text_of(self, task_id: str, task: Mapping[str, Any]) -> str:
        """The text that stands for a task in this state: its result, or JSON that tells the state."""
        settings, state = self.settings, _state(task)
        if state == "completed":
            result = task.get("result")
            if result in (None, ""):
                return settings.completed_without_result
            return settings.completed.replace("{result}", result if isinstance(result, str) else _json(result))
        told: dict[str, Any] = {"type": "async_task", "taskId": task_id, "status": state}
        if state == "failed" and task.get("error") not in (None, ""):
            told["error"] = task["error"]
        told["message"] = self._message(state, task)
        if state == "running" and _progress(task) is not None:
            told["progress"] = task["progress"]
        if state == "running" and task.get("progressMessage") not in (None, ""):
            told["progressMessage"] = task["progressMessage"]
        return _json(told)

    def _message(self, state: str, task: Mapping[str, Any]) -> str:
        if state == "running":
            progress = _progress(task)
            if progress is None:
                return self.settings.running_without_progress
            return self.settings.running.replace("{progress}", progress)
        return getattr(self.settings, state) if state in _STATES else self.settings.unknown


@dataclass(frozen=True, slots=True)
class _Answer:
    """A tool's answer that names a task, and the part of its body that does."""

    key: str
    part: int
    task: str


def task_named_in(text: str) -> str | int | float | None:
    """The `taskId` of an answer in JSON, else the first that a text quotes; None where it names no task.

    >>> task_named_in('{"type": "async_task", "taskId": "t1"}'), task_named_in('started: "taskId": "t2"')
    ('t1', 't2')
    """
    if "taskId" not in text:
        return None
    try:
        data: object = orjson.loads(text.encode("utf-8", "surrogatepass"))
    except ValueError:
        found = _NAMED.search(text)
        return found[1] if found else None
    named = cast("Mapping[str, object]", data).get("taskId") if isinstance(data, dict) else None
    return named if isinstance(named, str | int | float) and not isinstance(named, bool) else None


def _answer_in(draft: Draft) -> _Answer | None:
    for number, part in enumerate(draft.body):
        if isinstance(part, Text) and (named := task_named_in(str(part))) not in (None, ""):
            return _Answer(draft.key, number, str(named))
    return None


def _files_of(task: Mapping[str, Any]) -> tuple[AssetRef, ...]:
    """The files of a completed task, its `attachments` in the form of a message's; what is none is left out."""
    stored = task.get("attachments") if _state(task) == "completed" else None
    given = cast("list[object]", stored) if isinstance(stored, list | tuple) else []
    return tuple(AssetRef.of(Asset.model_validate(_plain(file))) for file in given if isinstance(file, Mapping))


def _state(task: Mapping[str, Any]) -> str:
    status = task.get("status")
    return short(status) if isinstance(status, str) and status else "unknown"


def _progress(task: Mapping[str, Any]) -> str | None:
    progress = task.get("progress")
    if isinstance(progress, bool) or not isinstance(progress, int | float) or progress - progress != 0:
        return None  # no number, or not a finite one
    return f"{progress:g}" if isinstance(progress, float) else str(progress)


def _row(answer: _Answer, task: Mapping[str, Any] | None) -> dict[str, Any]:
    return {"key": answer.key, "task": answer.task, "state": _state(task) if task is not None else None}


def _noted(ctx: Context, answers: list[_Answer], tasks: Mapping[str, Any]) -> Context:
    missing = [answer.key for answer in answers if answer.task not in tasks]
    if not missing:
        return ctx
    those = "its task is" if len(missing) == 1 else "their tasks are"
    text = (
        f"{counted(len(missing), 'tool result')} only {'names' if len(missing) == 1 else 'name'} a task and "
        f"{'stays as it is' if len(missing) == 1 else 'stay as they are'}: {those} not among tasks="
    )
    return ctx.note("info", text, processor=ID, keys=missing)


def _json(value: object) -> str:
    return json.dumps(_plain(value), ensure_ascii=False, indent=2)


def _plain(value: object) -> object:
    """The value as the dicts and lists that JSON is written of."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in cast("Mapping[object, object]", value).items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in cast("list[object]", value)]
    return value
