"""Servers and files of tools' calls."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from typing import Any, Final

import orjson

from ctxlab.formats.requests.blocks import fields_of

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
_SIGNS = re.compile(r"[^a-z0-9]")
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


def _fields(arguments: str) -> dict[str, Any]:
    try:
        return fields_of(orjson.loads(arguments)) if arguments else {}
    except orjson.JSONDecodeError:
        return {}


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
