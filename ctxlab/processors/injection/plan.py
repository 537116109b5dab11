"""The plan of an injection: the order of the presets, drafts around them, and points inside the history."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field

from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.processors.injection.depth import index_at_depth
from ctxlab.processors.injection.one_message import Seat
from ctxlab.processors.injection.presets import Preset
from ctxlab.processors.injection.read_preset_placement import anchor_id, role_in_prompt

Rank = tuple[float, ...]
"""Sort key of messages at one place, smaller first: the order of the place, a side of it, the order on that side."""


@dataclass(slots=True)
class Around:
    """Drafts before and after something."""

    before: list[tuple[Rank, Draft]] = field(default_factory=list[tuple[Rank, Draft]])
    after: list[tuple[Rank, Draft]] = field(default_factory=list[tuple[Rank, Draft]])

    def add(self, rank: Rank, draft: Draft, *, before: bool) -> None:
        (self.before if before else self.after).append((rank, draft))

    def drafts(self, *, before: bool) -> list[Draft]:
        side = self.before if before else self.after
        return [draft for _, draft in sorted(side, key=lambda pair: pair[0])]


@dataclass(frozen=True, slots=True)
class Point:
    """A message and its place in the history as it was; deeper ones first, then by rank."""

    index: int
    depth: float
    rank: Rank
    draft: Draft


@dataclass(slots=True)
class Places:
    """Filled while presets and lore are sorted in; `length` is the number of messages of the history."""

    length: int
    skeleton: list[Preset] = field(default_factory=list[Preset])
    points: list[Point] = field(default_factory=list[Point])
    anchors: dict[str, Around] = field(default_factory=dict[str, Around])
    presets: dict[str, Around] = field(default_factory=dict[str, Around])
    off: set[str] = field(default_factory=set[str])  # anchors whose placeholder is switched off
    note: Preset | None = None
    beside_note: Around | None = None  # what the note stands beside, where it isn't an anchor's placeholder
    note_is_off: str = ""  # why the author's note, and lore around it, aren't sent
    before_history: list[Draft] = field(default_factory=list[Draft])  # of anchors that have no placeholder
    history_is_off: bool = False
    silent: set[str] = field(default_factory=set[str])  # presets of the skeleton that only mark a place
    seats: dict[str, Seat] = field(default_factory=dict[str, Seat])  # by key of a draft: the message it is part of
    outlets: dict[str, list[tuple[Rank, Draft]]] = field(default_factory=dict[str, list[tuple[Rank, Draft]]])

    def around(self, anchor: str) -> Around:
        return self.anchors.setdefault(anchor, Around())

    def beside(self, preset: Preset) -> Around:
        return self.presets.setdefault(preset.key, Around())

    def point_at(self, depth: float, rank: Rank, draft: Draft) -> None:
        self.points.append(Point(index_at_depth(depth, length=self.length), depth, rank, draft))

    def has_placeholder(self, anchor: str) -> bool:
        return any(anchor_id(preset.node) == anchor for preset in self.skeleton)

    def with_role(self, roles: Iterable[str]) -> list[Preset]:
        """Presets of the skeleton that are one of these in SillyTavern's prompt."""
        wanted = set(roles)
        return [preset for preset in self.skeleton if role_in_prompt(preset.node) in wanted]

    def preset_with_role(self, role: str) -> Preset | None:
        """The first preset of the skeleton that is this in SillyTavern's prompt."""
        return next(iter(self.with_role([role])), None)

    def in_order(self) -> list[Point]:
        return sorted(self.points, key=lambda point: (point.index, -point.depth, point.rank))
