"""Asynchronous tasks: where ours differs from the reference on purpose."""

from __future__ import annotations

from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import form_of_message
from tests.golden.rules.rule import Rule


def _has_files(case: Case) -> bool:
    return any(form_of_message(message).get("files") for message in case.input["messages"])


def _with_files(case: Case) -> Any:
    """The state of a task takes the place of the words that name it, and of nothing beside them."""
    files = [form_of_message(message).get("files") for message in case.input["messages"]]
    messages = [
        {**form, "files": kept} if kept else form for form, kept in zip(case.expected["messages"], files, strict=True)
    ]
    return {**case.expected, "messages": messages}


RULES = (
    Rule(
        "decisions, Assets: files of a task's answer stay",
        "A picture beside the answer that names a task is sent as before; the reference throws it away.",
        ("async_task_processor",),
        _has_files,
        _with_files,
    ),
)
