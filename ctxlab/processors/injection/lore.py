"""Lore that fired, as messages, and where each of them belongs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Literal

from ctxlab.context import Cause, Context, Draft, Origin, Text
from ctxlab.context.report import rows_named
from ctxlab.documents import Role
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.lore import POSITIONS
from ctxlab.processors.injection.placement import (
    CHARACTER,
    EXAMPLES,
    HISTORY,
    LORE_AFTER,
    LORE_BEFORE,
    anchor_id,
    placement_of,
)
from ctxlab.processors.injection.plan import Places, Point, Rank

LORE = "lore"
"""The shared key under which the worldbook step leaves its decisions."""
STEP = "worldbook-processor"

Reading = Literal["sillytavern", "reference"]
_ROLES: Mapping[str, Role] = {"system": "system", "user": "user", "assistant": "assistant"}
_TURNS: Mapping[Role, int] = {"assistant": 0, "tool": 0, "user": 1, "system": 2}
"""Which goes first of one depth and one order: in SillyTavern the system's words stand nearest the end."""
_MARKERS = {
    "before_char": LORE_BEFORE,
    "after_char": LORE_AFTER,
    "before_em": EXAMPLES,
    "after_em": EXAMPLES,
}


@dataclass(frozen=True, slots=True)
class Lore:
    """An entry that fired: its message, the name of its place, and what decides between neighbours."""

    draft: Draft
    place: str
    depth: float
    order: float
    outlet: str
    dialect: str | None


def lore_of(ctx: Context, reading: Reading) -> list[Lore]:
    """What fired; where orders are equal this order counts: in SillyTavern what fired last stands first."""
    rows = [row for row in rows_named(ctx, LORE) if row["fired"] and row["content"].strip()]
    return [_lore(row, reading) for row in (rows if reading == "reference" else reversed(rows))]


def _lore(row: Mapping[str, Any], reading: Reading) -> Lore:
    position = row["position"]
    place = POSITIONS[position] if 0 <= position < len(POSITIONS) else "unknown"
    origin = Origin(LORE, row["key"].partition(":")[2])
    text = Text.of(row["content"], origin, Cause(STEP, str(row["title"]), str(row.get("reason") or "")))
    has_role = place == "at_depth" or reading == "reference"  # elsewhere it is a part of SillyTavern's system prompt
    role: Role = _ROLES.get(row["role"], "system") if has_role else "system"
    depth, outlet = float(row["depth"]), str(row["outlet"] or "")
    meta = FrozenDict({"placement": LORE, "placed": _placed(place, depth, outlet)})
    draft = Draft(row["key"], role, (text,), origin, pinned=True, meta=meta)
    return Lore(draft, place, depth, float(row["order"]), outlet, row.get("dialect"))


def _placed(place: str, depth: float, outlet: str) -> str:
    if place == "at_depth":
        return f"depth {depth:g}"
    return f"outlet {outlet}" if place == "outlet" else place.replace("_", " ")


def order_of(lore: Lore, reading: Reading) -> float:
    """What sorts entries of one place, smaller first: their order, so that the strongest stands nearest the end.

    The reference turns it round wherever an entry goes before something.
    """
    if reading == "sillytavern":
        return lore.order
    ascending = lore.place in ("after_char", "after_an", "after_em") or (lore.place == "at_depth" and lore.depth <= 0)
    return lore.order if ascending else -lore.order


def marker_off(lore: Lore, places: Places) -> str | None:
    """The marker of its place, where presets have it switched off: then SillyTavern sends none of the lore there."""
    marker = _MARKERS.get(lore.place)
    off = marker is not None and marker in places.off and not places.with_role([marker])
    return marker if off else None


