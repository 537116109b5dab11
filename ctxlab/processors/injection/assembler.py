"""Put presets and lore around, into and between the history."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ctxlab.context import Context, Dropped
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.pipeline import Processor, Services
from ctxlab.processors.injection.finished_messages import FinishedMessages
from ctxlab.processors.injection.history_texts import history_of
from ctxlab.processors.injection.injection_run import ID, InjectionRun
from ctxlab.processors.injection.message_order import MessageOrder
from ctxlab.processors.injection.message_words import MessageWords
from ctxlab.processors.injection.place_lore import LoreDraft, lore_of
from ctxlab.processors.injection.place_sorter import PlaceSorter
from ctxlab.processors.injection.plan import Places
from ctxlab.processors.injection.preset_drafts import PresetDrafts
from ctxlab.processors.injection.presets import Preset, presets_of, tools_preset
from ctxlab.processors.injection.read_preset_placement import ANCHORS, Anchor
from ctxlab.processors.injection.settings import InjectionSettings


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
        history = history_of(ctx, self.settings)
        stays = history is ctx.drafts and not (self.settings.expands_messages or self.settings.after_reply)
        if not presets and not lore and stays:
            return ctx
        run = InjectionRun(ctx, self.settings, services, history, self.anchors, Places(len(ctx.drafts)))
        return self._placed(run, presets, lore)

    def _placed(self, run: InjectionRun, presets: Sequence[Preset], lore: Sequence[LoreDraft]) -> Context:
        """The context with everything in its place, worded and joined."""
        made = PresetDrafts(run)
        sorter = PlaceSorter(run, made, takes_plugins=self.takes_plugins)
        sorter.sort_presets(presets)
        sorter.sort_lore(lore)
        words = MessageWords(run, made)
        worded = words.worded(MessageOrder(run, made).pieces())
        drafts = FinishedMessages(run, words.wording).finished(worded)
        words.keep_what_macros_did()
        groups = [Dropped(tuple(drafts), cause) for cause, drafts in run.left_out.items()]
        return run.ctx.arrange(drafts, dropped=groups)


def _with_notes_of_tools(ctx: Context) -> Context:
    """The context with a note for each setting of the agent's tools that was not taken."""
    config = ctx.input.agent.tool_call_config if ctx.input.agent is not None else None
    return ctx.noted([replace(note, processor=ID) for note in ToolCallConfig.of(config).problems]) if config else ctx
