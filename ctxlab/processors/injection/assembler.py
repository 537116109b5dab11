"""Put presets and lore around, into and between the history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

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
from ctxlab.documents import MessageNode
from ctxlab.documents.agent.continued_reply import CONTINUE_NUDGE
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.engines.macros import MacroEnv
from ctxlab.pipeline import Processor, Services
from ctxlab.processors.files.report import AttachmentReport
from ctxlab.processors.injection.anchor_plugins import GROUP, plugin_anchors
from ctxlab.processors.injection.depth import index_of_insertion_point, parse_depths
from ctxlab.processors.injection.example_messages import STARTS, Speakers
from ctxlab.processors.injection.examples_as_messages import ExampleMessages, is_example
from ctxlab.processors.injection.history_texts import HistoryTexts, changes_nothing
from ctxlab.processors.injection.in_chat import seat_at_depth, section_of
from ctxlab.processors.injection.macros import (
    LORE_RANK,
    OF_MESSAGES,
    AsPrepared,
    Wording,
    ranked,
    read_beforehand,
)
from ctxlab.processors.injection.made_texts import (
    LORE_ALONE,
    end_of_history,
    formed,
    lore_form,
    with_newest_message,
    words_after_reply,
)
from ctxlab.processors.injection.one_message import Joiner, Seat
from ctxlab.processors.injection.place_lore import AROUND_NOTE, LoreDraft, lore_of, marker_off, place_lore
from ctxlab.processors.injection.plan import Places, Point
from ctxlab.processors.injection.presets import (
    Preset,
    assets_by_id,
    presets_of,
    tools_preset,
    verdict_on,
)
from ctxlab.processors.injection.read_preset_placement import (
    ANCHORS,
    AUTHORS_NOTE,
    BARE_TITLES,
    EXAMPLE_START,
    EXAMPLES,
    GROUP_TEXT,
    HISTORY,
    MAIN,
    NOTES,
    Anchor,
    RequestedPlacement,
    anchor_id,
    placement_problems,
    requested_placement,
    role_in_prompt,
)
from ctxlab.processors.injection.settings import InjectionSettings

ID = "injection-assembler"

BLANK = Cause(ID, "blank", "no words are left of it")
EMPTY = Cause(ID, "empty", "there is not a single character in it")
EXAMPLES_OFF = Cause(ID, "examples-off", "examples aren't sent, by the setting `examples`")
LINE_ENDS = Cause(ID, "line-ends", "carriage returns are left out")
UNSPOKEN = Cause(ID, "example-without-speaker", "only what a speaker says in an example is sent")

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

    Settings = InjectionSettings
    settings: InjectionSettings

    def __init__(self, settings: InjectionSettings | None = None, *, anchors: Sequence[Anchor] | None = None) -> None:
        """`anchors` are all that are known; by default ctxlab's own and those that installed packages bring."""
        super().__init__(settings)
        self.takes_plugins = anchors is None
        self.anchors = {anchor.id: anchor for anchor in (ANCHORS if anchors is None else anchors)}

    def __call__(self, ctx: Context, services: Services) -> Context:
        presets, lore = presets_of(ctx.input), lore_of(ctx, self.settings.lore_places)
        about_tools = tools_preset(presets, ctx.input)
        presets = presets if about_tools is None else (*presets, about_tools)
        ctx = _with_notes_of_tools(ctx)
        assembly = _Assembly(self, ctx, services)
        stays = assembly.history is ctx.drafts and not self.settings.expands_messages
        if not presets and not lore and stays and not self.settings.after_reply:
            return ctx
        return assembly.result(presets, lore)


