"""Where every preset and every injection landed in the history as it was, and whether it asked for that place."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ctxlab.context import Draft
from ctxlab.documents import MessageNode
from ctxlab.pipeline import Trace
from ctxlab.pipeline.spending import source_of
from ctxlab.processors.lore_placing import LORE
from ctxlab.processors.presets import presets_of
from ctxlab.studies.fates import before_cutting
from ctxlab.theme import plain

Fate = Literal["landed", "elsewhere", "warned", "not sent"]
HISTORY = ("node", "pending", "summary")
INJECTED = ("preset", "lore")
ASSEMBLER = "injection-assembler"
LOOKS: dict[str, str] = {
    "system": "preset",
    "presets": "preset",
    "profile": "profile",
    "lore": "lore",
    "knowledge": "knowledge",
}


@dataclass(frozen=True, slots=True, eq=False)
class Landing:
    """One message among those that are sent; `below` are the messages of the history after it, its depth."""

    draft: Draft
    position: int
    below: int
    later_cut: bool

    @property
    def is_history(self) -> bool:
        return self.draft.origin.kind in HISTORY

    @property
    def look(self) -> str:
        """The source whose colour and sign it has; messages of the history have those of their roles."""
        return LOOKS.get(source_of(self.draft), "overhead")


@dataclass(frozen=True, slots=True, eq=False)
class Injection:
    """A preset, or something else that was put around and into the history, and all the places where it landed.

    `asked` is the place that it asked for; `sentence` says what a person should know, empty when all is as asked.
    """

    name: str
    look: str
    asked: str
    fate: Fate
    landings: tuple[Landing, ...] = ()
    sentence: str = ""

    def __repr__(self) -> str:
        return f"Injection({self.name!r}, {self.asked}, {self.fate})"


@dataclass(frozen=True, slots=True, eq=False)
class Placing:
    """All messages in the order before anything was cut or joined, and what of them was injected."""

    rows: tuple[Landing, ...]
    injections: tuple[Injection, ...]
    history: int


def placing(trace: Trace) -> Placing:
    """Where everything stands before cutting. Depths count the history as it was, 0 after its newest message."""
    drafts = before_cutting(trace).drafts
    sent = {part.key for draft in trace.result.drafts for part in draft.parts}
    history = below = sum(draft.origin.kind in HISTORY for draft in drafts)
    rows: list[Landing] = []
    for position, draft in enumerate(drafts):
        below -= draft.origin.kind in HISTORY
        rows.append(Landing(draft, position, below, draft.key not in sent))
    return Placing(tuple(rows), tuple(_injections(trace, rows, history)), history)


def _injections(trace: Trace, rows: Sequence[Landing], history: int) -> Iterator[Injection]:
    """Presets in their order, those that are not sent among them; then everything else as it stands."""
    groups: dict[str, list[Landing]] = {}
    for row in rows:
        if not row.is_history:
            groups.setdefault(_group(row.draft), []).append(row)
    warnings = _warnings(trace)
    left_out = {
        _group(draft): group.cause.reason or str(group.cause)
        for group in trace.result.dropped
        for draft in group.drafts
        if draft.origin.kind in INJECTED and _group(draft) not in groups
    }
    for preset in presets_of(trace.start.request):
        key, name = preset.key, _name(preset.node, preset.key)
        if key in groups:
            yield _landed(name, groups.pop(key), history, warnings.get(key, ""))
        elif key in left_out:
            yield Injection(name, "preset", "", "not sent", sentence=left_out.pop(key))
    titles = {row["key"]: str(row["title"]) for row in trace.result.shared.get(LORE, ())}
    for key, landings in groups.items():
        name = titles.get(key) or plain(str(landings[0].draft.text), 40) or key
        yield _landed(name, landings, history, warnings.get(key, ""))
    yield from _in_outlets(titles, rows, {*groups, *left_out})
    for key in [key for key in left_out if key in titles]:
        yield Injection(titles[key], "lore", "", "not sent", sentence=left_out[key])


def _in_outlets(titles: Mapping[str, str], rows: Sequence[Landing], elsewhere: Container[str]) -> Iterator[Injection]:
    """Lore whose words stand inside other messages, wherever these show its outlet."""
    holders: dict[str, list[Landing]] = {}
    for row in rows if titles else ():
        for origin in row.draft.text.origins():
            if origin.kind == LORE:
                holders.setdefault(f"{LORE}:{origin.ref}", []).append(row)
    for key, title in titles.items():
        if key in holders and key not in elsewhere:
            yield Injection(title or key, LORE, "in its outlet", "landed", tuple(holders[key]))


def _group(draft: Draft) -> str:
    """One preset can land at several depths: `preset:11@4` and `preset:11@8` are one."""
    return draft.key.partition("@")[0] if draft.origin.kind == "preset" else draft.key


def _name(node: MessageNode, key: str) -> str:
    return plain(node.name or node.content, 40) or key


def _warnings(trace: Trace) -> dict[str, str]:
    """What the assembler warned of, by the key of the preset or the entry."""
    return {
        str(note.details["key"]).partition("@")[0]: note.text
        for note in trace.result.notes
        if note.processor == ASSEMBLER and note.level == "warning" and "key" in note.details
    }


def _landed(name: str, landings: list[Landing], history: int, warning: str) -> Injection:
    draft = landings[0].draft
    places = [str(row.draft.meta.get("placed") or "") for row in landings]
    asked = _asked(places, str(draft.meta.get("placement") or draft.origin.kind))
    look = landings[0].look
    if warning:
        return Injection(name, look, asked, "warned", tuple(landings), warning)
    depths = [_depth(place) for place in places]
    if any(depth is not None and depth > history for depth in depths):
        sentence = f"asked {asked}, landed at {landings[0].below}: the history has {history} messages"
        return Injection(name, look, asked, "elsewhere", tuple(landings), sentence)
    return Injection(name, look, asked, "landed", tuple(landings))


def _asked(places: Sequence[str], placement: str) -> str:
    depths = [place.removeprefix("depth ") for place in places if place.startswith("depth ")]
    if len(depths) > 1:
        shown = ", ".join(depths[:5])
        return f"depths {shown}" if len(depths) <= 5 else f"{len(depths)} depths, {depths[0]} to {depths[-1]}"
    return places[0] or ("in its place" if placement == "skeleton" else placement)


def _depth(place: str) -> float | None:
    head, _, number = place.partition("depth ")
    try:
        return float(number) if not head and number else None
    except ValueError:
        return None
