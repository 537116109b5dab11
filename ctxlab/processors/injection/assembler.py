"""Put presets and lore around, into and between the history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pydantic import Field

from ctxlab.context import (
    NOTHING,
    AssetRef,
    Cause,
    Context,
    Draft,
    Dropped,
    MacroVariables,
    Origin,
    Placement,
    Text,
)
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.pipeline import Processor, ProcessorSettings, Services
from ctxlab.pipeline.settings.setting_form_fields import form_hints
from ctxlab.processors.files.report import AttachmentReport
from ctxlab.processors.injection.anchor_plugins import GROUP, plugin_anchors
from ctxlab.processors.injection.depth import index_of_insertion_point, parse_depths
from ctxlab.processors.injection.macros import (
    LORE_RANK,
    OF_MESSAGES,
    AsPrepared,
    MacroOrder,
    Wording,
    ranked,
    read_beforehand,
)
from ctxlab.processors.injection.place_lore import LoreDraft, Reading, lore_of, marker_off, place_lore
from ctxlab.processors.injection.plan import Places, Point
from ctxlab.processors.injection.presets import Preset, assets_by_id, presets_of, tools_preset, verdict_on
from ctxlab.processors.injection.read_preset_placement import (
    ANCHORS,
    AUTHORS_NOTE,
    BARE_TITLES,
    HISTORY,
    Anchor,
    RequestedPlacement,
    anchor_id,
    placement_problems,
    requested_placement,
    role_in_prompt,
)
from ctxlab.processors.macro_engine import MACRO_ENGINE, MacroEngine

ID = "injection-assembler"

_Piece = Draft | tuple[Draft, ...]
"""A preset or lore, or a stretch of history that is taken over as it is."""


class InjectionAssembler(Processor):
    """Place presets and lore: skeleton, depths, anchors; expand their macros once, as they are sent."""

    id = ID
    name = "Injection assembler"
    description = (
        "Places presets and lore around the history, at depths inside it and at anchors; expands their macros."
    )
    priority = 300
    is_core = True
    waits = True
    needs = ("history",)
    provides = ("presets",)

    class Settings(ProcessorSettings):
        note_depth: int = Field(
            4,
            ge=0,
            title="Author's note",
            description="Depth of lore that goes to the author's note where no preset is one.",
        )
        lore_places: Reading = Field(
            "sillytavern",
            title="Lore places",
            description="Whose reading of an entry's position and order is followed.",
        )
        macro_engine: MacroEngine = MACRO_ENGINE
        macros_in_messages: bool = Field(
            False,
            title="Macros in messages",
            description="Expand the macros in the conversation's own messages too, each time they are sent.",
        )
        macro_order: MacroOrder = Field(
            "as-sent",
            title="Order of macros",
            description="Which text's macros come first, where one sets a variable that another reads.",
            json_schema_extra=form_hints(
                labels={
                    "as-sent": "as they are sent",
                    "sillytavern": "as SillyTavern prepares them: card, lore, prompts, messages from the newest back",
                }
            ),
        )

    settings: Settings

    def __init__(self, settings: Settings | None = None, *, anchors: Sequence[Anchor] | None = None) -> None:
        """`anchors` are all that are known; by default ctxlab's own and those that installed packages bring."""
        super().__init__(settings)
        self.takes_plugins = anchors is None
        self.anchors = {anchor.id: anchor for anchor in (ANCHORS if anchors is None else anchors)}

    def __call__(self, ctx: Context, services: Services) -> Context:
        presets, lore = presets_of(ctx.input), lore_of(ctx, self.settings.lore_places)
        about_tools = tools_preset(presets, ctx.input)
        presets = presets if about_tools is None else (*presets, about_tools)
        ctx = _with_notes_of_tools(ctx)
        if not presets and not lore and not self.settings.macros_in_messages:
            return ctx
        return _Assembly(self, ctx, services).result(presets, lore)


