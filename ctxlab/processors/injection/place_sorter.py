"""Sort presets and lore into their places: skeleton, depths, points, anchors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ctxlab.context import Cause, Placement
from ctxlab.documents.agent.continued_reply import CONTINUE_NUDGE
from ctxlab.processors.injection.anchor_plugins import GROUP, plugin_anchors
from ctxlab.processors.injection.depth import index_of_insertion_point, parse_depths
from ctxlab.processors.injection.in_chat import seat_at_depth, section_of
from ctxlab.processors.injection.injection_run import ID, InjectionRun
from ctxlab.processors.injection.one_message import Seat
from ctxlab.processors.injection.place_lore import AROUND_NOTE, LoreDraft, marker_off, place_lore
from ctxlab.processors.injection.plan import Point
from ctxlab.processors.injection.preset_drafts import PresetDrafts
from ctxlab.processors.injection.presets import Preset, verdict_on
from ctxlab.processors.injection.read_preset_placement import (
    AUTHORS_NOTE,
    HISTORY,
    MAIN,
    NOTES,
    RequestedPlacement,
    anchor_id,
    placement_problems,
    requested_placement,
    role_in_prompt,
)


class PlaceSorter:
    """Fills the places of a run; with `takes_plugins` other packages may bring anchors."""

    def __init__(self, run: InjectionRun, drafts: PresetDrafts, *, takes_plugins: bool) -> None:
        self.run, self.drafts, self.takes_plugins = run, drafts, takes_plugins
        self.beside_main: list[tuple[Preset, RequestedPlacement]] = []
        self.main_off: tuple[int, Preset] | None = None  # a main prompt that is switched off, and its place

    def sort_presets(self, presets: Sequence[Preset]) -> None:
        """Sort presets in, in the order in which they come."""
        self._ask_plugins_for_anchors(presets)
        if self._goes_on_alone(presets):
            self.run.places.length -= 1
        for preset in presets:
            self._sort_in(preset)
        self._sort_in_beside_main()
        self._rehome_lost_anchors()

    def sort_lore(self, lore: Sequence[LoreDraft]) -> None:
        """Sort lore in, which comes as its places want it; entries fire in that order or in its reverse."""
        firing = lore if self.run.settings.lore_places == "reference" else lore[::-1]
        self.run.lore = {each.draft.key: number for number, each in enumerate(firing)}
        for each in lore:
            self._sort_lore_in(each)

    def _ask_plugins_for_anchors(self, presets: Sequence[Preset]) -> None:
        """Anchors of other packages, read once a preset names an unknown anchor; broken ones get a note."""
        if not self.takes_plugins or not any(name not in {*self.run.anchors, MAIN} for name in _anchors_named(presets)):
            return
        brought = plugin_anchors()
        self.run.anchors = {**brought.anchors, **self.run.anchors}
        for problem in brought.problems:
            self.run.ctx = self.run.ctx.note("warning", problem, processor=ID, group=GROUP)

    def _goes_on_alone(self, presets: Sequence[Preset]) -> bool:
        """Whether the newest message is gone on with as it is: it comes behind all, and no depth counts it."""
        if not (self.run.settings.continued_is_apart and self.run.ctx.input.turn == "continue" and self.run.ctx.drafts):
            return False
        return not any(role_in_prompt(preset.node) == CONTINUE_NUDGE for preset in presets)

    def _sort_in(self, preset: Preset) -> None:
        node = preset.node
        place = requested_placement(node)
        if not self._is_active(preset):
            # A placeholder that is switched off still marks where the history goes.
            if anchor_id(node) == HISTORY:
                self.run.places.skeleton.append(preset)
                self.run.places.history_is_off = self.run.settings.off_without_marker
            elif role_in_prompt(node) == MAIN:
                self.main_off = (len(self.run.places.skeleton), preset)
            elif anchor_id(node) is not None:
                self.run.places.off.add(str(anchor_id(node)))
            return
        for problem in placement_problems(node):
            self.run.warn(f"{preset.place}: {problem}", preset)
        if role_in_prompt(node) == AUTHORS_NOTE:
            self.run.places.note = preset
        if role_in_prompt(node) in NOTES and self.run.settings.one_message:
            self.run.places.seats[preset.key] = Seat(AROUND_NOTE, section_of(node))
        if place is None:
            self.drafts.leave_out(preset, "no-depth", "it is to go to a depth and names none")
        elif place.kind == "skeleton":
            self.run.places.skeleton.append(preset)
        elif place.kind == "anchor" and place.anchor == MAIN:
            self.beside_main.append((preset, place))
        elif place.kind == "anchor":
            draft = self.drafts.draft(preset, Placement("anchor", anchor=place.anchor, before=place.before))
            self.run.places.around(place.anchor).add((place.order, 0, 0), draft, before=place.before)
        else:
            self._sort_into_history(preset, place)

    def _sort_lore_in(self, lore: LoreDraft) -> None:
        settings = self.run.settings
        marker = marker_off(lore, self.run.places) if settings.lore_places != "reference" else None
        if marker is not None:
            cause = Cause(ID, "marker-off", f"its marker {marker} is switched off")
            self.run.leave_out(cause, [lore.draft])
            return
        if self.run.places.note_is_off and lore.place in ("before_an", "after_an"):
            cause = Cause(ID, "note-off", f"it goes with the author's note, and {self.run.places.note_is_off}")
            self.run.leave_out(cause, [lore.draft])
            return
        self.run.dialects[lore.draft.key] = lore.dialect
        place_lore(lore, self.run.places, settings)

    def _is_active(self, preset: Preset) -> bool:
        verdict = verdict_on(preset, self.run.ctx.input, sends_blanks=self.run.settings.blank_prompts)
        for problem in verdict.problems:
            self.run.warn(f"{preset.place}: {problem}", preset)
        if verdict.refusal is not None:
            if verdict.refusal.rule == "interval":
                self.run.places.note_is_off = verdict.refusal.reason
            self.drafts.leave_out(preset, verdict.refusal.rule, verdict.refusal.reason)
        return verdict.refusal is None

    def _sort_into_history(self, preset: Preset, place: RequestedPlacement) -> None:
        length = len(self.run.history)
        rank = (place.order, 0, 0)
        if place.kind == "depth":
            draft = self.drafts.draft(preset, Placement("depth", depth=place.depth))
            if self.run.settings.one_message:
                section = section_of(preset.node)
                rank, self.run.places.seats[draft.key] = seat_at_depth(place.depth, place.order, draft.role, section)
            self.run.places.point_at(place.depth, rank, draft)
            return
        if place.kind == "point":
            ends_with_user = bool(self.run.history) and self.run.history[-1].role == "user"
            at = index_of_insertion_point(place.point, length=length, ends_with_user=ends_with_user)
            draft = self.drafts.draft(preset, Placement("depth", point=place.point))
            self.run.places.points.append(Point(at, length - at, rank, draft))
            return
        found = parse_depths(place.config, length=length)
        for segment in found.doubtful:
            self.run.warn(
                f"{preset.place}: {segment!r} in depthConfig {place.config!r} is not a depth or a cycle", preset
            )
        if not found.depths:
            reason = f"no depth of {place.config!r} lies within a history of {length}"
            self.drafts.leave_out(preset, "no-depth", reason)
            return
        once = self.drafts.draft(preset, Placement("depth"))
        for depth in found.depths:
            placement = Placement("depth", depth=depth, index=preset.index, level=preset.level)
            self.run.places.point_at(depth, rank, replace(once, key=f"{once.key}@{depth}", placement=placement))

    def _sort_in_beside_main(self) -> None:
        """Place presets before and after the main prompt; where that is switched off, at its place."""
        main = self.run.places.preset_with_role(MAIN)
        if main is None and self.main_off is not None and self.beside_main:
            at, main = self.main_off
            self.run.places.skeleton.insert(at, main)
            self.run.places.silent.add(main.key)
        for preset, place in self.beside_main:
            around = self.run.places.beside(main) if main is not None else self.run.places.around(MAIN)
            if preset is self.run.places.note:
                self.run.places.beside_note = around
            draft = self.drafts.draft(preset, Placement("anchor", anchor=MAIN, before=place.before))
            around.add((place.order, 0, 0), draft, before=place.before)

    def _rehome_lost_anchors(self) -> None:
        """Presets of an anchor without a placeholder, put just before the history, with a warning."""
        there = {anchor_id(preset.node) for preset in self.run.places.skeleton} | {HISTORY}
        for name in [name for name in self.run.places.anchors if name not in there]:
            around = self.run.places.anchors.pop(name)
            lost = [*around.drafts(before=True), *around.drafts(before=False)]
            why = "has no placeholder among the presets" if name in self.run.anchors else "is not known"
            for draft in lost:
                self.run.warn_of(f"anchor {name!r} {why}: {draft.key} stands just before the history", draft)
            self.run.places.before_history.extend(lost)


def _anchors_named(presets: Sequence[Preset]) -> Iterator[str]:
    """The anchors that presets are placeholders of, or go to."""
    for preset in presets:
        marks, place = anchor_id(preset.node), requested_placement(preset.node)
        if marks is not None:
            yield marks
        if place is not None and place.kind == "anchor":
            yield place.anchor
