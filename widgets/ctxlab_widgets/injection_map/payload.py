"""The injection map as the page gets it: definitions, messages, and the fields of a placement that can be changed."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from ctxlab.context import Draft
from ctxlab.context.file_words import name_of
from ctxlab.display.one_line import plain
from ctxlab.documents.lore import POSITIONS
from ctxlab.engines.worldbook import Decision
from ctxlab.engines.worldbook.explain import LORE, decisions
from ctxlab.pipeline import Trace
from ctxlab.processors.injection.presets import Preset, presets_of
from ctxlab.processors.injection.read_preset_placement import RequestedPlacement, anchor_id, requested_placement
from ctxlab.studies import Injection, Landing, landings
from ctxlab.studies.landings import ASSEMBLER, anchors_of
from ctxlab.studies.sent_files import sent_files
from ctxlab_widgets.injection_map.map_summary import map_summary
from ctxlab_widgets.injection_map.place_words import anchor_names, depths_words, position_words
from ctxlab_widgets.injection_map.relocate import books_by_key

GROUPS = {
    "presets": "Presets, in order",
    "depth": "At a depth",
    "anchor": "At an anchor",
    "lore": "Lore",
    "steps": "From steps",
}
ID_SHOWN = 8
"""Ids of the history that are longer say nothing to a person."""
NAME, WORDS = 60, 140
MOST_FILES = 8


def map_payload(trace: Trace) -> dict[str, Any]:
    """The map as JSON data: groups of definitions, rows in their order, anchors that a preset can name."""
    placed = landings(trace)
    build_input = trace.start.input
    presets = {preset.key: preset for preset in presets_of(build_input)}
    movable, anchors = books_by_key(build_input.books), list(anchors_of(build_input))
    lore = {one.key: one for one in decisions(trace.result)}
    names = {each.key: each.name for each in placed.injections}
    files: dict[str, list[str]] = {}
    for file in sent_files(trace):
        files.setdefault(file.key, []).append(f"{file.shown_name}, {file.about}: {file.sent}")
    called = anchor_names(build_input)
    groups: dict[str, list[dict[str, Any]]] = {name: [] for name in GROUPS}
    for each in placed.injections:
        definition = _definition(each)
        if each.key in presets:
            preset = presets[each.key]
            place = requested_placement(preset.node)
            group, more = _of_preset(preset, place, called)
            if (
                each.outcome == "warned"
                and place is not None
                and place.kind == "anchor"
                and place.anchor not in anchors
            ):
                more["outcome"] = "unknown anchor"
        elif each.key in lore:
            group, more = "lore", _of_lore(lore[each.key], movable)
        else:
            group, more = "steps", {"ask": each.requested, "fixed": "A step of the pipeline puts it there."}
        groups[group].append({**definition, "files": files.get(each.key, [])[:MOST_FILES], **more})
    groups["lore"] += [_not_fired(one, movable) for one in lore.values() if not one.fired and one.key not in names]
    for name in ("depth", "anchor", "lore"):
        groups[name].sort(key=_where)
    unplaced = _unplaced(trace)
    return {
        "answer": [(unplaced, "")] if unplaced else map_summary(groups),
        "unplaced": unplaced,
        "history": placed.history,
        "sent": len(trace.result.drafts),
        "groups": [{"name": GROUPS[name], "definitions": group} for name, group in groups.items() if group],
        "rows": [_row(row, names) for row in placed.rows],
        "anchors": [[name, called.get(name, name)] for name in anchors],
        "positions": [[name, position_words(name)] for name in POSITIONS],
    }


def _unplaced(trace: Trace) -> str:
    """Why nothing was placed in a run whose step for it did not do its work; empty where it did, or there is none."""
    step = next((step for step in trace.steps if step.id == ASSEMBLER), None)
    if step is None:
        stops = any(stage.processor.id == ASSEMBLER for stage in trace.pipeline.running())
        return f"This run stopped before {ASSEMBLER}: nothing is placed yet." if stops else ""
    if step.failure is not None:
        return f"Nothing is placed, {ASSEMBLER} failed: {step.error}"
    return f"Nothing is placed: {ASSEMBLER} was passed over." if step.skipped else ""


def _definition(each: Injection) -> dict[str, Any]:
    moved = list(dict.fromkeys(landing.moved for landing in each.landings if landing.moved))
    why = [each.sentence.replace(f"{each.key} ", "it "), *moved]
    return {
        "key": each.key,
        "name": each.name,
        "look": each.look,
        "outcome": "moved" if moved and each.outcome == "landed" else each.outcome,
        "why": "; ".join(words for words in why if words),
        "landings": [landing.position for landing in each.landings],
        "missing": list(dict.fromkeys(each.missing)),
        "files": [],
        "fixed": "",
        "isInPlace": False,
        "place": None,
    }


def _where(definition: Mapping[str, Any]) -> tuple[bool, int]:
    """As they stand at the right, so that few wires cross; what has no wire last."""
    landings = definition["landings"]
    return (not landings, landings[0] if landings else 0)


def _of_preset(
    preset: Preset, place: RequestedPlacement | None, called: Mapping[str, str]
) -> tuple[str, dict[str, Any]]:
    marks = anchor_id(preset.node)
    if marks is not None:
        name = plain(called.get(marks, marks), 40)
        fixed = f"It marks the place of {name}: where it is listed among the presets is where it stands."
        return "presets", {"ask": "in its place", "isInPlace": True, "fixed": fixed}
    strategy = preset.node.injection_strategy
    depths = strategy.depth_config or "" if strategy is not None else ""
    ask, fields = _place_fields(place, depths, called)
    group = {"skeleton": "presets", "anchor": "anchor"}.get(place.kind, "depth") if place is not None else "depth"
    level = {"global": "everyone's, ", "user": "the user's, "}.get(preset.level, "")
    in_place = place is not None and place.kind == "skeleton"
    return group, {"ask": plain(level + ask, NAME), "isInPlace": in_place, "place": {"kind": "preset", **fields}}


def _place_fields(
    place: RequestedPlacement | None, depths: str, called: Mapping[str, str]
) -> tuple[str, dict[str, str]]:
    """The place that a preset asks for, in words and as the values of the fields that change it."""
    bare = {"depth": "", "order": "", "anchor": "", "position": "after"}
    if place is None:
        return "a depth, not said which", bare
    ordered = {**bare, "order": f"{place.order:g}"}
    if place.kind == "depth":
        return f"depth {place.depth:g}, order {place.order:g}", {**ordered, "depth": f"{place.depth:g}"}
    if place.kind == "depths":
        return f"{depths_words(depths)}, order {place.order:g}", {**ordered, "depth": depths}
    if place.kind == "anchor":
        side = "before" if place.before else "after"
        fields = {**ordered, "anchor": place.anchor, "position": side}
        return f"{side} {called.get(place.anchor, place.anchor)}, order {place.order:g}", fields
    return (f"insertion point {place.point}" if place.kind == "point" else "in its place"), bare


def _of_lore(decision: Decision, movable: Container[str]) -> dict[str, Any]:
    entry = decision.lore.entry
    place = entry.position_name or "unknown"
    depth, order = f"{entry.depth:g}", f"{entry.order:g}"
    where = {"at_depth": f"depth {depth}", "outlet": f"outlet {entry.outlet_name}"}.get(place, position_words(place))
    definition = {"ask": plain(f"{where}, order {order}", NAME)}
    if decision.key in movable:
        return {**definition, "place": {"kind": "lore", "position": place, "depth": depth, "order": order}}
    return {**definition, "fixed": "Several entries have its uid: give them others to move one of them."}


def _not_fired(decision: Decision, movable: Container[str]) -> dict[str, Any]:
    title = plain(decision.title, 40) or decision.key
    entry = Injection(title, LORE, "", "not sent", sentence=decision.reason, key=decision.key)
    return {**_definition(entry), "outcome": "not fired", **_of_lore(decision, movable)}


def _row(row: Landing, names: Mapping[str, str]) -> dict[str, Any]:
    draft = row.draft
    return {
        "key": draft.key,
        "look": "summary" if draft.origin.kind == "summary" else "" if row.is_history else row.look,
        "role": draft.role,
        "history": row.is_history,
        "id": _id_of(draft) if row.is_history else "",
        "text": _text_of(row, names),
        "parts": [part.key for part in draft.parts] if draft.merged else [],
        "below": row.below,
        "atDepth": _is_at_depth(draft),
        "cut": row.later_cut,
        "joined": row.joined,
    }


def _text_of(row: Landing, names: Mapping[str, str]) -> str:
    """The words of a message of the history; of another the name of what was put there, or of each of its parts."""
    keys = [part.key for part in row.draft.parts] if not row.is_history else []
    called = [names.get(key.partition("@")[0]) or names.get(key) for key in keys]
    return ", ".join(name or key for name, key in zip(called, keys, strict=True)) if any(called) else _words(row.draft)


def _id_of(draft: Draft) -> str:
    if draft.origin.kind == "pending":
        return "pending"
    return draft.origin.ref if len(draft.origin.ref) <= ID_SHOWN else ""


def _words(draft: Draft) -> str:
    words = plain(str(draft.text), WORDS)
    beside = [*(call.name for call in draft.calls), *(name_of(asset) for asset in draft.assets)]
    return words or ", ".join(beside) or "without words"


def _is_at_depth(draft: Draft) -> bool:
    return draft.placement is not None and draft.placement.is_in_history