class _Assembly:
    """One run of the assembler."""

    def __init__(self, step: InjectionAssembler, ctx: Context, services: Services) -> None:
        self.services = services
        self.takes_plugins = step.takes_plugins
        self.anchors = step.anchors
        self.settings = step.settings
        self.ctx = ctx
        self.history = ctx.drafts
        self.assets = assets_by_id(ctx.input.agent)
        self.places = Places(len(ctx.drafts))
        self.dialects: dict[str, str | None] = {}
        self.names: dict[str, str | None] = {}
        self.lore: dict[str, int] = {}
        self.left_out: dict[Cause, list[Draft]] = {}
        self.before_history: list[Draft] = []

    def result(self, presets: Sequence[Preset], lore: Sequence[LoreDraft]) -> Context:
        self._ask_plugins_for_anchors(presets)
        for preset in presets:
            self._sort_in(preset)
        self._rehome_lost_anchors()
        firing = lore[::-1] if self.settings.lore_places == "sillytavern" else lore
        self.lore = {each.draft.key: number for number, each in enumerate(firing)}
        for each in lore:
            self._sort_lore_in(each)
        drafts = self._with_files(self._worded(self._assembled()))
        groups = [Dropped(tuple(drafts), cause) for cause, drafts in self.left_out.items()]
        return self.ctx.arrange(drafts, dropped=groups)

    # --- sorting the presets

    def _ask_plugins_for_anchors(self, presets: Sequence[Preset]) -> None:
        """Anchors of other packages, read once a preset names an unknown anchor; broken ones get a note."""
        if not self.takes_plugins or not any(name not in self.anchors for name in _anchors_named(presets)):
            return
        brought = plugin_anchors()
        self.anchors = {**brought.anchors, **self.anchors}
        for problem in brought.problems:
            self.ctx = self.ctx.note("warning", problem, processor=ID, group=GROUP)

    def _sort_in(self, preset: Preset) -> None:
        node = preset.node
        place = requested_placement(node)
        if not self._is_active(preset):
            # A placeholder that is switched off still marks where the history goes.
            if anchor_id(node) == HISTORY:
                self.places.skeleton.append(preset)
            elif anchor_id(node) is not None:
                self.places.off.add(str(anchor_id(node)))
            return
        for problem in placement_problems(node):
            self._warn(f"{preset.place}: {problem}", preset)
        if role_in_prompt(node) == AUTHORS_NOTE:
            self.places.note = preset
        if place is None:
            self._leave_out(preset, "no-depth", "it is to go to a depth and names none")
        elif place.kind == "skeleton":
            self.places.skeleton.append(preset)
        elif place.kind == "anchor":
            draft = self._draft(preset, Placement("anchor", anchor=place.anchor, before=place.before))
            self.places.around(place.anchor).add((place.order, 0, 0), draft, before=place.before)
        else:
            self._sort_into_history(preset, place)

    def _sort_lore_in(self, lore: LoreDraft) -> None:
        reading = self.settings.lore_places
        marker = marker_off(lore, self.places) if reading == "sillytavern" else None
        if marker is not None:
            cause = Cause(ID, "marker-off", f"its marker {marker} is switched off")
            self.left_out.setdefault(cause, []).append(lore.draft)
            return
        self.dialects[lore.draft.key] = lore.dialect
        place_lore(lore, self.places, reading=reading, note_depth=self.settings.note_depth)

    def _is_active(self, preset: Preset) -> bool:
        verdict = verdict_on(preset, self.ctx.input)
        for problem in verdict.problems:
            self._warn(f"{preset.place}: {problem}", preset)
        if verdict.refusal is not None:
            self._leave_out(preset, verdict.refusal.rule, verdict.refusal.reason)
        return verdict.refusal is None

    def _sort_into_history(self, preset: Preset, place: RequestedPlacement) -> None:
        length = len(self.history)
        rank = (place.order, 0, 0)
        if place.kind == "depth":
            draft = self._draft(preset, Placement("depth", depth=place.depth))
            self.places.point_at(place.depth, rank, draft)
            return
        if place.kind == "point":
            ends_with_user = bool(self.history) and self.history[-1].role == "user"
            at = index_of_insertion_point(place.point, length=length, ends_with_user=ends_with_user)
            draft = self._draft(preset, Placement("depth", point=place.point))
            self.places.points.append(Point(at, length - at, rank, draft))
            return
        found = parse_depths(place.config, length=length)
        for segment in found.doubtful:
            self._warn(f"{preset.place}: {segment!r} in depthConfig {place.config!r} is not a depth or a cycle", preset)
        if not found.depths:
            reason = f"no depth of {place.config!r} lies within a history of {length}"
            self._leave_out(preset, "no-depth", reason)
            return
        once = self._draft(preset, Placement("depth"))
        for depth in found.depths:
            placement = Placement("depth", depth=depth, index=preset.index, level=preset.level)
            self.places.point_at(depth, rank, replace(once, key=f"{once.key}@{depth}", placement=placement))

    def _rehome_lost_anchors(self) -> None:
        """Presets of an anchor without a placeholder, put just before the history, with a warning."""
        there = {anchor_id(preset.node) for preset in self.places.skeleton} | {HISTORY}
        for name in [name for name in self.places.anchors if name not in there]:
            around = self.places.anchors.pop(name)
            lost = [*around.drafts(before=True), *around.drafts(before=False)]
            why = "has no placeholder among the presets" if name in self.anchors else "is not known"
            for draft in lost:
                self.ctx = self.ctx.note(
                    "warning",
                    f"anchor {name!r} {why}: {draft.key} stands just before the history",
                    processor=ID,
                    preset=_index(draft),
                    key=draft.key,
                )
            self.before_history.extend(lost)

    def _leave_out(self, preset: Preset, rule: str, reason: str) -> None:
        self.left_out.setdefault(Cause(ID, rule, reason), []).append(self._draft(preset, Placement("none")))
        if rule == "no-depth":
            self._warn(f"{preset.place} is not sent: {reason}", preset)

    def _warn(self, text: str, preset: Preset) -> None:
        self.ctx = self.ctx.note("warning", text, processor=ID, preset=preset.index, key=preset.key)

    # --- putting it together

    def _assembled(self) -> list[_Piece]:
        out: list[_Piece] = []
        placed: set[str] = set()
        for preset in self.places.skeleton:
            beside = self.places.beside(preset)
            out.extend(beside.drafts(before=True))
            out.extend(self._in_its_place(preset, placed))
            out.extend(beside.drafts(before=False))
        if HISTORY not in placed:
            around = self.places.around(HISTORY)
            out += [*around.drafts(before=True), *self._history(), *around.drafts(before=False)]
        return out

    def _in_its_place(self, preset: Preset, placed: set[str]) -> Iterator[_Piece]:
        name = anchor_id(preset.node)
        if name is None:
            yield self._draft(preset, Placement("skeleton"))
        elif name in placed:  # its injections and the history are sent once, words of its own stay
            yield from self._template(preset, name)
        else:
            placed.add(name)
            around = self.places.around(name)
            yield from around.drafts(before=True)
            yield from self._history() if name == HISTORY else self._template(preset, name)
            yield from around.drafts(before=False)

    def _template(self, preset: Preset, name: str) -> list[Draft]:
        """The placeholder's own words where they are shown; elsewhere they are left out like any others."""
        anchor = self.anchors.get(name)
        title = preset.node.content.strip()
        if name == HISTORY or not title or title in BARE_TITLES:
            return []
        if anchor is not None and anchor.has_template:
            return [self._draft(preset, Placement("template", anchor=name))]
        self._leave_out(preset, "placeholder", f"it marks the place of {name}, whose own words are not shown")
        return []

    def _history(self) -> list[_Piece]:
        """The history with what goes into it: places are those of the history as it was, deeper ones first."""
        out: list[_Piece] = list(self.before_history)
        done = 0
        for point in self.places.in_order():
            if point.index < len(self.history) and self.history[point.index].role == "tool":
                self._warn_of_split(point.draft)
            out.append(self.history[done : point.index])
            out.append(point.draft)
            done = point.index
        out.append(self.history[done:])
        return out

    def _warn_of_split(self, draft: Draft) -> None:
        text = f"{draft.key} ({draft.placement}) stands between a tool call and its result"
        self.ctx = self.ctx.note("warning", text, processor=ID, preset=_index(draft), key=draft.key)

    def _draft(self, preset: Preset, placement: Placement) -> Draft:
        node = preset.node
        origin = Origin("notice" if preset.level == "tools" else "preset", preset.ref)
        assets = self._assets(preset) if placement.kind != "none" else ()
        if preset.level == "agent" and self.ctx.input.agent is not None:
            self.dialects[preset.key] = self.ctx.input.agent.macro_dialect
        self.names[preset.key] = role_in_prompt(node)
        body = (Text.of(node.content, origin), *assets)
        return Draft(
            preset.key,
            node.role,
            body,
            origin,
            speaker=node.speaker,
            pinned=True,
            meta=node.metadata or NOTHING,
            placement=replace(placement, index=preset.index, level=preset.level),
        )

    def _assets(self, preset: Preset) -> tuple[AssetRef, ...]:
        agent = self.ctx.input.agent
        if not preset.node.preset_attachments or agent is None:
            return ()
        found: list[AssetRef] = []
        for attachment in preset.node.preset_attachments:
            asset = self.assets.get(attachment.asset_id)
            if asset is None:
                wanted = f"{preset.place} shows asset {attachment.asset_id!r}"
                self._warn(f"{wanted}, which the agent does not have", preset)
            else:
                found.append(AssetRef.of_agent(asset, agent.id))
        return tuple(found)

    # --- files

    def _with_files(self, drafts: list[Draft]) -> list[Draft]:
        """The presets with their files as the model gets them, as it was decided for those of the history.

        Words of files are data: they come after the macros.
        """
        report = self.ctx.report(AttachmentReport)
        if report is None or report.policy is None:
            return drafts
        from ctxlab.processors.files.message_files import MessageFiles

        files = MessageFiles(report.policy, self.services, processor=ID)
        out = [files.applied(draft) if draft.placement is not None else draft for draft in drafts]
        if files.rows:
            self.ctx = self.ctx.put(AttachmentReport((*files.rows, *report.files), report.policy))
            self.ctx = self.ctx.noted([*files.notes()])
        return out

    # --- macros

    def _worded(self, pieces: Sequence[_Piece]) -> list[Draft]:
        """The history as it is, or its macros too; the rest with them expanded, without what they leave nothing of."""
        wording = Wording.of(self.ctx, self.dialects, self.settings.macro_engine)
        worded = self._worded_as_sent if self.settings.macro_order == "as-sent" else self._worded_as_prepared
        out: list[Draft] = []
        for piece in worded(pieces, wording):
            if isinstance(piece, tuple):
                out.extend(piece)
                continue
            draft = piece
            if self._is_hollow(draft):
                self.left_out.setdefault(Cause(ID, "blank", "its macros leave nothing of it"), []).append(draft)
            else:
                out.append(draft)
        self.ctx = self.ctx.noted(wording.notes)
        if wording.variables is not self.ctx.input.variables:
            self.ctx = self.ctx.put(MacroVariables(wording.variables, self.ctx.input.variables))
        self._leave_out_unshown(out)
        return out

    def _worded_as_sent(self, pieces: Sequence[_Piece], wording: Wording) -> Iterator[_Piece]:
        wording.fill(self.places.outlets)
        for piece in pieces:
            if not isinstance(piece, tuple):
                yield wording.expanded(piece)
            elif self.settings.macros_in_messages:
                yield tuple([self._message(draft, wording) for draft in piece])
            else:
                yield piece

    def _worded_as_prepared(self, pieces: Sequence[_Piece], wording: Wording) -> Iterator[_Piece]:
        order = AsPrepared(self.names, self.lore)
        drafts = [draft for piece in pieces for draft in (piece if isinstance(piece, tuple) else (piece,))]
        is_filled = False
        beforehand = [*read_beforehand(self.ctx.input)]
        for rank, place in ranked(drafts, order):
            while beforehand and beforehand[0][0] <= rank:
                wording.read(beforehand.pop(0)[1])
            if rank[0] > LORE_RANK and not is_filled:  # until then an outlet is empty
                wording.fill(self.places.outlets)
                is_filled = True
            draft = drafts[place]
            if draft.origin.kind in OF_MESSAGES:
                drafts[place] = self._message(draft, wording)
                continue
            draft = wording.expanded(draft)
            drafts[place] = wording.expanded(draft) if order.is_twice(draft) else draft
        done = iter(drafts)
        for piece in pieces:
            yield tuple([next(done) for _ in piece]) if isinstance(piece, tuple) else next(done)

    def _message(self, draft: Draft, wording: Wording) -> Draft:
        """A message of the history, with its macros expanded where they are; the step signs what it rewrites."""
        if not self.settings.macros_in_messages or draft.origin.kind not in OF_MESSAGES or draft.role == "tool":
            return draft
        return wording.expanded(draft, processor=ID)

    def _is_hollow(self, draft: Draft) -> bool:
        place = draft.placement
        if place is None or place.kind != "template" or draft.assets or str(draft.text).strip():
            return False
        anchor = self.anchors.get(place.anchor or "")
        return anchor is not None and anchor.only_if_filled

    def _leave_out_unshown(self, drafts: Sequence[Draft]) -> None:
        """Lore for an outlet that no message shows is left out, and named."""
        if not self.places.outlets:
            return
        shown = {origin for draft in drafts if draft.origin.kind != "node" for origin in draft.text.origins()}
        for name, lore in self.places.outlets.items():
            lost = [draft for _, draft in lore if draft.origin not in shown]
            if lost:
                cause = Cause(ID, "outlet", f"no message shows {{{{outlet::{name}}}}}")
                self.left_out.setdefault(cause, []).extend(lost)


def _anchors_named(presets: Sequence[Preset]) -> Iterator[str]:
    """The anchors that presets are placeholders of, or go to."""
    for preset in presets:
        marks, place = anchor_id(preset.node), requested_placement(preset.node)
        if marks is not None:
            yield marks
        if place is not None and place.kind == "anchor":
            yield place.anchor


def _with_notes_of_tools(ctx: Context) -> Context:
    """The context with a note for each setting of the agent's tools that was not taken."""
    config = ctx.input.agent.tool_call_config if ctx.input.agent is not None else None
    return ctx.noted([replace(note, processor=ID) for note in ToolCallConfig.of(config).problems]) if config else ctx


def _index(draft: Draft) -> int | None:
    """The number of a preset among those of its level; None for lore."""
    return draft.placement.index if draft.placement is not None else None
