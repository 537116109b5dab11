"""Put presets, lore and history one after another, as their places say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ctxlab.context import Cause, Draft, Placement
from ctxlab.processors.injection.injection_run import ID, InjectionRun, Piece
from ctxlab.processors.injection.preset_drafts import PresetDrafts
from ctxlab.processors.injection.presets import Preset
from ctxlab.processors.injection.read_preset_placement import BARE_TITLES, HISTORY, anchor_id


class MessageOrder:
    """The order in which a run sends what was sorted in."""

    def __init__(self, run: InjectionRun, drafts: PresetDrafts) -> None:
        self.run, self.drafts = run, drafts

    def pieces(self) -> list[Piece]:
        """Everything that is sent, with the history in stretches."""
        out: list[Piece] = []
        placed: set[str] = set()
        for preset in self.run.places.skeleton:
            beside = self.run.places.beside(preset)
            out.extend(beside.drafts(before=True))
            out.extend(self._in_its_place(preset, placed))
            out.extend(beside.drafts(before=False))
        if HISTORY not in placed:
            around = self.run.places.around(HISTORY)
            out += [*around.drafts(before=True), *self._history(), *around.drafts(before=False)]
        return out

    def _in_its_place(self, preset: Preset, placed: set[str]) -> Iterator[Piece]:
        name = anchor_id(preset.node)
        if preset.key in self.run.places.silent:
            return
        if name is None:
            yield self.drafts.draft(preset, Placement("skeleton"))
        elif name in placed:  # its injections and the history are sent once, words of its own stay
            yield from self._template(preset, name)
        else:
            placed.add(name)
            around = self.run.places.around(name)
            yield from around.drafts(before=True)
            yield from self._history() if name == HISTORY else self._template(preset, name)
            yield from around.drafts(before=False)

    def _template(self, preset: Preset, name: str) -> list[Draft]:
        """The placeholder's own words where they are shown; elsewhere they are left out like any others."""
        anchor = self.run.anchors.get(name)
        title = preset.node.content.strip()
        has_words = bool(preset.node.content if self.run.settings.blank_prompts else title)
        if name == HISTORY or not has_words or title in BARE_TITLES:
            return []
        if anchor is not None and anchor.has_template:
            return [self.drafts.draft(preset, Placement("template", anchor=name))]
        self.drafts.leave_out(preset, "placeholder", f"it marks the place of {name}, whose own words are not shown")
        return []

    def _history(self) -> list[Piece]:
        """The history with what goes into it: places are those of the history as it was, deeper ones first."""
        out: list[Piece] = list(self.run.places.before_history)
        if self.run.places.history_is_off:
            self._leave_history_out()
            return out
        done = 0
        for point in self.run.places.in_order():
            if point.index < len(self.run.history) and self.run.history[point.index].role == "tool":
                self._warn_of_split(point.draft)
            out.append(self.run.history[done : point.index])
            out.append(replace(point.draft, pinned=False) if self.run.settings.cut_with_history else point.draft)
            done = point.index
        out.append(self.run.history[done:])
        return out

    def _leave_history_out(self) -> None:
        cause = Cause(ID, "marker-off", "the placeholder of the history is switched off, or not for this turn or model")
        drafts = [*self.run.ctx.drafts, *(point.draft for point in self.run.places.in_order())]
        self.run.leave_out(cause, drafts)

    def _warn_of_split(self, draft: Draft) -> None:
        text = f"{draft.key} ({draft.placement}) stands between a tool call and its result"
        self.run.warn_of(text, draft)
