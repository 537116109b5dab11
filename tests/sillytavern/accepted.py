"""Differences from the program that are by choice: at most ten rules, each with its reason; none is for a mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from tests.sillytavern.case_folder import Case
from tests.sillytavern.comparison import Message, plain


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of difference that is accepted: its name, its reason, and whether a turn's difference is of it."""

    name: str
    reason: str
    covers: Callable[[Case, Sequence[Message], Sequence[Message]], bool]


def _dice(case: Case, sent: Sequence[Message], built: Sequence[Message]) -> bool:
    """A case that draws, with the same messages by role and number."""
    if not case.about.get("random"):
        return False
    return [message["role"] for message in plain(sent)] == [message["role"] for message in plain(built)]


def _detail(case: Case, sent: Sequence[Message], built: Sequence[Message]) -> bool:
    return _without_detail(plain(sent)) == plain(built)


def _without_detail(value: Any) -> Any:
    """The messages without the detail of pictures where it is `auto`."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, Any]", value).items()
        return {key: _without_detail(each) for key, each in items if (key, each) != ("detail", "auto")}
    return [_without_detail(each) for each in cast("list[Any]", value)] if isinstance(value, list) else value


def _calls_alone(case: Case, sent: Sequence[Message], built: Sequence[Message]) -> bool:
    """An answer of tool calls without words, of which the body for a vendor has null too."""
    return [_with_content(message) for message in plain(sent)] == plain(built)


def _with_content(message: Message) -> Message:
    is_silent = bool(message.get("tool_calls")) and message["content"] is None
    return {**message, "content": ""} if is_silent else message


RULES: tuple[Rule, ...] = (
    Rule("dice", "the program draws anew at each request; here what is drawn follows from the seed", _dice),
    Rule("picture's detail", "`auto` is what servers do without it, and it isn't written", _detail),
    Rule(
        "calls alone", "messages have an empty text there; the body that is made of them has null as well", _calls_alone
    ),
)


def rule_for(case: Case, sent: Sequence[Message], built: Sequence[Message]) -> Rule | None:
    """The first rule that covers a difference."""
    return next((rule for rule in RULES if rule.covers(case, sent, built)), None)
