"""Lore that fired, as messages, and where each of them belongs."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from ctxlab.context import Cause, Context, Draft, Origin, Placement, Text
from ctxlab.documents import Role
from ctxlab.engines.worldbook import Decision, LoreScan
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors.injection.in_chat import TURNS, USUAL_ORDER, seat_at_depth
from ctxlab.processors.injection.one_message import Seat, Section
from ctxlab.processors.injection.plan import Places, Point, Rank
from ctxlab.processors.injection.read_preset_placement import (
    CHARACTER,
    EXAMPLES,
    HISTORY,
    LORE_AFTER,
    LORE_BEFORE,
    anchor_id,
    requested_placement,
)
from ctxlab.processors.injection.settings import InjectionSettings, Reading
from ctxlab.processors.worldbook_processor import ID as STEP

AROUND_NOTE = "the author's note"
"""The message of a note outside the history, with the lore around it."""
LORE = "lore"
"""The kind of origin of an entry's words."""

_MARKERS = {
    "before_char": LORE_BEFORE,
    "after_char": LORE_AFTER,
    "before_em": EXAMPLES,
    "after_em": EXAMPLES,
}


@dataclass(frozen=True, slots=True)
class LoreDraft:
    """An entry that fired: its message, the name of its place, and what decides between neighbours."""

    draft: Draft
    place: str
    depth: float
    order: float
    outlet: str
    dialect: str | None
    number: int = 0
    """Its place among those that fired, the first one of all has the largest."""


def lore_of(ctx: Context, reading: Reading) -> list[LoreDraft]:
    """Entries that fired, in the order that counts where orders are equal: in SillyTavern the last one is first."""
    scan = ctx.report(LoreScan)
    if scan is None:
        return []
    sends_blanks = reading == "sillytavern-1.19"
    texts = [(decision, _text_of(decision, scan)) for decision in scan.fired]
    sent = [(decision, text) for decision, text in texts if (str(text) if sends_blanks else str(text).strip())]
    if reading == "reference":
        return [_lore(decision, text, reading, 0) for decision, text in sent]
    return [_lore(decision, text, reading, number) for number, (decision, text) in enumerate(reversed(sent))]


def _text_of(decision: Decision, scan: LoreScan) -> Text:
    """The content of an entry that fired, or what rules made of it."""
    rewritten = scan.texts.get(decision.key)
    if rewritten is not None:
        return rewritten
    origin = Origin(LORE, decision.key.partition(":")[2])
    return Text.of(decision.lore.content, origin, Cause(STEP, decision.title, decision.reason, quotes=True))


def _lore(decision: Decision, text: Text, reading: Reading, number: int) -> LoreDraft:
    lore, entry = decision.lore, decision.lore.entry
    place = entry.position_name or "unknown"
    origin = Origin(LORE, decision.key.partition(":")[2])
    has_role = place == "at_depth" or reading == "reference"  # elsewhere it is a part of SillyTavern's system prompt
    role: Role = entry.role_name if has_role else "system"
    placement = placement_of(place, entry.depth, entry.outlet_name)
    draft = Draft(decision.key, role, (text,), origin, pinned=True, placement=placement)
    return LoreDraft(draft, place, entry.depth, entry.order, entry.outlet_name, lore.book.macro_dialect, number)


def placement_of(place: str, depth: float, outlet: str) -> Placement:
    """The place that an entry asks for, by the name of its position."""
    if place == "at_depth":
        return Placement("lore", depth=depth)
    if place == "outlet":
        return Placement("outlet", anchor=outlet)
    side, _, anchor = place.partition("_")
    return Placement("lore", anchor=anchor or None, before=side == "before")


def order_of(lore: LoreDraft, reading: Reading) -> float:
    """Sort key of entries at one place, smaller first: their order, so that the strongest is nearest the end.

    The reference turns it round wherever an entry goes before something.
    """
    if reading != "reference":
        return lore.order
    ascending = lore.place in ("after_char", "after_an", "after_em") or (lore.place == "at_depth" and lore.depth <= 0)
    return lore.order if ascending else -lore.order


def marker_off(lore: LoreDraft, places: Places) -> str | None:
    """The marker of its place, where presets have it switched off: then SillyTavern sends none of the lore there."""
    marker = _MARKERS.get(lore.place)
    off = marker is not None and marker in places.off and not places.with_role([marker])
    return marker if off else None


