"""Next steps for commands that were typed wrongly: for an option that is a setting, and for a missing file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.pipeline import Pipeline


def with_hint(error: Any, typed: Sequence[str]) -> str:
    """The words of the command line's parser for an error, with the next step where there is one."""
    text: str = error.format_message()
    command = getattr(getattr(error, "ctx", None), "command", None)
    parameters = {parameter.name for parameter in getattr(command, "params", ())}
    option: str | None = getattr(error, "option_name", None)
    near: Sequence[str] = getattr(error, "possibilities", None) or ()
    # A setting of this very name is meant rather than an option that is only spelt like it; not so the plural.
    if option is not None and "settings" in parameters and not any(each.startswith(option[:-1]) for each in near):
        from ctxlab.processors import default_pipeline

        hint = setting_hint(option, _value_of(option, typed), default_pipeline())
        return f"{text.partition(' (Possible')[0].rstrip('.')}; {hint}" if hint else text
    missing = getattr(getattr(error, "param", None), "name", None)
    if command is not None and missing == "file" and text.startswith("Missing") and command.name != "step":
        return f"{text.rstrip('.')}; - is standard input, as in: ctxlab {command.name} - < chat.json"
    return text


def setting_hint(option: str, value: str | None, pipeline: Pipeline) -> str:
    """The way to give a setting of a step that was typed as an option; empty where no step has one of this name."""
    name = option.lstrip("-").replace("-", "_")
    steps = [row["id"] for row in pipeline.as_data() if name in row["settings"]]
    ways = [f"--set {id}.{name}={value or 'VALUE'}" for id in steps[:3]]
    return f"it is a setting: {' or '.join(ways)}" if ways else ""


def _value_of(option: str, typed: Sequence[str]) -> str | None:
    for word, after in zip(typed, (*typed[1:], "-"), strict=True):
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
        if word == option:
            return None if after.startswith("-") else after
    return None
