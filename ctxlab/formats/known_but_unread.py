"""Data that is recognised but not read, so that the error can call it by its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from ctxlab.formats.source import mostly, one_or_mostly

Data = dict[str, Any]


def name_of(data: Any) -> str | None:
    """A name for data that is known but not read; None for unknown data."""
    return _name_in(KNOWN, data)


def name_of_log(data: Any) -> str | None:
    """A name for a log whose envelope is known and whose messages are not; None for anything else."""
    return _name_in(LOGS, data)


def _name_in(known: Sequence[tuple[str, Callable[[Data], bool]]], data: Any) -> str | None:
    return next((name for name, test in known if one_or_mostly(data, _of_objects(test))), None)


def _of_objects(test: Callable[[Data], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and test(cast("Data", value))


def _is_question_list(data: Data) -> bool:
    values = list(data.values())
    if len(values) != 1 or not isinstance(values[0], list):
        return False
    questions = cast("list[Any]", values[0])
    return bool(questions) and all(isinstance(question, str) for question in questions)


def is_helper_script(data: Data) -> bool:
    """Whether it is a script of SillyTavern's extension Tavern Helper, older or newer, or a folder of such scripts."""
    if data.get("type") == "folder":
        return mostly(data.get("scripts"), _of_objects(_is_one_script))
    return _is_one_script(data)


def _is_one_script(data: Data) -> bool:
    has_code = all(isinstance(data.get(key), str) for key in ("name", "content")) and "role" not in data
    has_buttons = isinstance(data.get("buttons"), list) or isinstance(data.get("button"), dict)
    return has_code and (has_buttons or data.get("type") == "script")


def _is_of_qwen_code(data: Data) -> bool:
    """Whether it is a line with Claude Code's envelope and Gemini's parts."""
    message = data.get("message")
    return "uuid" in data and "sessionId" in data and isinstance(message, dict) and "parts" in message


def _is_of_another_coding_agent(data: Data) -> bool:
    return {"uuid", "parentUuid", "sessionId"} <= data.keys() and isinstance(data.get("message"), dict)


LOGS: tuple[tuple[str, Callable[[Data], bool]], ...] = (
    ("a log of Qwen Code (Claude Code's lines with Gemini's parts)", _is_of_qwen_code),
    ("a log like Claude Code's without content in its messages", _is_of_another_coding_agent),
)
KNOWN: tuple[tuple[str, Callable[[Data], bool]], ...] = (
    *LOGS,
    ("an index of sessions without their messages", lambda data: isinstance(data.get("sessions"), list)),
    ("the index of a Backyard AI archive (BYAF)", lambda data: {"schemaVersion", "characters"} <= data.keys()),
    ("a character of Backyard AI", lambda data: {"schemaVersion", "persona"} <= data.keys()),
    ("a character of Agnai", lambda data: data.get("kind") == "character" and "persona" in data),
    ("a chat completion, not a conversation", lambda data: isinstance(data.get("choices"), list)),
    ("a list of probing questions", _is_question_list),
    ("a script of SillyTavern's Tavern Helper (code for its own page, no text for a model)", is_helper_script),
)