class _Assembly:
    """One run of the assembler."""

    def __init__(self, step: InjectionAssembler, ctx: Context, services: Services) -> None:
        self.services = services
        self.takes_plugins = step.takes_plugins
        self.anchors = step.anchors
        self.settings = step.settings
        self.ctx = ctx
        self.members = ctx.input.group.members if ctx.input.group is not None else ()
        self.history = self._with_names(ctx.drafts)
        self.assets = assets_by_id(ctx.input.agent)
        self.places = Places(len(ctx.drafts))
        self.dialects: dict[str, str | None] = {}
        self.names: dict[str, str | None] = {}
        self.lore: dict[str, int] = {}
        self.left_out: dict[Cause, list[Draft]] = {}
        self.before_history: list[Draft] = []
        self.beside_main: list[tuple[Preset, RequestedPlacement]] = []
        self.main_off: tuple[int, Preset] | None = None  # a main prompt that is switched off, and its place
        self.history_is_off = False
        self.wording: Wording | None = None

    def result(self, presets: Sequence[Preset], lore: Sequence[LoreDraft]) -> Context:
        self._ask_plugins_for_anchors(presets)
        if self._goes_on_alone(presets):
            self.places.length -= 1
        for preset in presets:
            self._sort_in(preset)
        self._sort_in_beside_main()
        self._rehome_lost_anchors()
        firing = lore if self.settings.lore_places == "reference" else lore[::-1]
        self.lore = {each.draft.key: number for number, each in enumerate(firing)}
        for each in lore:
            self._sort_lore_in(each)
        drafts = self._with_files(self._joined(self._worded(self._assembled())))
        self._keep_what_macros_did()
        groups = [Dropped(tuple(drafts), cause) for cause, drafts in self.left_out.items()]
        return self.ctx.arrange(drafts, dropped=groups)

    def _goes_on_alone(self, presets: Sequence[Preset]) -> bool:
        """Whether the newest message is gone on with as it is: it comes behind all, and no depth counts it."""
        if not (self.settings.continued_is_apart and self.ctx.input.turn == "continue" and self.ctx.drafts):
            return False
        return not any(role_in_prompt(preset.node) == CONTINUE_NUDGE for preset in presets)

    # --- sorting the presets

    def _ask_plugins_for_anchors(self, presets: Sequence[Preset]) -> None:
        """Anchors of other packages, read once a preset names an unknown anchor; broken ones get a note."""
        if not self.takes_plugins or not any(name not in {*self.anchors, MAIN} for name in _anchors_named(presets)):
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
                self.history_is_off = self.settings.off_without_marker
            elif role_in_prompt(node) == MAIN:
                self.main_off = (len(self.places.skeleton), preset)
            elif anchor_id(node) is not None:
                self.places.off.add(str(anchor_id(node)))
            return
        for problem in placement_problems(node):
            self._warn(f"{preset.place}: {problem}", preset)
        if role_in_prompt(node) == AUTHORS_NOTE:
            self.places.note = preset
        if role_in_prompt(node) in NOTES and self.settings.one_message:
            self.places.seats[preset.key] = Seat(AROUND_NOTE, section_of(node))
        if place is None:
            self._leave_out(preset, "no-depth", "it is to go to a depth and names none")
        elif place.kind == "skeleton":
            self.places.skeleton.append(preset)
        elif place.kind == "anchor" and place.anchor == MAIN:
            self.beside_main.append((preset, place))
        elif place.kind == "anchor":
            draft = self._draft(preset, Placement("anchor", anchor=place.anchor, before=place.before))
            self.places.around(place.anchor).add((place.order, 0, 0), draft, before=place.before)
        else:
            self._sort_into_history(preset, place)

    def _sort_lore_in(self, lore: LoreDraft) -> None:
        settings = self.settings
        marker = marker_off(lore, self.places) if settings.lore_places != "reference" else None
        if marker is not None:
            cause = Cause(ID, "marker-off", f"its marker {marker} is switched off")
            self.left_out.setdefault(cause, []).append(lore.draft)
            return
        if self.places.note_is_off and lore.place in ("before_an", "after_an"):
            cause = Cause(ID, "note-off", f"it goes with the author's note, and {self.places.note_is_off}")
            self.left_out.setdefault(cause, []).append(lore.draft)
            return
        self.dialects[lore.draft.key] = lore.dialect
        place_lore(lore, self.places, settings)

    def _is_active(self, preset: Preset) -> bool:
        verdict = verdict_on(preset, self.ctx.input, sends_blanks=self.settings.blank_prompts)
        for problem in verdict.problems:
            self._warn(f"{preset.place}: {problem}", preset)
        if verdict.refusal is not None:
            if verdict.refusal.rule == "interval":
                self.places.note_is_off = verdict.refusal.reason
            self._leave_out(preset, verdict.refusal.rule, verdict.refusal.reason)
        return verdict.refusal is None

    def _sort_into_history(self, preset: Preset, place: RequestedPlacement) -> None:
        length = len(self.history)
        rank = (place.order, 0, 0)
        if place.kind == "depth":
            draft = self._draft(preset, Placement("depth", depth=place.depth))
            if self.settings.one_message:
                section = section_of(preset.node)
                rank, self.places.seats[draft.key] = seat_at_depth(place.depth, place.order, draft.role, section)
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

    def _sort_in_beside_main(self) -> None:
        """Place presets before and after the main prompt; where that is switched off, at its place."""
        main = self.places.preset_with_role(MAIN)
        if main is None and self.main_off is not None and self.beside_main:
            at, main = self.main_off
            self.places.skeleton.insert(at, main)
            self.places.silent.add(main.key)
        for preset, place in self.beside_main:
            around = self.places.beside(main) if main is not None else self.places.around(MAIN)
            if preset is self.places.note:
                self.places.beside_note = around
            draft = self._draft(preset, Placement("anchor", anchor=MAIN, before=place.before))
            around.add((place.order, 0, 0), draft, before=place.before)

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
        if preset.key in self.places.silent:
            return
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
        has_words = bool(preset.node.content if self.settings.blank_prompts else title)
        if name == HISTORY or not has_words or title in BARE_TITLES:
            return []
        if anchor is not None and anchor.has_template:
            return [self._draft(preset, Placement("template", anchor=name))]
        self._leave_out(preset, "placeholder", f"it marks the place of {name}, whose own words are not shown")
        return []

    def _history(self) -> list[_Piece]:
        """The history with what goes into it: places are those of the history as it was, deeper ones first."""
        out: list[_Piece] = list(self.before_history)
        if self.history_is_off:
            self._leave_history_out()
            return out
        done = 0
        for point in self.places.in_order():
            if point.index < len(self.history) and self.history[point.index].role == "tool":
                self._warn_of_split(point.draft)
            out.append(self.history[done : point.index])
            out.append(replace(point.draft, pinned=False) if self.settings.cut_with_history else point.draft)
            done = point.index
        out.append(self.history[done:])
        return out

    def _leave_history_out(self) -> None:
        cause = Cause(ID, "marker-off", "the placeholder of the history is switched off")
        drafts = [*self.ctx.drafts, *(point.draft for point in self.places.in_order())]
        self.left_out.setdefault(cause, []).extend(drafts)

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
        text = Text.of(self._content(node), origin)
        if role_in_prompt(node) == CONTINUE_NUDGE and self.ctx.drafts:
            text = with_newest_message(text, str(self.ctx.drafts[-1].text))
        body = (text, *assets)
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

    def _content(self, node: MessageNode) -> str:
        """The words of a preset: those for a group in one, and examples as one text with the line before each."""
        in_group = node.meta(GROUP_TEXT) if self.members else None
        if isinstance(in_group, str):
            return in_group
        start = node.meta(EXAMPLE_START) if self.settings.examples == "text" else None
        return STARTS.sub(lambda _: start, node.content) if isinstance(start, str) else node.content

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
        self.wording = wording = Wording.of(self.ctx, self.dialects, self.settings.macro_engine)
        wording.outlets_of_prompts = self.settings.lore_places == "sillytavern-1.19"
        wording.line_ends = LINE_ENDS if self.settings.drop_carriage_returns else None
        worded = self._worded_as_sent if self.settings.macro_order == "as-sent" else self._worded_as_prepared
        examples: ExampleMessages | None = None
        out: list[Draft] = []
        for piece in worded(pieces, wording):
            if isinstance(piece, tuple):
                out.extend(piece)
                continue
            if is_example(piece) and self.settings.examples == "none":
                self.left_out.setdefault(EXAMPLES_OFF, []).append(piece)
            elif is_example(piece) and self.settings.examples != "text":
                examples = examples or self._examples(wording)
                out.extend(examples.of(piece))
            elif self._is_hollow(piece):
                self.left_out.setdefault(BLANK, []).append(piece)
            else:
                out.append(piece)
        if examples is not None and examples.lost:
            self.left_out.setdefault(UNSPOKEN, []).extend(examples.lost)
        self._leave_out_unshown(out)
        return out

    def _keep_what_macros_did(self) -> None:
        assert self.wording is not None
        self.ctx = self.ctx.noted(self.wording.notes)
        if self.wording.variables is not self.ctx.variables:
            self.ctx = self.ctx.put(MacroVariables(self.wording.variables, self.ctx.input.variables))

    def _worded_as_sent(self, pieces: Sequence[_Piece], wording: Wording) -> Iterator[_Piece]:
        wording.fill(self.places.outlets)
        for piece in pieces:
            if not isinstance(piece, tuple):
                yield wording.expanded(piece)
            elif self.settings.expands_messages:
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
        if not self.settings.expands_messages or draft.origin.kind not in OF_MESSAGES or draft.role == "tool":
            return draft
        return wording.expanded(draft, processor=ID)

    def _is_hollow(self, draft: Draft) -> bool:
        place = draft.placement
        if place is None or draft.assets or str(draft.text).strip():
            return False
        if draft.key in self.places.seats or self.settings.blank_prompts:
            return not draft.text
        if draft.meta.get("stPromptName") == AUTHORS_NOTE:
            return True
        if place.kind != "template":
            return False
        anchor = self.anchors.get(place.anchor or "")
        return anchor is not None and anchor.only_if_filled

    def _with_names(self, drafts: tuple[Draft, ...]) -> tuple[Draft, ...]:
        """The history with what settings put to its texts; the same object where that is nothing."""
        if changes_nothing(self.settings, self.members):
            return drafts
        names = MacroEnv.of(self.ctx.input)
        texts = HistoryTexts(self.settings, self.ctx.input.session.nodes, names.user, names.char, self.members, ID)
        return tuple([texts.sent(draft) for draft in drafts])

    def _examples(self, wording: Wording) -> ExampleMessages:
        preset = self.places.preset_with_role(EXAMPLES)
        heading, key, origin = Text(), "preset:examples", Origin("notice", "examples")
        if preset is not None:
            key, origin = preset.key, Origin("preset", preset.ref)
            words = preset.node.meta(EXAMPLE_START)
            text = Text.of(words if isinstance(words, str) else "", origin)
            heading = wording.expanded(replace(self._draft(preset, Placement("skeleton")), body=(text,))).text
        speakers = Speakers(wording.env.user, wording.env.char, self.members)
        return ExampleMessages(ID, speakers, heading, key, origin, yields=self.settings.examples == "fitting")

    def _joined(self, drafts: list[Draft]) -> list[Draft]:
        """With what goes to one place as one message, lore in its form, and the user's words after a reply."""
        settings = self.settings
        if settings.one_message:
            drafts = Joiner(ID, self.places.seats).joined(drafts)
            empty = [draft for draft in drafts if draft.key in self.places.seats and not (draft.text or draft.assets)]
            if empty:
                self.left_out.setdefault(BLANK, []).extend(empty)
                drafts = [draft for draft in drafts if draft not in empty]
        if settings.blank_prompts:
            empty = [draft for draft in drafts if draft.placement is None and draft.is_wordless]
            if empty:
                self.left_out.setdefault(EMPTY, []).extend(empty)
                drafts = [draft for draft in drafts if draft not in empty]
        if settings.lore_format.strip() and settings.lore_format != LORE_ALONE:
            drafts = [self._in_form(draft) for draft in drafts]
        if settings.after_reply.strip() and not self.history_is_off and self.ctx.input.turn == "normal":
            drafts = self._with_words_after_reply(drafts)
        return drafts

    def _with_words_after_reply(self, drafts: list[Draft]) -> list[Draft]:
        end = end_of_history(drafts)
        if end == 0 or drafts[end - 1].role != "assistant":
            return drafts
        assert self.wording is not None
        made = self.wording.expanded(words_after_reply(self.settings.after_reply, ID))
        return [*drafts[:end], made, *drafts[end:]]

    def _in_form(self, draft: Draft) -> Draft:
        if draft.placement is None or draft.placement.kind != "lore" or draft.placement.anchor != "char":
            return draft
        assert self.wording is not None
        return formed(draft, self.wording.of_text(lore_form(self.settings.lore_format, ID), draft.key), ID)

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
