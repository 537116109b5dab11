"""The commands of a chat's page, and what each must have; anything else is refused in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError, did_you_mean

MOST_TEXT = 4_000_000
MOST_ID = 4_000
MOST_NAME = 1_000
LONG = frozenset({"text"})
KEY = {"key": str}
VIEWS = ("steps", "budget", "lore", "knowledge", "request", "tree", "compression", "agent", "user", "settings")
SHOWN = ("original", "translation", "both")

COMMANDS: Mapping[str, Mapping[str, Any]] = {
    "send": {"text": str},
    "stop": {},
    "resend": {},
    "edit": {"key": str, "text": str},
    "branch": {"key": str, "text": str},
    "regenerate": {"key": str, "model?": str},
    "continue": KEY,
    "delete": KEY,
    "disable": KEY,
    "enable": KEY,
    "retry": KEY,
    "undo-summary": KEY,
    "relay": {"text": str},
    "switch": KEY,
    "find": {"text": str},
    "translate": {"key": str, "to": str},
    "show_translation": {"key": str, "shown": SHOWN},
    "got": KEY,
    "open": {"view": VIEWS, "key": str},
    "choose": {"what": ("agent", "model", "user"), "id": str},
    "why": KEY,
    "keep": KEY,
    "attach": {"files": list},
    "detach": {"id": str},
    "quick": {"id": str, "start": int, "end": int},
    "complete": {"caret": int, "asksModel": bool},
    "approve": {"call": str, "yes": bool},
    "button": {"key": str, "does": ("send", "input"), "text": str},
    "message_action": {"key": str, "id": str},
    "name_topic": {},
    "give_up": {"id": str},
    "undo": {},
    "redo": {},
    "asset": {"id": str},
    "export": {"format": ("json", "md")},
    "begin_anew": {},
}
"""By command its fields with their types or their choices; one with a question mark may be missing."""


class WrongChatCommand(CtxlabError):
    """A message of the page that is no command of a chat, or lacks something."""


def checked_command(message: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The name of a command and its fields; raises WrongChatCommand."""
    name = message.get("command")
    if not isinstance(name, str) or name not in COMMANDS:
        near = did_you_mean(name, list(COMMANDS)) if isinstance(name, str) else ""
        raise WrongChatCommand(f"{short(repr(name), 80)} is no command of a chat{near}")
    wanted = COMMANDS[name]
    known = {"command", *(field.rstrip("?") for field in wanted)}
    unknown = next((each for each in message if each not in known), None)
    if unknown is not None:
        raise WrongChatCommand(f"the command {name!r} has no field {short(repr(unknown), 80)}")
    fields: dict[str, Any] = {}
    for field, kind in wanted.items():
        plain = field.rstrip("?")
        if plain not in message:
            if field.endswith("?"):
                continue
            raise WrongChatCommand(f"the command {name!r} lacks {plain!r}")
        fields[plain] = _checked(name, plain, message[plain], kind)
    return name, fields


def _checked(command: str, field: str, value: Any, kind: Any) -> Any:
    if isinstance(kind, tuple):
        choices = cast("tuple[str, ...]", kind)
        if not isinstance(value, str) or value not in choices:
            raise WrongChatCommand(
                f"{field!r} of the command {command!r} is one of {', '.join(choices)}, {_not(value)}"
            )
        return value
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise WrongChatCommand(f"{field!r} of the command {command!r} takes {NAMES[kind]}, {_not(value)}")
    if isinstance(value, str) and len(value) > (most := MOST_TEXT if field in LONG else MOST_ID):
        raise WrongChatCommand(f"{field!r} of the command {command!r} is longer than {most:,} characters")
    return _files(cast("list[Any]", value)) if kind is list else value


NAMES = {str: "a text", int: "a whole number", bool: "true or false", list: "a list"}


def _files(files: list[Any]) -> list[dict[str, str]]:
    for file in files:
        if not isinstance(file, dict) or {*cast("dict[str, Any]", file)} != {"name", "type"}:
            raise WrongChatCommand("a file to attach has a name and a type, and nothing else")
        known = cast("dict[str, Any]", file)
        if not all(isinstance(each, str) and len(each) <= MOST_NAME for each in known.values()):
            raise WrongChatCommand(f"name and type of a file to attach are texts of at most {MOST_NAME:,} characters")
    return cast("list[dict[str, str]]", files)


def _not(value: object) -> str:
    return f"not {short(repr(value), 60)}"
