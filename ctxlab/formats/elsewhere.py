"""Data that is recognised but not read, so that the error can call it by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from ctxlab.formats.material import one_or_mostly

Data = dict[str, Any]


def name_of(data: Any) -> str | None:
    """What the data is, in words; None when nobody knows."""
    return next((name for name, test in KNOWN if one_or_mostly(data, _of_objects(test))), None)


def _of_objects(test: Callable[[Data], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and test(cast("Data", value))


def _is_card(data: Data) -> bool:
    return str(data.get("spec", "")).startswith("chara_card") or {"first_mes", "name"} <= data.keys()


def _is_world_book(data: Data) -> bool:
    stored = data.get("entries")
    entries = list(cast("Data", stored).values()) if isinstance(stored, dict) else stored
    return one_or_mostly(entries, lambda entry: isinstance(entry, dict) and not {"key", "keys"}.isdisjoint(entry))


def _is_question_list(data: Data) -> bool:
    values = list(data.values())
    if len(values) != 1 or not isinstance(values[0], list):
        return False
    questions = cast("list[Any]", values[0])
    return bool(questions) and all(isinstance(question, str) for question in questions)


KNOWN: tuple[tuple[str, Callable[[Data], bool]], ...] = (
    ("a SillyTavern character card", _is_card),
    ("a SillyTavern world book", _is_world_book),
    ("a SillyTavern preset", lambda data: "prompts" in data and "prompt_order" in data),
    ("a SillyTavern chat", lambda data: {"is_user", "mes"} <= data.keys() or "chat_metadata" in data),
    ("an index of sessions without their messages", lambda data: isinstance(data.get("sessions"), list)),
    ("a chat completion, not a conversation", lambda data: isinstance(data.get("choices"), list)),
    ("a list of probing questions", _is_question_list),
)
