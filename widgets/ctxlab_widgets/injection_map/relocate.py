"""The run again with one preset or one entry of lore elsewhere."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ctxlab.api import rebuild
from ctxlab.display.short_texts import nearest
from ctxlab.documents import Worldbook
from ctxlab.documents.agent.place_preset import placed
from ctxlab.documents.lore import POSITIONS
from ctxlab.engines.worldbook.explain import decisions
from ctxlab.errors import Refused
from ctxlab.pipeline import Trace
from ctxlab.processors.injection.depth import parse_depths
from ctxlab.processors.injection.presets import Preset, presets_of
from ctxlab.processors.injection.read_preset_placement import anchor_id
from ctxlab.studies.landings import anchors_of

Depth = float | str
MOST = 10**9
"""Further than any history reaches; whole numbers beyond 10^308 are no floats any more."""


def relocated(
    trace: Trace,
    key: str,
    *,
    depth: Depth | None = None,
    order: float | None = None,
    anchor: str | None = None,
    position: str | None = None,
) -> Trace:
    """The run with this definition elsewhere; raises Refused for what is no key, no place, or can't be moved."""
    key = key.partition("@")[0] if key.startswith("preset:") else key
    if all(each is None for each in (depth, order, anchor, position)):
        raise Refused("say where to: a depth, an order, an anchor or a position")
    if any(isinstance(number, int | float) and abs(number) > MOST for number in (depth, order)):
        raise Refused(f"a depth or an order is at most {MOST:,}")
    preset = next((each for each in presets_of(trace.start.input) if each.key == key), None)
    if preset is not None:
        return _with_preset(trace, preset, depth=depth, order=order, anchor=anchor, position=position)
    entries = {one.key for one in decisions(trace.result)}
    if key not in entries:
        known = [*(each.key for each in presets_of(trace.start.input)), *sorted(entries)]
        raise Refused(f"nothing is defined under {key!r}{nearest(key, known)}")
    if anchor:
        raise Refused(f"lore goes to a position, not to an anchor; there are: {', '.join(POSITIONS)}")
    return _with_entry(trace, key, _entry_fields(depth, order, position))


def _with_preset(trace: Trace, preset: Preset, **place: Any) -> Trace:
    build_input = trace.start.input
    marks = anchor_id(preset.node)
    if marks is not None:
        raise Refused(f"{preset.place} marks the place of {marks}: move it in the agent's list of presets")
    _check(trace, place["depth"], place["anchor"])
    if preset.level == "agent" and build_input.agent is not None:
        return rebuild(trace, agent=build_input.agent.place_preset(preset.index, **place))
    if preset.level == "user" and build_input.user is not None:
        return rebuild(trace, user=build_input.user.place_preset(preset.index, **place))
    presets = list(build_input.presets)
    presets[preset.index] = placed(preset.node, **place)
    return rebuild(trace, presets=presets)


def _check(trace: Trace, depth: Depth | None, anchor: str | None) -> None:
    if isinstance(depth, str):
        found = parse_depths(depth, length=0)
        if found.doubtful or not depth.strip():
            raise Refused(f"depth can't be {depth!r}: it is a number such as 4, or several such as 3, 10~5")
    known = anchors_of(trace.start.input)
    if anchor and anchor not in known:
        raise Refused(f"anchor {anchor!r} is not known{nearest(anchor, known)}")


def _entry_fields(depth: Depth | None, order: float | None, position: str | None) -> dict[str, Any]:
    """Fields of an entry; one that is given a depth goes there."""
    if position is None and depth is not None:
        position = "at_depth"
    fields: dict[str, Any] = {}
    if position is not None:
        if position not in POSITIONS:
            raise Refused(f"position can't be {position!r}{nearest(position, POSITIONS)}")
        fields["position"] = POSITIONS.index(position)
    if depth is not None:
        if isinstance(depth, str | bool) or not math.isfinite(depth) or depth < 0 or depth != int(depth):
            raise Refused(f"depth of lore can't be {depth!r}: it is a whole number, 0 is after the newest message")
        fields["depth"] = int(depth)
    if order is not None:
        if isinstance(order, bool) or not math.isfinite(order):
            raise Refused(f"order can't be {order!r}: it is a number, smaller ones stand first")
        fields["order"] = order
    return fields


def _with_entry(trace: Trace, key: str, fields: dict[str, Any]) -> Trace:
    books = trace.start.input.books
    book = books_by_key(books).get(key)
    if book is None:
        raise Refused(f"{key!r} names several entries: give them other uids to move one of them")
    changed = book.with_entry(key, **fields)
    return rebuild(trace, books=[changed if each is book else each for each in books])


def books_by_key(books: Sequence[Worldbook]) -> dict[str, Worldbook]:
    """The book of every entry that can be told from all others, by the entry's key in a scan."""
    found: dict[str, list[Worldbook]] = {}
    for book in books:
        for entry in book.entries.values():
            found.setdefault(f"lore:{book.book_id or book.shown_name}/{entry.uid}", []).append(book)
    return {key: held[0] for key, held in found.items() if len(held) == 1}
