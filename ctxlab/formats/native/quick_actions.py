"""Sets of quick actions as ctxlab and programs of its kind store them: `{"id", "name", "actions": [...]}`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard, cast

from ctxlab.documents import QuickActionSet, read_stored
from ctxlab.documents.stored import as_json
from ctxlab.errors import ReadError
from ctxlab.formats.files.zip_archive import file_name, packed_files
from ctxlab.formats.format import Format, Pick
from ctxlab.formats.results import Export, Import, Loss, losses_of
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.formats.values_to_export import left_out, pick_quick_actions

Data = dict[str, Any]

OF_SETS = frozenset(field.alias for field in QuickActionSet.model_fields.values())
KIND, VERSION = "ctxlab-quick-actions", 1
NO_PLACE = "no quick actions; left out"


def quick_actions_json(sets: Sequence[QuickActionSet]) -> Export[bytes]:
    """Sets of quick actions in UTF-8, indented: one as it is, several as a list."""
    data = [set_data(each) for each in sets]
    return Export(as_json(data[0] if len(data) == 1 else data, indent=2))


def quick_actions_zip(sets: Sequence[QuickActionSet]) -> Export[bytes]:
    """A zip archive with a file for each set, and `metadata.json` that lists them in their order."""
    names = Names()
    files = {file_name("quick-actions", each.id or each.name, names): each for each in sets}
    listed = [{"id": each.id, "name": each.name, "file": file} for file, each in files.items()]
    about: Data = {"format": KIND, "version": VERSION, "sets": listed}
    packed = {file: as_json(set_data(each), indent=2) for file, each in files.items()}
    return Export(packed_files({"metadata.json": as_json(about, indent=2), **packed}))


def set_data(found: QuickActionSet) -> Data:
    """A set's JSON with the fields by which it is recognised, also those with their defaults."""
    actions = [{"label": "", "content": "", **each.to_data()} for each in found.actions]
    about = {"id": found.id, "name": found.name, "isEnabled": found.is_enabled}
    return {**about, **found.to_data(), "actions": actions}


# --- what it is


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_set)


def _is_set(value: Any) -> TypeGuard[Data]:
    """Recognised by its actions; without any, by its name and its switch, or by having no key of another format."""
    if not isinstance(value, dict) or not isinstance(value.get("actions"), list):
        return False
    held = cast("Data", value)
    if held["actions"]:
        return mostly(held["actions"], _is_action)
    return "name" in held and ("isEnabled" in held or held.keys() <= OF_SETS)


def _is_action(value: Any) -> bool:
    return isinstance(value, dict) and "role" not in value and {"label", "content"} <= cast("Data", value).keys()


# --- what is in it


def read(source: Source) -> Import:
    losses, names = list(source.losses), Names()
    sets: list[QuickActionSet] = []
    for place, item in source.items():
        if not _is_set(item):
            losses.append(Loss(place, "no set of quick actions; it is left out"))
            continue
        found, notes = read_stored(QuickActionSet, item, place="the set")
        losses += [loss.inside(place) for loss in losses_of(notes)]
        wanted = found.id or found.name or source.stem
        own = names.take(wanted)
        if own != wanted:
            losses.append(Loss(place, f"set {wanted!r} is there twice; this one is {own!r} now"))
        sets.append(found if own == found.id else found.with_(id=own))
    return Import(quick_actions=tuple(sets), losses=tuple(losses))


# --- the formats


def chosen_sets(found: Import, pick: Pick) -> tuple[QuickActionSet, ...]:
    """All sets, or the picked one; raises ReadError where there is none."""
    if not found.quick_actions:
        raise ReadError(f"{found.source} holds no set of quick actions")
    return found.quick_actions if pick is None else (pick_quick_actions(found, pick),)


def others_left_out(found: Import) -> list[Loss]:
    """A loss for each value that is no quick action."""
    return left_out(found, ("sessions", "agents", "users", "books", "rules", "knowledge_bases"), NO_PLACE)


def _write_json(found: Import, pick: Pick) -> Export[bytes]:
    return quick_actions_json(chosen_sets(found, pick)).after(others_left_out(found))


def _write_zip(found: Import, pick: Pick) -> Export[bytes]:
    return quick_actions_zip(chosen_sets(found, pick)).after(others_left_out(found))


QUICK_ACTIONS = Format(
    "quick-actions",
    "set of quick actions",
    (".quickactions.json",),
    sniff=sniff,
    read=read,
    write=_write_json,
    holds=("quick_actions",),
)
QUICK_ACTIONS_ZIP = Format(
    "quick-actions-zip",
    "set of quick actions",
    (".quickactions.zip",),
    write=_write_zip,
    holds=("quick_actions",),
)