def place_lore(lore: Lore, places: Places, *, reading: Reading, note_depth: int) -> None:
    """Sort an entry in where its author wanted it, after all presets are sorted in."""
    order = order_of(lore, reading)
    before = lore.place in ("before_char", "before_an", "before_em", "unknown")
    if lore.place == "outlet":
        places.outlets.setdefault(lore.outlet, []).append((order, lore.draft))
    elif lore.place == "at_depth":
        rank = _rank_at_depth(lore, places) if reading == "sillytavern" else (order, 0, 0)
        places.point_at(lore.depth, rank, lore.draft)
    elif lore.place in ("before_char", "after_char"):
        _beside_character(lore.draft, places, order, before=before)
    elif reading == "reference":
        _beside_first_message(lore.draft, places, order, before=before)
    elif lore.place in ("before_an", "after_an"):
        _beside_note(lore.draft, places, order, before=before, note_depth=note_depth)
    else:
        _beside_examples(lore.draft, places, order, before=before)


def _rank_at_depth(lore: Lore, places: Places) -> Rank:
    """After the presets of its depth and order whose turn comes before its own or with it, before the others.

    The sides are farther out than those of lore around an author's note, which is one with the note.
    """
    turn = _TURNS[lore.draft.role]
    presets = takewhile(lambda point: point.draft.origin.kind != LORE, places.points)
    earlier = [
        point.rank[0]
        for point in presets
        if point.depth == lore.depth and _shares_order(point, lore) and _TURNS[point.draft.role] <= turn
    ]
    is_after = earlier or lore.draft.role == "system"
    return (max(earlier, default=lore.order), turn + 2 if is_after else turn - 4, 0)


def _shares_order(point: Point, lore: Lore) -> bool:
    """Where roles of one order mix, presets from SillyTavern have a quarter on their order for each turn."""
    return point.rank[0] - lore.order in (0, _TURNS[point.draft.role] / 4)


def _beside_character(draft: Draft, places: Places, order: float, *, before: bool) -> None:
    """At SillyTavern's markers, else around the character's presets, else around the first system preset."""
    marker = LORE_BEFORE if before else LORE_AFTER
    if places.has_placeholder(marker):
        places.around(marker).add((order, 0, 0), draft, before=True)
        return
    character = places.with_role(CHARACTER)
    if not character:
        ordinary = [preset for preset in places.skeleton if anchor_id(preset.node) != HISTORY]
        character = [*(preset for preset in ordinary if preset.node.role == "system"), *ordinary][:1]
    if character:
        places.beside(character[0 if before else -1]).add((order, 0, 0), draft, before=before)
    else:
        _beside_first_message(draft, places, order, before=before)


def _beside_note(draft: Draft, places: Places, order: float, *, before: bool, note_depth: int) -> None:
    """Around the author's note, wherever it is; where there is none, at the depth where it would be."""
    side = -1 if before else 1
    note = places.note
    place = placement_of(note.node) if note is not None else None
    if note is None or place is None:
        places.point_at(note_depth, (100, side, order), draft)
    elif place.kind == "anchor":
        places.around(place.anchor).add((place.order, side, order), draft, before=place.before)
    elif place.kind == "skeleton":
        places.beside(note).add((order, 0, 0), draft, before=before)
    else:
        own = next((point for point in places.points if point.draft.key.partition("@")[0] == note.key), None)
        places.point_at(own.depth if own is not None else note_depth, (place.order, side, order), draft)


def _beside_examples(draft: Draft, places: Places, order: float, *, before: bool) -> None:
    """Around the example messages, else where they would be: just before the history."""
    examples = places.with_role([EXAMPLES])
    if examples:
        places.beside(examples[0 if before else -1]).add((order, 0, 0), draft, before=before)
    else:
        places.around(HISTORY).add((100, 1 if before else 2, order), draft, before=True)


def _beside_first_message(draft: Draft, places: Places, order: float, *, before: bool) -> None:
    if before:
        places.around(HISTORY).add((100, 1, order), draft, before=True)
    else:
        places.point_at(max(0, places.length - 1), (100, 1, order), draft)
