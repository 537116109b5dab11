"""Expand macros of what is sent, in the order that the settings want, and make messages of examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from ctxlab.context import Cause, Draft, MacroVariables, Origin, Placement, Text
from ctxlab.processors.injection.example_messages import Speakers
from ctxlab.processors.injection.examples_as_messages import ExampleMessages, is_example
from ctxlab.processors.injection.injection_run import ID, InjectionRun, Piece
from ctxlab.processors.injection.macros import (
    LORE_RANK,
    OF_MESSAGES,
    AsPrepared,
    Wording,
    ranked,
    read_beforehand,
)
from ctxlab.processors.injection.preset_drafts import PresetDrafts
from ctxlab.processors.injection.read_preset_placement import AUTHORS_NOTE, EXAMPLE_START, EXAMPLES

BLANK: Final = Cause(ID, "blank", "no words are left of it")
EXAMPLES_OFF: Final = Cause(ID, "examples-off", "examples aren't sent, by the setting `examples`")
LINE_ENDS: Final = Cause(ID, "line-ends", "carriage returns are left out")
UNSPOKEN: Final = Cause(ID, "example-without-speaker", "only what a speaker says in an example is sent")


class MessageWords:
    """Words what a run sends; `wording` is the pass over all of it, in which variables are kept."""

    def __init__(self, run: InjectionRun, drafts: PresetDrafts) -> None:
        self.run, self.drafts = run, drafts
        self.wording = wording = Wording.of(run.ctx, run.dialects, run.settings.macro_engine)
        wording.outlets_of_prompts = run.settings.lore_places == "sillytavern-1.19"
        wording.line_ends = LINE_ENDS if run.settings.drop_carriage_returns else None

    def worded(self, pieces: Sequence[Piece]) -> list[Draft]:
        """The history as it is, or its macros too; the rest with them expanded, without what they leave nothing of."""
        wording = self.wording
        worded = self._worded_as_sent if self.run.settings.macro_order == "as-sent" else self._worded_as_prepared
        examples: ExampleMessages | None = None
        out: list[Draft] = []
        for piece in worded(pieces, wording):
            if isinstance(piece, tuple):
                out.extend(piece)
                continue
            if is_example(piece) and self.run.settings.examples == "none":
                self.run.leave_out(EXAMPLES_OFF, [piece])
            elif is_example(piece) and self.run.settings.examples != "text":
                examples = examples or self._examples(wording)
                out.extend(examples.of(piece))
            elif self._is_hollow(piece):
                self.run.leave_out(BLANK, [piece])
            else:
                out.append(piece)
        if examples is not None and examples.lost:
            self.run.leave_out(UNSPOKEN, examples.lost)
        self._leave_out_unshown(out)
        return out

    def keep_what_macros_did(self) -> None:
        """Take notes of macros and variables that they set into the context."""
        self.run.ctx = self.run.ctx.noted(self.wording.notes)
        if self.wording.variables is not self.run.ctx.variables:
            self.run.ctx = self.run.ctx.put(MacroVariables(self.wording.variables, self.run.ctx.input.variables))

    def _worded_as_sent(self, pieces: Sequence[Piece], wording: Wording) -> Iterator[Piece]:
        wording.fill(self.run.places.outlets)
        for piece in pieces:
            if not isinstance(piece, tuple):
                yield wording.expanded(piece)
            elif self.run.settings.expands_messages:
                yield tuple([self._message(draft, wording) for draft in piece])
            else:
                yield piece

    def _worded_as_prepared(self, pieces: Sequence[Piece], wording: Wording) -> Iterator[Piece]:
        order = AsPrepared(self.run.names, self.run.lore)
        drafts = [draft for piece in pieces for draft in (piece if isinstance(piece, tuple) else (piece,))]
        is_filled = False
        beforehand = [*read_beforehand(self.run.ctx.input)]
        for rank, place in ranked(drafts, order):
            while beforehand and beforehand[0][0] <= rank:
                wording.read(beforehand.pop(0)[1])
            if rank[0] > LORE_RANK and not is_filled:  # until then an outlet is empty
                wording.fill(self.run.places.outlets)
                is_filled = True
            draft = drafts[place]
            if draft.origin.kind in OF_MESSAGES:
                drafts[place] = self._message(draft, wording)
                continue
            times = order.times(draft)
            draft = wording.with_card_words(draft, order.card_words(draft))
            for _ in range(times):
                draft = wording.expanded(draft)
            drafts[place] = draft
        done = iter(drafts)
        for piece in pieces:
            yield tuple([next(done) for _ in piece]) if isinstance(piece, tuple) else next(done)

    def _message(self, draft: Draft, wording: Wording) -> Draft:
        """A message of the history, with its macros expanded where they are; the step signs what it rewrites."""
        if not self.run.settings.expands_messages or draft.origin.kind not in OF_MESSAGES or draft.role == "tool":
            return draft
        return wording.expanded(draft, processor=ID)

    def _is_hollow(self, draft: Draft) -> bool:
        place = draft.placement
        if place is None or draft.assets or str(draft.text).strip():
            return False
        if draft.key in self.run.places.seats or self.run.settings.blank_prompts:
            return not draft.text
        if draft.meta.get("stPromptName") == AUTHORS_NOTE:
            return True
        if place.kind != "template":
            return False
        anchor = self.run.anchors.get(place.anchor or "")
        return anchor is not None and anchor.only_if_filled

    def _examples(self, wording: Wording) -> ExampleMessages:
        preset = self.run.places.preset_with_role(EXAMPLES)
        heading, key, origin = Text(), "preset:examples", Origin("notice", "examples")
        if preset is not None:
            key, origin = preset.key, Origin("preset", preset.ref)
            words = preset.node.meta(EXAMPLE_START)
            text = Text.of(words if isinstance(words, str) else "", origin)
            heading = wording.expanded(replace(self.drafts.draft(preset, Placement("skeleton")), body=(text,))).text
        speakers = Speakers(wording.env.user, wording.env.char, self.run.members)
        return ExampleMessages(ID, speakers, heading, key, origin, yields=self.run.settings.examples == "fitting")

    def _leave_out_unshown(self, drafts: Sequence[Draft]) -> None:
        """Lore for an outlet that no message shows is left out, and named."""
        if not self.run.places.outlets:
            return
        shown = {origin for draft in drafts if draft.origin.kind != "node" for origin in draft.text.origins()}
        for name, lore in self.run.places.outlets.items():
            lost = [draft for _, draft in lore if draft.origin not in shown]
            if lost:
                cause = Cause(ID, "outlet", f"no message shows {{{{outlet::{name}}}}}")
                self.run.leave_out(cause, lost)
