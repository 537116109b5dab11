"""Presets read from SillyTavern's files: one with all parts in it, or one for each part."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, Final, cast, get_args

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.engines.chat_templates.instruct.preset import (
    ContextTemplate,
    InstructPreset,
    InstructSequences,
    Names,
    SystemPrompt,
)
from ctxlab.errors import BrokenFile, UnknownFormat, did_you_mean

MOST_BYTES: Final = 4_000_000
PARTS: Final[Mapping[str, type]] = {
    "instruct": InstructSequences,
    "context": ContextTemplate,
    "sysprompt": SystemPrompt,
}
"""The parts of a file with all of them, by key, with the value that each is read into."""
SIGNS: Final = {
    "instruct": ("input_sequence", "output_sequence"),
    "context": ("story_string",),
    "sysprompt": ("content",),
}
"""Keys that a file of one part has."""
OWN: Final = frozenset({"name", "preset", "enabled", "bind_to_context", "derived"})
"""Keys that say nothing of the text."""
TYPES: Final[Mapping[str, tuple[type, str]]] = {
    "str": (str, "a text"),
    "bool": (bool, "true or false"),
    "int": (int, "a whole number"),
}

Source = Path | str | Mapping[str, Any]


def read_instruct_preset(source: Source, *more: Source, name: str | None = None) -> InstructPreset:
    """A preset from a file with instruct sequences, context template and system prompt, or from a file of each.

    A source is a path, or what is in the file. `name` is that of the instruct preset unless given. Raises BrokenFile
    for a file that is no JSON or has a value of another kind, UnknownFormat where none has instruct sequences.
    """
    found: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    names: dict[str, str] = {}
    notes: list[str] = []
    places: list[str] = []
    for each in (source, *more):
        data, place = _loaded(each)
        for part, raw in _parts(data, place).items():
            if part in found:
                raise UnknownFormat(f"{place} is a second {part} preset; give one of each kind")
            found[part] = _part(part, raw, place, unknown)
            names[part] = str(raw.get("name") or raw.get("preset") or "")
            if part == "sysprompt" and raw.get("enabled") is False:
                found[part] = SystemPrompt()
                notes.append("its system prompt is switched off")
        if place != DATA:
            places.append(place)
    if "instruct" not in found:
        raise UnknownFormat(
            f"there are no instruct sequences in {', '.join(places) or DATA}; give the file of the instruct preset too"
        )
    own = name or names["instruct"] or (Path(places[0]).stem if places else "instruct")
    notes += _notes(found["instruct"], found.get("context") or ContextTemplate(), unknown)
    return InstructPreset(
        own,
        found["instruct"],
        found.get("context") or ContextTemplate(),
        found.get("sysprompt") or SystemPrompt(),
        FrozenDict(unknown),
        tuple(notes),
        ", ".join(places),
    )


DATA: Final = "the preset"


def _loaded(source: Source) -> tuple[Mapping[str, Any], str]:
    if isinstance(source, Mapping):
        return source, DATA
    place = str(source)
    try:
        path = Path(source)
        if path.stat().st_size > MOST_BYTES:
            raise BrokenFile(f"{place} is too large for a preset: more than {MOST_BYTES:,} bytes")
        data = json.loads(path.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, ValueError, RecursionError) as error:
        raise BrokenFile(f"{place} can't be read as a preset: {error}") from error
    if not isinstance(data, dict):
        raise BrokenFile(f"{place} is no preset: it holds no object")
    return cast("dict[str, Any]", data), place


def _parts(data: Mapping[str, Any], place: str) -> dict[str, Mapping[str, Any]]:
    inside = {part: data[part] for part in PARTS if isinstance(data.get(part), Mapping)}
    if inside:
        return inside
    alone = {part: data for part, keys in SIGNS.items() if all(key in data for key in keys)}
    if not alone:
        known = [key for keys in SIGNS.values() for key in keys]
        near = next((key for key in data if did_you_mean(key, known).startswith("; did")), "")
        hint = f"; it has {near!r}" if near else ""
        raise UnknownFormat(
            f"{place} is no preset of instruct sequences, of a context template or of a system prompt: "
            f"it has none of {', '.join(known)}{hint}"
        )
    return alone


def _part(part: str, raw: Mapping[str, Any], place: str, unknown: dict[str, Any]) -> Any:
    kind = PARTS[part]
    wanted = {each.name: each for each in fields(kind)}
    values: dict[str, Any] = {}
    for key, value in raw.items():
        if key not in wanted:
            if key not in OWN:
                unknown[f"{part}.{key}"] = value
            continue
        values[key] = _value(f"{part}.{key}", str(wanted[key].type), value, place)
    if part == "instruct" and "names_behavior" not in values and "names" in raw:
        # Files of before 1.12.5 say it with two flags.
        force = raw.get("names_force_groups", True)
        values["names_behavior"] = "always" if raw["names"] else "force" if force else "none"
        for old in ("instruct.names", "instruct.names_force_groups"):
            unknown.pop(old, None)
    if part == "instruct" and "system_sequence_prefix" in raw and "story_string_prefix" not in values:
        values["story_string_prefix"] = str(raw["system_sequence_prefix"])
        values["story_string_suffix"] = str(raw.get("system_sequence_suffix", ""))
        for old in ("instruct.system_sequence_prefix", "instruct.system_sequence_suffix"):
            unknown.pop(old, None)
    assert all(each.default is not MISSING for each in wanted.values())
    return kind(**values)


def _value(key: str, kind: str, value: Any, place: str) -> Any:
    if kind == "Names":
        names: Sequence[str] = get_args(Names)
        if value not in names:
            raise BrokenFile(f"{place}: {key} is {value!r:.40}; it is one of {', '.join(names)}")
        return value
    wanted, words = TYPES[kind]
    if value is None and wanted is str:
        return ""
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        raise BrokenFile(f"{place}: {key} is {value!r:.40}; it has to be {words}")
    return value.replace("\r\n", "\n") if isinstance(value, str) else value


def _notes(sequences: InstructSequences, context: ContextTemplate, unknown: Mapping[str, Any]) -> list[str]:
    notes: list[str] = []
    if sequences.activation_regex:
        notes.append(f"activation_regex {sequences.activation_regex!r:.60} is left out: the preset is chosen by hand")
    if context.trim_sentences:
        notes.append("trim_sentences is left out: it is done to replies")
    if unknown:
        notes.append(f"keys that nothing reads: {', '.join(unknown)}")
    return notes
