"""Landings of presets and other injections in the history as it was, compared with their placement."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from ctxlab.context import BuildInput, Context, Draft, Part, Placement
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import nearest
from ctxlab.display.source_styles import OF_PART
from ctxlab.documents import MessageNode
from ctxlab.engines.worldbook.explain import LORE, decisions
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Step, Trace
from ctxlab.processors.injection.place_lore import placement_of
from ctxlab.processors.injection.presets import presets_of, verdict_on
from ctxlab.processors.injection.read_preset_placement import HISTORY as HISTORY_ANCHOR
from ctxlab.processors.injection.read_preset_placement import anchor_id, requested_placement
from ctxlab.prompt.built_message import source_of
from ctxlab.studies.message_outcomes import before_cutting

LandingOutcome = Literal["landed", "elsewhere", "warned", "not sent"]
HISTORY = ("node", "pending", "summary")
INJECTED = ("preset", "lore")
ASSEMBLER = "injection-assembler"


@dataclass(frozen=True, slots=True, eq=False)
class Landing:
    """One message among those that are sent; `below` are the messages of the history after it, its depth.

    `moved` says which later step put it elsewhere, `joined` which one joined it with others; empty when none did.
    """

    draft: Draft
    position: int
    below: int
    later_cut: bool
    moved: str = ""
    joined: str = ""

    @property
    def is_history(self) -> bool:
        return self.draft.origin.kind in HISTORY

    @property
    def look(self) -> str:
        """The source whose colour and sign it has; messages of the history have those of their roles."""
        return OF_PART[source_of(self.draft)]


Placed = tuple[Landing, Part]
"""A message, and the part of it that an injection is; a message of one injection has itself as its only part."""


@dataclass(frozen=True, slots=True, eq=False)
class Injection:
    """A preset, or something else that was put around and into the history, and all the places where it landed.

    `asked` is the place that it asked for; `sentence` says what a person should know, empty when all is as asked.
    `missing` are the depths that it asked for and that the history doesn't have. `key` is that of its preset or entry.
    """

    name: str
    look: str
    requested: str
    outcome: LandingOutcome
    landings: tuple[Landing, ...] = ()
    sentence: str = ""
    key: str = ""
    missing: tuple[float, ...] = ()

    def __repr__(self) -> str:
        return f"Injection({self.name!r}, {self.requested}, {self.outcome})"


@dataclass(frozen=True, slots=True, eq=False)
class Landings:
    """All messages in order before anything was cut or joined, and the injections among them."""

    rows: tuple[Landing, ...]
    injections: tuple[Injection, ...]
    history: int


def landings(trace: Trace) -> Landings:
    """The landings before cutting. Depths count the history as it was, 0 after its newest message."""
    before = before_cutting(trace)
    drafts, later = before.drafts, _Later(trace, before)
    sent = {part.key for draft in trace.result.drafts for part in draft.parts}
    history = below = sum(draft.origin.kind in HISTORY for draft in drafts)
    rows: list[Landing] = []
    for position, draft in enumerate(drafts):
        below -= draft.origin.kind in HISTORY
        moved, joined = later.moved.get(draft.key, ""), later.joined.get(draft.key, "")
        rows.append(Landing(draft, position, below, draft.key not in sent, moved, joined))
    return Landings(tuple(rows), tuple(_injections(trace, rows, history)), history)


class _Later:
    """Moves and joins of the steps after `before`, by key of the message."""

    def __init__(self, trace: Trace, before: Context) -> None:
        self.moved: dict[str, str] = {}
        self.joined: dict[str, str] = {}
        begun = False
        for step in trace.steps:
            begun = begun or step.before is before
            if begun and step.after.drafts is not step.before.drafts:
                self._look_at(step)

    def _look_at(self, step: Step) -> None:
        holders = {part.key: draft.key for draft in step.before.drafts for part in draft.parts}
        for draft in step.after.drafts:
            if len({holders.get(part.key) for part in draft.merged}) > 1:  # else it was one message before
                for part in draft.merged:
                    self.joined.setdefault(part.key, step.id)
        was, now = (
            {part.key for draft in context.drafts for part in draft.parts} for context in (step.before, step.after)
        )
        before, after = (_depths(context.drafts, was & now) for context in (step.before, step.after))
        for key, depth in before.items():
            if key in after and after[key] != depth:
                self.moved[key] = f"moved by {step.id} from depth {depth:,} to {after[key]:,}"


def _depths(drafts: Sequence[Draft], counted: Container[str]) -> dict[str, int]:
    """The messages of the history below each other message, of those that count."""
    depths: dict[str, int] = {}
    below = 0
    for part in reversed([part for draft in drafts for part in draft.parts]):
        if part.origin.kind not in HISTORY:
            depths[part.key] = below
        elif part.key in counted:
            below += 1
    return depths


def anchors_of(build_input: BuildInput) -> tuple[str, ...]:
    """The anchors that presets can name: those that have a placeholder in force, and the history."""
    there = [
        anchor_id(preset.node)
        for preset in presets_of(build_input)
        if preset.node.type and verdict_on(preset, build_input).refusal is None
    ]
    return tuple(dict.fromkeys([HISTORY_ANCHOR, *(name for name in there if name)]))


def _injections(trace: Trace, rows: Sequence[Landing], history: int) -> Iterator[Injection]:
    """Injections in the order of their presets, unsent ones included, then all others as they are in the messages."""
    groups: dict[str, list[Placed]] = {}
    for row in rows:
        for part in () if row.is_history else row.draft.parts:
            groups.setdefault(_group(part), []).append((row, part))
    warnings = _warnings(trace)
    warnings |= _lost(trace, warnings)
    left_out = {
        _group(draft): group.cause.reason or str(group.cause)
        for group in trace.result.dropped
        for draft in group.drafts
        if draft.origin.kind in INJECTED and _group(draft) not in groups
    }
    asked = dict(_asked(trace)) if any(row.draft.merged for row in rows) else {}
    for preset in presets_of(trace.start.input):
        key, name = preset.key, _name(preset.node, preset.key)
        if key in groups:
            yield _landed(key, name, groups.pop(key), history, warnings.get(key, ""), asked)
        elif key in left_out:
            yield Injection(name, "preset", "", "not sent", sentence=left_out.pop(key), key=key)
    titles = {one.key: one.title for one in decisions(trace.result)}
    for key, placed in groups.items():
        name = titles.get(key) or plain(str(placed[0][0].draft.text), 40) or key
        yield _landed(key, name, placed, history, warnings.get(key, ""), asked)
    yield from _in_outlets(titles, rows, {*groups, *left_out})
    for key in [key for key in left_out if key in titles]:
        yield Injection(titles[key], "lore", "", "not sent", sentence=left_out[key], key=key)


def _in_outlets(
    titles: Mapping[str, str], rows: Sequence[Landing], shown_elsewhere: Container[str]
) -> Iterator[Injection]:
    """Injections of lore whose text is inside other messages, because these show its outlet."""
    holders: dict[str, list[Landing]] = {}
    for row in rows if titles else ():
        for origin in row.draft.text.origins():
            if origin.kind == LORE:
                holders.setdefault(f"{LORE}:{origin.ref}", []).append(row)
    for key, title in titles.items():
        if key in holders and key not in shown_elsewhere:
            yield Injection(title or key, LORE, "in its outlet", "landed", tuple(holders[key]), key=key)


def _group(draft: Draft | Part) -> str:
    """The key of an injection: one preset can land at several depths, as `preset:11@4` and `preset:11@8`."""
    return draft.key.partition("@")[0] if draft.origin.kind == "preset" else draft.key


def _name(node: MessageNode, key: str) -> str:
    return plain(node.name or node.content, 40) or key


def _warnings(trace: Trace) -> dict[str, str]:
    """Warnings of the assembler by the key of the preset or the entry."""
    return {
        str(note.details["key"]).partition("@")[0]: note.text
        for note in trace.result.notes
        if note.processor == ASSEMBLER and note.level == "warning" and "key" in note.details
    }


def _lost(trace: Trace, warnings: Mapping[str, str]) -> dict[str, str]:
    """Warnings of presets that name no known anchor, with the nearest of those that are."""
    build_input = trace.start.input
    known = anchors_of(build_input)
    found: dict[str, str] = {}
    for preset in presets_of(build_input):
        place = requested_placement(preset.node) if preset.key in warnings else None
        if place is not None and place.kind == "anchor" and place.anchor not in known:
            found[preset.key] = warnings[preset.key] + nearest(place.anchor, known)
    return found


def _asked(trace: Trace) -> Iterator[tuple[str, Placement]]:
    """The places that presets and entries ask for, by key; a message of several keeps only that of its first part."""
    for preset in presets_of(trace.start.input):
        place = requested_placement(preset.node)
        if place is not None and place.kind == "depth":
            yield preset.key, Placement("depth", depth=place.depth)
        elif place is not None and place.kind == "anchor":
            yield preset.key, Placement("anchor", anchor=place.anchor, before=place.before)
    for one in decisions(trace.result):
        entry = one.lore.entry
        yield one.key, placement_of(entry.position_name or "", entry.depth, entry.outlet_name or "")


def _landed(
    key: str, name: str, placed: Sequence[Placed], history: int, warning: str, asked: Mapping[str, Placement]
) -> Injection:
    landings, part = tuple(row for row, _ in placed), placed[0][1]
    places = [asked.get(key) if row.draft.merged else row.draft.placement for row in landings]
    requested = _requested(places, part.origin.kind)
    look = OF_PART[source_of(replace(landings[0].draft, origin=part.origin))]
    missing = tuple(depth for depth in _requested_depths(places) if depth > history)
    outcome, sentence = "landed", ""
    if warning:
        outcome, sentence = "warned", warning
    elif missing:
        outcome = "elsewhere"
        sentence = f"asked {requested}, landed at {landings[0].below}: the history has {history} messages"
    return Injection(name, look, requested, outcome, landings, sentence, key, missing)


def _requested(places: Sequence[Placement | None], kind: str) -> str:
    """The place that a message asked for, in words; `kind` of origin where it asked for none."""
    depths = [f"{depth:g}" for depth in _requested_depths(places)]
    if len(depths) > 1:
        shown = ", ".join(depths[:5])
        return f"depths {shown}" if len(depths) <= 5 else f"{len(depths)} depths, {depths[0]} to {depths[-1]}"
    first = places[0]
    if first is None:
        return kind
    return str(first) or ("in its place" if first.kind == "skeleton" else first.kind)


def _requested_depths(places: Iterable[Placement | None]) -> list[float]:
    return [place.depth for place in places if place is not None and place.depth is not None]
