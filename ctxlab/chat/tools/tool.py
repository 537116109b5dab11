"""A tool as a value: a function with the schema of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from ctxlab.chat.events import ApprovalAsked, ToolFinished, ToolStarted
from ctxlab.chat.tools.background_tasks import BackgroundTasks
from ctxlab.display.short_texts import short
from ctxlab.documents.session.message import ToolCall
from ctxlab.lazy_dataclass import dataclass

Arguments = Mapping[str, Any]
LONGEST = 500
"""Characters of a parameter's schema that a notebook shows."""


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A function that a model may call. `parameters` is the JSON schema of its arguments.

    `check` takes arguments as a model wrote them and gives those that the function gets, or raises WrongArgument.
    `approve` says whether a call waits for a person's word: None leaves it to the agent's toolCallConfig. With `tasks`
    a call begins a task and answers at once.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[..., Any]
    timeout_seconds: float | None = None
    approve: bool | None = None
    check: Callable[[Arguments], Arguments] | None = None
    tasks: BackgroundTasks | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"Tool({short(self.name)!r})"

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import fields_table, heading, html_table

        about = {"description": self.description, "timeout_seconds": self.timeout_seconds, "approve": self.approve}
        fields = self.parameters.get("properties")
        rows = [(name, str(one)[:LONGEST]) for name, one in fields.items()] if isinstance(fields, Mapping) else []
        return heading(self) + fields_table(about) + html_table(("parameter", "schema"), rows, of="parameters")

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        """The result of the function."""
        return self.call(*args, **keywords)

    def as_data(self) -> dict[str, Any]:
        """OpenAI's form, as agents hold tool definitions."""
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}


class ToolRunner(Protocol):
    """Runs the calls of one reply; every call gets exactly one ToolFinished."""

    def run(
        self, calls: Sequence[ToolCall], *, is_cancelled: Callable[[], bool]
    ) -> Iterator[ApprovalAsked | ToolStarted | ToolFinished]: ...
