"""Data that is recognised but not read, so that the error can call it by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ctxlab.formats.source import mostly, one_or_mostly

Data = dict[str, Any]


def name_of(data: Any) -> str | None:
    """A name for data that is known but not read; None for unknown data."""
    return next((name for name, test in KNOWN if one_or_mostly(data, _of_objects(test))), None)


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


KNOWN: tuple[tuple[str, Callable[[Data], bool]], ...] = (
    ("an index of sessions without their messages", lambda data: isinstance(data.get("sessions"), list)),
    ("a chat completion, not a conversation", lambda data: isinstance(data.get("choices"), list)),
    ("a list of probing questions", _is_question_list),
    ("a script of SillyTavern's Tavern Helper (code for its own page, no text for a model)", is_helper_script),
)
