"""The command line: each command with its options and examples."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Any

import typer

from _ext.reference.markdown import code, page, plain, table
from ctxlab.cli.app import app

INTRO = "`ctxlab COMMAND --help` says the same in a terminal. `-` as a file is a pipe."


def command_line() -> str:
    """The page."""
    commands: dict[str, Any] = getattr(typer.main.get_command(app), "commands")  # noqa: B009
    rows = ([f"[`{name}`](#command-{name})", plain(_first_sentence(command))] for name, command in commands.items())
    parts = (part for name, command in commands.items() for part in _of_command(name, command))
    return page("Command line", INTRO, table(["command", "what it does"], rows), *parts)


def _first_sentence(command: Any) -> str:
    return (command.help or command.short_help or "").strip().split("\n\n")[0]


def _of_command(name: str, command: Any) -> Iterator[str]:
    yield f"(command-{name})=\n## ctxlab {name}"
    yield from (plain(paragraph) for paragraph in (command.help or "").strip().split("\n\n") if "\b" not in paragraph)
    inner = getattr(command, "commands", None)
    if inner is not None:
        for each, own in inner.items():
            yield f"### ctxlab {name} {each}"
            yield plain((own.help or "").split("\b")[0])
            yield _options(own)
        return
    yield _options(command)
    if examples := (command.epilog or "").replace("\b", "").strip():
        lines = [line.strip() for line in examples.splitlines() if line.strip() and line.strip() != "Examples:"]
        yield "```sh\n" + "\n".join(lines) + "\n```"


def _options(command: Any) -> str:
    rows = (
        [_spelt(each), code(_default(each)), plain(each.help if hasattr(each, "help") else "")]
        for each in command.params
        if not getattr(each, "hidden", False) and each.name != "help"
    )
    return table(["argument or option", "default", "meaning"], rows)


def _spelt(param: Any) -> str:
    if param.param_type_name == "argument":
        return code(param.metavar or param.name.upper())
    value = "" if param.is_flag else f" {param.metavar or _kind(param)}"
    return code(", ".join(param.opts) + value)


def _kind(param: Any) -> str:
    default = getattr(param, "default", None)
    choices = [each.value for each in type(default)] if isinstance(default, Enum) else []
    return "|".join(map(str, choices)) or param.name.upper()


def _default(param: Any) -> object:
    value = getattr(param.default, "value", param.default)
    return None if value in (None, False) or callable(value) else value
