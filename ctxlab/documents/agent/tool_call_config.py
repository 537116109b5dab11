"""An agent's settings of tools, `toolCallConfig`: which are on, which wait for a word, and how calls are written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, Literal, cast

from ctxlab.display.short_texts import short
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.stored import Note
from ctxlab.lazy_dataclass import dataclass

Protocol = Literal["native", "vcp"]
Mode = Literal["auto", "manual"]
Toggles = Mapping[str, bool]

LONGEST_TIMEOUT = 24 * 60 * 60 * 1000
"""Milliseconds of a day."""
MOST_ITERATIONS = 1_000
SEPARATORS = (".", ":", "/")
"""Between the name of a tool and that of its method."""

NAMES = {
    "enabled": "enabled",
    "mode": "mode",
    "toolToggles": "tool_toggles",
    "methodToggles": "method_toggles",
    "autoApproveTools": "auto_approve_tools",
    "autoApproveMethods": "auto_approve_methods",
    "defaultToolEnabled": "default_tool_enabled",
    "defaultAutoApprove": "default_auto_approve",
    "maxIterations": "max_iterations",
    "timeout": "timeout_ms",
    "parallelExecution": "parallel_execution",
    "protocol": "protocol",
    "convertToolRoleToUser": "convert_tool_role_to_user",
    "autoInjectIfMacroMissing": "auto_inject_if_macro_missing",
    "rateLimitEnabled": "rate_limit_enabled",
    "rateLimitInterval": "rate_limit_interval_seconds",
}
"""Settings as files name them, and as they are named here."""


@dataclass(frozen=True, slots=True)
class ToolCallConfig:
    """Settings of an agent's tools; `problems` name the values that were not taken.

    With mode `manual` every call waits for a person's word, with `auto` those that no rule approves. A tool that no
    toggle names is on: whoever gives its definition wants it. `protocol` is `vcp` for calls that are written in the
    text; `native` is the form of the vendors, and what is meant where a file names none. Between two requests of a turn
    `rate_limit_interval_seconds` go by, from the beginning of the first one, or, with `rate_limit_enabled`, from the
    end of its reply.
    """

    enabled: bool = False
    mode: Mode = "auto"
    tool_toggles: Toggles = field(default_factory=FrozenDict)
    method_toggles: Toggles = field(default_factory=FrozenDict)
    auto_approve_tools: Toggles = field(default_factory=FrozenDict)
    auto_approve_methods: Toggles = field(default_factory=FrozenDict)
    default_tool_enabled: bool = True
    default_auto_approve: bool = False
    max_iterations: int = 20
    timeout_ms: int = 30_000
    parallel_execution: bool = False
    protocol: Protocol = "native"
    convert_tool_role_to_user: bool | None = None
    auto_inject_if_macro_missing: bool = False
    rate_limit_enabled: bool = False
    rate_limit_interval_seconds: float = 0.0
    problems: tuple[Note, ...] = field(default=(), compare=False)

    @classmethod
    def of(cls, data: Mapping[str, Any] | None) -> ToolCallConfig:
        """The settings that a file holds; a value that can't be one becomes the default, and a note says so."""
        taken: dict[str, Any] = {}
        problems: list[Note] = []
        for name, python_name in NAMES.items():
            if data is None or data.get(name) is None:
                continue
            value = _VALUES[python_name](data[name])
            if value is None:
                problems.append(_problem(name, data[name], python_name))
            else:
                taken[python_name] = value
        return cls(**taken, problems=tuple(problems))

    @property
    def timeout_seconds(self) -> float:
        return self.timeout_ms / 1000

    @property
    def in_text(self) -> bool:
        """Whether tools are told and called in the text of messages."""
        return self.enabled and self.protocol == "vcp"

    def is_on(self, name: str) -> bool:
        """Whether a tool is offered: by the toggle of its method, else of its tool, else as for all."""
        return _ruled(name, self.method_toggles, self.tool_toggles, default=self.default_tool_enabled)

    def approves(self, name: str) -> bool:
        """Whether a call of this tool needs nobody's word."""
        if self.mode == "manual":
            return False
        return _ruled(name, self.auto_approve_methods, self.auto_approve_tools, default=self.default_auto_approve)


