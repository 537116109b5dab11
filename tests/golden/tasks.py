"""Asynchronous tasks: the cases through ctxlab's public API, with the reference's wording as settings.

Compared are the messages, and of how many tasks that were named how many were put in place.
"""

from __future__ import annotations

from typing import Any

from ctxlab.context import BuildInput, Context
from ctxlab.documents import Session
from ctxlab.documents.frozen_json import frozen
from ctxlab.pipeline import Pipeline, Services
from ctxlab.processors import AsyncTaskProcessor
from ctxlab.processors.async_task_processor import TABLE, task_named_in
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data, drafts_of, form_of_draft, form_of_message, forms_by_key
from tests.golden.materials import tokenizer_of

WORDING = AsyncTaskProcessor.Settings(
    completed="任务已完成。结果：\n{result}",
    completed_without_result="任务已完成。",
    pending="任务等待执行中",
    running="任务执行中，当前进度 {progress}%",
    failed="任务执行失败，请查看错误信息",
    interrupted="任务因应用重启而中断",
    unknown="任务状态未知",
)


def run(data: Data) -> Any:
    tasks = data["tasks"] if data["pinia"] and data["storeReady"] else {}
    context = Context(BuildInput(Session(), tasks=frozen(tasks)), drafts_of(data["messages"]))
    result = Pipeline.of([AsyncTaskProcessor(WORDING)]).run(context, Services(tokenizer_of({}))).result
    inputs = forms_by_key(data["messages"])
    report = result.report_named(TABLE)
    states = [row["state"] for row in report.rows()] if report else []
    return {
        "messages": [form_of_draft(draft, inputs) for draft in result.drafts],
        "named": len(states) if data["pinia"] else 0,  # without its store the reference looks at nothing
        "replaced": sum(state is not None for state in states),
    }


def expected(case: Case) -> Any:
    (details,) = [log["details"] for log in case.expected["logs"]] or [{}]
    return {
        "messages": [form_of_message(message) for message in case.expected["messages"]],
        "named": details.get("processedCount", 0),
        "replaced": details.get("replacedCount", 0),
    }


ADAPTERS: dict[str, Adapter] = {
    "async_task_id": Adapter(lambda data: task_named_in(data["content"]), lambda case: case.expected),
    "async_task_processor": Adapter(run, expected),
}
