"""An entry of a SillyTavern lorebook, from its JSON and back."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ctxlab.documents import LoreEntry
from ctxlab.documents.lore import POSITIONS, CharacterFilter
from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.card_fields import converted
from ctxlab.formats.sillytavern.lorebooks.entry_fields import PLACES, BookForm, Data, Field, Place, form_of


@cache
def _unset() -> LoreEntry:
    """An entry that says nothing."""
    return LoreEntry()


def entry_from(
    raw: Mapping[str, Any], *, uid: int | str, place: str, index: int | None = None
) -> tuple[LoreEntry, list[Loss]]:
    """The entry, in row `index` of its file; a value that can't be read is a Loss, and the form's default is used."""
    form = form_of(raw)
    extensions = coerce.as_object(raw.get("extensions"))
    values: Data = {"uid": uid}
    losses: list[Loss] = []
    for field, _, places in PLACES[form]:
        if field.default and form in field.default:
            values[field.name] = field.default[form]
        for at in places:
            stored = at.value_in(raw, extensions)
            if stored is not None:
                _read(field, at, stored, values, losses)
                break
    if form == "native" and values.get("use_probability") and "probability" not in values:
        values["probability"] = 0  # SillyTavern compares what it draws with nothing, and the entry never fires
    if "content" in values:
        values["content"] = converted(values["content"])
    if values.get("display_index") == index:
        values.pop("display_index", None)
    if not 0 <= values.get("position", 0) < len(POSITIONS):
        losses.append(Loss("position", f"{values['position']} is none of 0 to {len(POSITIONS) - 1}; it is kept"))
    return LoreEntry.model_validate(values, by_name=True), [loss.inside(place) for loss in losses]


def _read(field: Field, at: Place, stored: Any, values: Data, losses: list[Loss]) -> None:
    try:
        value = field.read(stored)
    except coerce.Partly as wrong:
        value = wrong.value
        losses.append(Loss(at.name, f"{coerce.shown(stored)} {wrong}; the rest is used"))
    except ValueError as wrong:
        default = values.get(field.name, getattr(_unset(), field.name))
        used = "what there is by default" if default is None else repr(default)
        losses.append(Loss(at.name.removeprefix("!"), f"{coerce.shown(stored)} {wrong}; {used} is used"))
        return
    values[field.name] = not value if at.is_opposite else value


def entry_to(entry: LoreEntry, form: BookForm, *, like: Mapping[str, Any] | None = None) -> Data:
    """The entry's JSON: fields that `like` has at the same places, the rest where SillyTavern looks for them."""
    original = like or {}
    extensions = coerce.as_object(original.get("extensions"))
    data: Data = {"uid" if _has_uid(original, form) else "id": entry.uid}
    unset = _unset()
    for field, usual, places in PLACES[form]:
        value = _written(entry, field)
        used = [place for place in places if place.value_in(original, extensions) is not None] if original else []
        if not used and field.only_if_set and getattr(entry, field.name) == getattr(unset, field.name):
            continue
        (used[0] if used else usual).put(data, value)
        if value is None or value == "" or value == []:  # else a value at another place would be read now
            for place in used[1:]:
                place.put(data, value)
    if like is None:
        _put_by_the_way(data, entry, form)
    elif form == "character_book" and "position" in data.get("extensions", {}) and "position" in original:
        data["position"] = _word(entry)
    return data


def _has_uid(original: Mapping[str, Any], form: BookForm) -> bool:
    return "uid" in original or ("id" not in original and form == "native")


def _written(entry: LoreEntry, field: Field) -> Any:
    value = entry.all_keys if field.name == "key" else getattr(entry, field.name)
    if value is None:
        return field.unsaid
    if isinstance(value, tuple):
        return list(value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, CharacterFilter):
        return {"isExclude": value.is_exclude, "names": list(value.names), "tags": list(value.tags)}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _put_by_the_way(data: Data, entry: LoreEntry, form: BookForm) -> None:
    """Fields that a new entry needs for other programs, derived from its others."""
    if form == "native":
        data["addMemo"] = bool(entry.comment)
        return
    data["position"] = _word(entry)
    data["use_regex"] = any(key.startswith("/") for key in entry.all_keys)


def _word(entry: LoreEntry) -> str:
    """The two positions that cards know; any other becomes the one after the character."""
    return POSITIONS[0] if entry.position == 0 else POSITIONS[1]