def tool_name(definition: Mapping[str, Any]) -> str:
    """The name of a tool by its definition in OpenAI's form; empty where it has none."""
    function = definition.get("function", definition)
    name = cast("Mapping[str, Any]", function).get("name") if isinstance(function, Mapping) else None
    return name if isinstance(name, str) else ""


def _ruled(name: str, methods: Toggles, tools: Toggles, *, default: bool) -> bool:
    if name in methods:
        return methods[name]
    for begin in (name, *(name.rpartition(sign)[0] for sign in SEPARATORS)):
        if begin and begin in tools:
            return tools[begin]
    return default


# --- values of files


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _toggles(value: object) -> Toggles | None:
    """A table of names; a list names those that are on."""
    if isinstance(value, list | tuple):
        names = cast("list[object]", value)
        return FrozenDict({name: True for name in names if isinstance(name, str)}) if _are_texts(names) else None
    if not isinstance(value, Mapping):
        return None
    table = cast("Mapping[str, object]", value)
    flags = {name: flag for name, flag in table.items() if isinstance(flag, bool)}
    return FrozenDict(flags) if len(flags) == len(table) else None


def _are_texts(values: list[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def _number(value: object, least: float, most: float) -> float | None:
    right = isinstance(value, int | float) and not isinstance(value, bool) and least <= value <= most
    return cast("float", value) if right else None


def _iterations(value: object) -> int | None:
    found = _number(value, 1, MOST_ITERATIONS)
    return int(found) if found is not None and found == int(found) else None


def _milliseconds(value: object) -> int | None:
    found = _number(value, 1, LONGEST_TIMEOUT)
    return int(found) if found is not None else None


def _seconds(value: object) -> float | None:
    found = _number(value, 0, LONGEST_TIMEOUT / 1000)
    return float(found) if found is not None else None


def _mode(value: object) -> str | None:
    return value if isinstance(value, str) and value in ("auto", "manual") else None


def _protocol(value: object) -> str | None:
    return value if isinstance(value, str) and value in ("native", "vcp") else None


_VALUES: Mapping[str, Any] = {
    **{each.name: _toggles for each in fields(ToolCallConfig) if each.name.endswith(("toggles", "_tools", "_methods"))},
    **{name: _flag for name in NAMES.values() if name.startswith(("enabled", "default_", "parallel_", "convert_"))},
    "auto_inject_if_macro_missing": _flag,
    "rate_limit_enabled": _flag,
    "mode": _mode,
    "protocol": _protocol,
    "max_iterations": _iterations,
    "timeout_ms": _milliseconds,
    "rate_limit_interval_seconds": _seconds,
}

_ALLOWED = {
    _flag: "it is true or false",
    _toggles: "it is an object of names with true or false, or a list of names",
    _mode: "it is 'auto' or 'manual'",
    _protocol: "it is 'native' or 'vcp'",
    _iterations: f"it is a whole number from 1 to {MOST_ITERATIONS:,}",
    _milliseconds: f"it is a number of milliseconds from 1 to {LONGEST_TIMEOUT:,}",
    _seconds: f"it is a number of seconds from 0 to {LONGEST_TIMEOUT // 1000:,}",
}


def _problem(name: str, value: object, python_name: str) -> Note:
    default = getattr(ToolCallConfig(), python_name)
    shown = dict(default) if isinstance(default, Mapping) else default
    text = f"toolCallConfig.{name} is {short(repr(value))} and not taken: {_ALLOWED[_VALUES[python_name]]}; "
    return Note("warning", f"{text}{shown!r} holds instead")