def place_lore(lore: LoreDraft, places: Places, settings: InjectionSettings) -> None:
    """Sort an entry in where its author wanted it, after all presets are sorted in."""
    reading = settings.lore_places
    order = order_of(lore, reading)
    before = lore.place in ("before_char", "before_an", "before_em", "unknown")
    if lore.place == "outlet":
        places.outlets.setdefault(lore.outlet, []).append((_strongest_first(lore, order, reading), lore.draft))
    elif lore.place == "at_depth":
        _at_depth(lore, places, order, settings)
    elif lore.place in ("before_char", "after_char"):
        if settings.one_message:
            places.seats[lore.draft.key] = Seat(f"{lore.draft.placement}")
        _beside_character(lore.draft, places, order, before=before)
    elif reading == "reference":
        _beside_first_message(lore.draft, places, order, before=before)
    elif lore.place in ("before_an", "after_an"):
        _beside_note(lore.draft, places, order, before=before, settings=settings)
    else:
        rank = _strongest_first(lore, order, reading) if before else (order, 0, 0)
        _beside_examples(lore.draft, places, rank, before=before)


def _strongest_first(lore: LoreDraft, order: float, reading: Reading) -> Rank:
    """The rank where SillyTavern 1.19 puts the highest order first, and of equal ones the first that fired."""
    return (-order, -lore.number) if reading == "sillytavern-1.19" else (order, 0, 0)


def _at_depth(lore: LoreDraft, places: Places, order: float, settings: InjectionSettings) -> None:
    if settings.one_message:
        rank, places.seats[lore.draft.key] = seat_at_depth(lore.depth, order, lore.draft.role, Section.LORE)
        places.point_at(lore.depth, (*rank, order), lore.draft)
        return
    rank = (order, 0, 0) if settings.lore_places == "reference" else _rank_at_depth(lore, places)
    places.point_at(lore.depth, rank, lore.draft)


def _rank_at_depth(lore: LoreDraft, places: Places) -> Rank:
    """After the presets of its depth and order whose turn comes before its own or with it, before the others.

    The sides are farther out than those of lore around an author's note, which is one with the note.
    """
    turn = TURNS[lore.draft.role]
    presets = takewhile(lambda point: point.draft.origin.kind != LORE, places.points)
    earlier = [
        point.rank[0]
        for point in presets
        if point.depth == lore.depth and _shares_order(point, lore) and TURNS[point.draft.role] <= turn
    ]
    is_after = earlier or lore.draft.role == "system"
    # Presets have side 0 and lore around an author's note -1 and 1. Turns are 0 to 2, so that 2 to 4 are beyond 1 and
    # -4 to -2 are beyond -1, each in the order of the turns.
    return (max(earlier, default=lore.order), turn + 2 if is_after else turn - 4, 0)


def _shares_order(point: Point, lore: LoreDraft) -> bool:
    """Orders of mixed roles: presets from SillyTavern get a quarter on their order for each turn."""
    # The reader of chat completion presets adds a quarter per turn, which keeps three roles below the next whole order.
    return point.rank[0] - lore.order in (0, TURNS[point.draft.role] / 4)


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


def _beside_note(draft: Draft, places: Places, order: float, *, before: bool, settings: InjectionSettings) -> None:
    """Around the author's note, wherever it is; where there is none, at the depth where it would be."""
    side = -1 if before else 1
    note = places.note
    place = requested_placement(note.node) if note is not None else None
    own = note and next((point for point in places.points if point.draft.key.partition("@")[0] == note.key), None)
    in_chat = place is None or place.kind not in ("anchor", "skeleton")
    depth = own.depth if own else settings.note_depth
    if note is not None and settings.one_message:
        draft = replace(draft, role=note.node.role)
    if settings.one_message:
        section = Section.ABOVE_NOTE if before else Section.BELOW_NOTE
        rank, seat = seat_at_depth(depth, USUAL_ORDER, draft.role, section)
        places.seats[draft.key] = seat if in_chat else Seat(AROUND_NOTE, section)
        if in_chat:
            places.point_at(depth, (*rank, order), draft)
            return
    if note is None or place is None:
        places.point_at(depth, (100, side, order), draft)
    elif place.kind == "anchor":
        around = places.beside_note or places.around(place.anchor)
        around.add((place.order, side, order), draft, before=place.before)
    elif place.kind == "skeleton":
        places.beside(note).add((order, 0, 0), draft, before=before)
    else:
        places.point_at(depth, (place.order, side, order), draft)


def _beside_examples(draft: Draft, places: Places, rank: Rank, *, before: bool) -> None:
    """Around the example messages, else where they would be: just before the history."""
    examples = places.with_role([EXAMPLES])
    if examples:
        places.beside(examples[0 if before else -1]).add(rank, draft, before=before)
    else:
        places.around(HISTORY).add((100, 1 if before else 2, *rank), draft, before=True)


def _beside_first_message(draft: Draft, places: Places, order: float, *, before: bool) -> None:
    if before:
        places.around(HISTORY).add((100, 1, order), draft, before=True)
    else:
        places.point_at(max(0, places.length - 1), (100, 1, order), draft)
