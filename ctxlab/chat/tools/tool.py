"""A tool as a value: a function with the schema of its arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ctxlab.chat.events import ApprovalAsked, ToolFinished, ToolStarted
from ctxlab.documents.session.message import ToolCall


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """A function that a model may call. `parameters` is the JSON schema of its arguments.

    `approve` says whether a call waits for a person's word: None leaves it to the agent's toolCallConfig.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[..., Any]
    timeout_seconds: float | None = None
    approve: bool | None = None

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    def as_data(self) -> dict[str, Any]:
        """OpenAI's form, as agents hold tool definitions."""
        function = {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}
        return {"type": "function", "function": function}


class ToolRunner(Protocol):
    """Runs the calls of one reply; every call gets exactly one ToolFinished."""

    def run(
        self, calls: Sequence[ToolCall], *, is_cancelled: Callable[[], bool]
    ) -> Iterator[ApprovalAsked | ToolStarted | ToolFinished]: ...
