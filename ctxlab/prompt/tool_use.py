"""Calls of tools and their results as parts of a prompt, with the server and the file that they are about."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

import orjson

from ctxlab.documents.session.message import Role, ToolCall
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.prompt.part import PromptPart, Source

PATHS: Final = (
    "file_path",
    "filePath",
    "path",
    "absolute_path",
    "abs_path",
    "target_file",
    "notebook_path",
    "filename",
    "file",
)
"""Names under which tools take a path."""
READERS: Final = frozenset(
    (
        *("read", "readfile", "readtextfile", "readmanyfiles", "fsread", "notebookread"),
        *("view", "viewfile", "openfile", "cat", "getfilecontents"),
    )
)
"""Tools that give back a file, by their names without capitals and signs."""
SHELLS: Final = ("command", "cmd", "script")
_SHOWS: Final = frozenset({"cat", "head", "tail", "nl", "sed", "less", "more", "bat", "type", "Get-Content"})
_SIGNS = lazy_pattern(r"[^a-z0-9]")
_LONGEST_COMMAND: Final = 400


def server_of(tool: str) -> str:
    """The MCP server that a tool's name tells of; "" where it tells none."""
    parts = tool.split("__")
    if len(parts) > 2 and parts[0] == "mcp":
        return parts[1]
    return parts[0] if len(parts) == 2 and all(parts) else ""


def file_of_call(arguments: str) -> str:
    """The path that a call is about: an argument, or the file that its command shows; "" where there is none."""
    fields = _fields(arguments)
    named = next((value for name in PATHS if isinstance(value := fields.get(name), str) and value), "")
    return named or next((_shown_file(fields[name]) for name in SHELLS if name in fields), "")


def gives_file(tool: str, arguments: str) -> bool:
    """Whether a call's result is what stands in a file."""
    plain = _SIGNS.sub("", tool.rpartition("__")[2].lower())
    fields = _fields(arguments)
    if any(_shown_file(fields[name]) for name in SHELLS if name in fields):
        return True
    editor = plain in ("strreplacebasededittool", "strreplaceeditor") and fields.get("command") == "view"
    return (plain in READERS or editor) and bool(file_of_call(arguments))


def _fields(arguments: str) -> Mapping[str, Any]:
    try:
        found = orjson.loads(arguments) if arguments else None
    except orjson.JSONDecodeError:
        return {}
    return _as_fields(found)


def _shown_file(command: Any) -> str:
    """The file that a command shows and does nothing else with; a command may be a text or a list of words."""
    words = command if isinstance(command, list) else _words(command)
    texts = [word for word in words if isinstance(word, str)]
    if len(texts) == 3 and texts[1] in ("-c", "-lc"):
        texts = _words(texts[2])
    if len(texts) < 2 or texts[0] not in _SHOWS or _goes_on(texts):
        return ""
    if texts[0] == "sed" and "-n" not in texts:
        return ""
    return "" if texts[-1].startswith("-") else texts[-1]


def _goes_on(words: Iterable[str]) -> bool:
    """Whether a command has a second one behind it, or writes."""
    return any(sign in word for word in words for sign in ("|", ";", "&&", ">", "<", "`", "$("))


def _words(command: Any) -> list[str]:
    if not isinstance(command, str) or len(command) > _LONGEST_COMMAND:
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return []


def part_of_call(call: ToolCall, tokens: int, key: str, role: Role) -> PromptPart:
    """A call as a part of the message that makes it."""
    about, server = file_of_call(call.arguments), server_of(call.name)
    return PromptPart("calls", call.arguments, tokens, key, None, role, call.name, call.id, about, server)


def part_of_result(
    text: str, tokens: int, key: str, start: int, answered: ToolCall | None, id: str, *, failed: bool = False
) -> PromptPart:
    """The text of a result, by the call that it answers; `id` is the one that it names where there is none."""
    if answered is None:
        return PromptPart("results", text, tokens, key, start, "tool", call=id, failed=failed)
    name, arguments = answered.name, answered.arguments
    source: Source = "files" if gives_file(name, arguments) else "results"
    file, server = file_of_call(arguments), server_of(name)
    return PromptPart(source, text, tokens, key, start, "tool", name, answered.id, file, server, failed)


def definition_part(tool: Any, tokens: int, text: str | None = None) -> PromptPart:
    """The definition of a tool in front of all messages; `text` is its JSON where that is made already."""
    name = name_of_tool(tool)
    return PromptPart("tools", json_text(tool) if text is None else text, tokens, name=name, server=server_of(name))


def name_of_tool(tool: Any) -> str:
    """The name in a definition of any vendor's form; "" where it has none."""
    fields = _as_fields(tool)
    name = _as_fields(fields.get("function")).get("name", fields.get("name", fields.get("type", "")))
    return name if isinstance(name, str) else ""


def json_text(value: Any) -> str:
    """A value as JSON without blanks; a text as it is."""
    if isinstance(value, str):
        return value
    try:
        return orjson.dumps(value, default=str).decode()
    except (orjson.JSONEncodeError, RecursionError):  # large numbers, halves of characters, deep nesting
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode("utf-8", "backslashreplace").decode()


def _as_fields(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
