"""The word that a call waits for: by rule, or of a person who is asked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from ctxlab.chat.tools.tool import Tool
from ctxlab.display.short_texts import short
from ctxlab.documents import ToolCall
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass

Approve = Callable[[ToolCall], Any] | Collection[str] | bool | None

NOBODY = "refused: the call waits for a word and nobody was asked; approve= says who is, or which tools need none"
NOT_AMONG = "refused: the tool is not among those that were approved"
SAID_NO = "refused by the user"


@dataclass(frozen=True, slots=True)
class Approval:
    """The approval of calls: `approve` is a function of a call, names of approved tools, True for all, or None.

    The function answers True, or False, or with the reason of a refusal.
    """

    config: ToolCallConfig
    approve: Approve = None

    def __post_init__(self) -> None:
        if isinstance(self.approve, str):
            raise WrongArgument(f"approve={self.approve!r} is a text: a function of a call or a set of names is taken")
        if self.approve is None or isinstance(self.approve, bool) or callable(self.approve):
            return
        if not isinstance(self.approve, Collection) or any(not isinstance(each, str) for each in self.approve):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongArgument(
                f"approve is {short(repr(self.approve))}: a function of a call, a set of names, True or False is taken"
            )

    def waits(self, tool: Tool) -> bool:
        """Whether a call of the tool needs a word."""
        return tool.approve if tool.approve is not None else not self.config.approves(tool.name)

    @property
    def asks(self) -> bool:
        """Whether there is somebody to be asked."""
        return callable(self.approve)

    def refusal_by_rule(self, name: str) -> str:
        """Why a call that needs a word doesn't get it, where nobody is asked; empty where it does."""
        if self.approve is True:
            return ""
        if self.approve is None or isinstance(self.approve, bool) or callable(self.approve):
            return NOBODY if self.approve is None else SAID_NO
        return "" if name in self.approve else NOT_AMONG


def refusal_of(answer: object) -> str:
    """Why a call is refused by the answer of who was asked; empty where it is approved."""
    if answer is True:
        return ""
    return f"{SAID_NO}: {answer.strip()}" if isinstance(answer, str) and answer.strip() else SAID_NO
