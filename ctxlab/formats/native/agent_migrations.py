"""Older forms of agents in files, brought up to date step by step.

A migration is a pure function on JSON data; data that it doesn't concern comes back as the same object, so that a
second run changes nothing. It recognises data by content, since files of all versions have been written without one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Data = Mapping[str, Any]

PROFILE_TEMPLATE = "### {{user}}的档案\n\n{{persona}}"
"""The text of older programs for an empty placeholder of the user's profile."""
BARE = frozenset({"", "用户档案", "user_profile", "User Profile"})
GREETING = lazy_pattern(r"First Message|Alternate Greeting\b.*", re.DOTALL)
OLD_ICONS, ICONS = "/agent-icons/", "/agent-presets/"
EXTENSIONS: Data = {"enabled": True, "extensionToggles": {}, "defaultExtensionEnabled": True}


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; one that only `fills` writes out what is meant anyway, and reading a file needs none of it."""

    number: int
    does: str
    apply: Callable[[Data], Data]
    fills: bool = False


@dataclass(frozen=True, slots=True)
class Migrated:
    """Data that is up to date, the same object where it was, and the migrations that did something."""

    data: Data
    applied: tuple[Migration, ...] = ()

    def __str__(self) -> str:
        return "; ".join(f"{it.number}, {it.does}" for it in self.applied)


def migrated(data: Data, *, fill: bool = True) -> Migrated:
    """An agent's data brought up to date; `fill=False` leaves out the migrations that only fill in defaults."""
    applied: list[Migration] = []
    for migration in MIGRATIONS:
        if migration.fills and not fill:
            continue
        after = migration.apply(data)
        if after is not data:
            applied.append(migration)
            data = after
    return Migrated(data, tuple(applied))


# --- the migrations


def _custom_parameters(data: Data) -> Data:
    parameters = _object(data.get("parameters"))
    custom = parameters.get("custom")
    if not isinstance(custom, Mapping):
        return data
    stored = cast("Data", custom)
    if isinstance(stored.get("enabled"), bool) and isinstance(stored.get("params"), Mapping):
        return data
    new = {"enabled": bool(stored), "params": dict(stored)}
    return {**data, "parameters": {**parameters, "custom": new}}


def _strategy_types(data: Data) -> Data:
    return _with_presets(data, _with_type)


def _with_type(preset: Data) -> Data:
    strategy = preset.get("injectionStrategy")
    if not isinstance(strategy, Mapping) or cast("Data", strategy).get("type"):
        return preset
    fields = cast("Data", strategy)
    if fields.get("depthConfig"):
        kind = "advanced_depth"
    elif fields.get("depth") is not None:
        kind = "depth"
    elif fields.get("anchorTarget"):
        kind = "anchor"
    else:
        kind = "default"
    return {**preset, "injectionStrategy": {**fields, "type": kind}}


def _profile_templates(data: Data) -> Data:
    return _with_presets(data, _with_template)


def _with_template(preset: Data) -> Data:
    words = preset.get("content") or ""
    if preset.get("type") != "user_profile" or not isinstance(words, str) or words.strip() not in BARE:
        return preset
    return {**preset, "content": PROFILE_TEMPLATE}


def _greetings_among_presets(data: Data) -> Data:
    if data.get("greetings"):
        return data
    presets = _presets(data)
    moved = [(n, preset) for n, preset in enumerate(presets) if _is_greeting(preset)]
    if not moved:
        return data
    gone = {n for n, _ in moved}
    new: dict[str, Any] = {
        **data,
        "presetMessages": [preset for n, preset in enumerate(presets) if n not in gone],
        "greetings": [_greeting(n, preset) for n, preset in moved],
    }
    shown = data.get("displayPresetCount")
    if isinstance(shown, int) and not isinstance(shown, bool):
        new["displayPresetCount"] = max(0, shown - len(moved))
    return new


def _is_greeting(preset: Any) -> bool:
    if not isinstance(preset, Mapping):
        return False
    fields = cast("Data", preset)
    written = fields.get("role") == "assistant" and bool(str(fields.get("content") or "").strip())
    return written and fields.get("isEnabled") is not False and GREETING.fullmatch(_title(fields)) is not None


def _title(preset: Data) -> str:
    title = _object(preset.get("metadata")).get("stPromptName") or preset.get("name")
    return title if isinstance(title, str) else ""


def _greeting(n: int, preset: Data) -> dict[str, Any]:
    files = {"attachments": preset["attachments"]} if preset.get("attachments") else {}
    return {
        "id": f"greeting-{preset.get('id') or n}",
        "name": _title(preset),
        "content": preset["content"],
        "role": "assistant",
        **files,
    }


def _extensions(data: Data) -> Data:
    return data if isinstance(data.get("extensionConfig"), Mapping) else {**data, "extensionConfig": dict(EXTENSIONS)}


def _icon_paths(data: Data) -> Data:
    new = {name: _moved(data[name]) for name in ("icon", "avatarHistory", "assets") if name in data}
    return data if all(new[name] is data[name] for name in new) else {**data, **new}


def _moved(value: Any) -> Any:
    """The value with its paths in the folder of today; the same object where there are none."""
    if isinstance(value, str):
        return ICONS + value.removeprefix(OLD_ICONS) if value.startswith(OLD_ICONS) else value
    if isinstance(value, list):
        items = [_moved(item) for item in cast("list[Any]", value)]
        return items if any(a is not b for a, b in zip(items, cast("list[Any]", value), strict=True)) else value
    if isinstance(value, Mapping):
        fields = cast("Data", value)
        inner = {key: _moved(item) for key, item in fields.items()}
        return inner if any(inner[key] is not fields[key] for key in inner) else value
    return value


MIGRATIONS: tuple[Migration, ...] = (
    Migration(1, "custom parameters have a switch of their own", _custom_parameters),
    Migration(2, "injection strategies name their type", _strategy_types),
    Migration(3, "the placeholder of the user's profile has a template", _profile_templates),
    Migration(4, "first messages among the presets are greetings", _greetings_among_presets),
    Migration(5, "the switches of extensions are written out", _extensions, fills=True),
    Migration(6, "icons have moved to agent-presets", _icon_paths),
)


# --- reading loose data


def _object(value: Any) -> Data:
    return cast("Data", value) if isinstance(value, Mapping) else {}


def _presets(data: Data) -> Sequence[Any]:
    presets = data.get("presetMessages")
    return cast("list[Any]", presets) if isinstance(presets, list) else ()


def _with_presets(data: Data, change: Callable[[Data], Data]) -> Data:
    presets = _presets(data)
    new = [change(cast("Data", preset)) if isinstance(preset, Mapping) else preset for preset in presets]
    if all(after is before for after, before in zip(new, presets, strict=True)):
        return data
    return {**data, "presetMessages": new}
