"""Lorebooks of NovelAI, RisuAI and Agnai, in SillyTavern's form, as SillyTavern converts them when it imports them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, cast

from ctxlab.formats.results import Loss, texts_aside
from ctxlab.formats.sillytavern.lorebooks.entry_fields import Data
from ctxlab.formats.source import mostly

BOOKKEEPING: Final = frozenset({"id", "lastUpdatedAt", "category", "mode", "folder", "extentions", "extensions"})
"""Fields of entries that no model reads."""


class OtherProgram(NamedTuple):
    """A program: its name, how its books are recognised, where entries are, their fields, and one as SillyTavern's."""

    name: str
    test: Callable[[Data], bool]
    entries: str
    read: frozenset[str]
    convert: Callable[[Data], Data]


def _of_novelai(entry: Data) -> Data:
    config = entry.get("contextConfig")
    order = cast("Data", config).get("budgetPriority") if isinstance(config, dict) else None
    return {
        "key": entry.get("keys"),
        "comment": entry.get("displayName"),
        "content": entry.get("text"),
        "constant": entry.get("forceActivation") is True,
        "order": order if isinstance(order, int | float) else 0,
        "position": 0,
        "disable": entry.get("enabled") is False,
    }


def _of_risu(entry: Data) -> Data:
    second = _split(entry.get("secondkey"))
    return {
        "key": _split(entry.get("key")),
        "keysecondary": second,
        "comment": entry.get("comment"),
        "content": entry.get("content"),
        "constant": entry.get("alwaysActive") is True,
        "selective": entry.get("selective") is True and bool(second),
        "order": entry.get("insertorder"),
        "position": 0,
        "probability": entry.get("activationPercent", 100),
        "useProbability": True,
    }


def _of_agnai(entry: Data) -> Data:
    return {
        "key": entry.get("keywords"),
        "comment": entry.get("name"),
        "content": entry.get("entry"),
        "order": entry.get("weight"),
        "position": 0,
        "disable": entry.get("enabled") is False,
    }


def _split(keys: Any) -> list[str]:
    return [key.strip() for key in keys.split(",") if key.strip()] if isinstance(keys, str) else []


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda entry: isinstance(entry, dict) and set(names) <= cast("Data", entry).keys()


def _is_of_novelai(data: Data) -> bool:
    return "lorebookVersion" in data and mostly(data.get("entries"), _has("text", "keys"))


def _is_of_risu(data: Data) -> bool:
    return data.get("type") == "risu" and mostly(data.get("data"), _has("key", "content"))


def _is_of_agnai(data: Data) -> bool:
    return data.get("kind") == "memory" and mostly(data.get("entries"), _has("entry", "keywords"))


PROGRAMS: Final = (
    OtherProgram(
        "NovelAI",
        _is_of_novelai,
        "entries",
        frozenset({"keys", "displayName", "text", "forceActivation", "enabled"}),
        _of_novelai,
    ),
    OtherProgram(
        "RisuAI",
        _is_of_risu,
        "data",
        frozenset(
            {"key", "secondkey", "comment", "content", "alwaysActive", "selective", "insertorder", "activationPercent"}
        ),
        _of_risu,
    ),
    OtherProgram(
        "Agnai",
        _is_of_agnai,
        "entries",
        frozenset({"keywords", "name", "entry", "weight", "enabled"}),
        _of_agnai,
    ),
)


def program_of(data: Any) -> OtherProgram | None:
    """The other program that wrote a book; None for any other data."""
    fields = cast("Data", data) if isinstance(data, dict) else {}
    return next((program for program in PROGRAMS if program.test(fields)), None)


def as_sillytavern(raw: Mapping[str, Any], losses: list[Loss]) -> Mapping[str, Any]:
    """A book in SillyTavern's form; one that is in it, or in no known form, as it is."""
    program = program_of(raw)
    if program is None:
        return raw
    entries: Data = {}
    for number, entry in enumerate(raw[program.entries]):
        if not isinstance(entry, dict):
            losses.append(Loss(f"{program.entries}[{number}]", "it is no entry; it is left out"))
            continue
        fields = cast("Data", entry)
        converted = {key: value for key, value in program.convert(fields).items() if value is not None}
        entries[str(number)] = {"uid": number, **converted}
        rest = {key: value for key, value in fields.items() if key not in program.read}
        losses += [
            Loss(loss.place, f"{loss.field}: SillyTavern has no place for it; left out", loss.field)
            for loss in texts_aside(f"entry {number}", rest, BOOKKEEPING)
        ]
    about = {key: raw[key] for key in ("name", "description") if isinstance(raw.get(key), str)}
    losses.append(Loss("", f"a lorebook of {program.name}, read as SillyTavern imports it"))
    return {**about, "entries": entries}
