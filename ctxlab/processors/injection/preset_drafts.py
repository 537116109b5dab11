"""The draft that a preset becomes, with its words for this run and the files that it shows."""

from __future__ import annotations

from dataclasses import replace

from ctxlab.context import NOTHING, AssetRef, Cause, Draft, Origin, Placement, Text
from ctxlab.documents import MessageNode
from ctxlab.documents.agent.continued_reply import CONTINUE_NUDGE
from ctxlab.processors.injection.example_messages import STARTS
from ctxlab.processors.injection.injection_run import ID, InjectionRun
from ctxlab.processors.injection.made_texts import with_newest_message
from ctxlab.processors.injection.presets import Preset, assets_by_id
from ctxlab.processors.injection.read_preset_placement import EXAMPLE_START, GROUP_TEXT, role_in_prompt


class PresetDrafts:
    """Makes drafts of presets, and leaves out those that aren't sent."""

    def __init__(self, run: InjectionRun) -> None:
        self.run = run
        self.assets = assets_by_id(run.ctx.input.agent)

    def draft(self, preset: Preset, placement: Placement) -> Draft:
        node = preset.node
        origin = Origin("notice" if preset.level == "tools" else "preset", preset.ref)
        assets = self._assets(preset) if placement.kind != "none" else ()
        if preset.level == "agent" and self.run.ctx.input.agent is not None:
            self.run.dialects[preset.key] = self.run.ctx.input.agent.macro_dialect
        self.run.names[preset.key] = role_in_prompt(node)
        text = Text.of(self._content(node), origin)
        if role_in_prompt(node) == CONTINUE_NUDGE and self.run.ctx.drafts:
            text = with_newest_message(text, str(self.run.ctx.drafts[-1].text))
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

    def leave_out(self, preset: Preset, rule: str, reason: str) -> None:
        self.run.leave_out(Cause(ID, rule, reason), [self.draft(preset, Placement("none"))])
        if rule == "no-depth":
            self.run.warn(f"{preset.place} is not sent: {reason}", preset)

    def _content(self, node: MessageNode) -> str:
        """The words of a preset: those for a group in one, and examples as one text with the line before each."""
        in_group = node.meta(GROUP_TEXT) if self.run.members else None
        if isinstance(in_group, str):
            return in_group
        start = node.meta(EXAMPLE_START) if self.run.settings.examples == "text" else None
        return STARTS.sub(lambda _: start, node.content) if isinstance(start, str) else node.content

    def _assets(self, preset: Preset) -> tuple[AssetRef, ...]:
        agent = self.run.ctx.input.agent
        if not preset.node.preset_attachments or agent is None:
            return ()
        found: list[AssetRef] = []
        for attachment in preset.node.preset_attachments:
            asset = self.assets.get(attachment.asset_id)
            if asset is None:
                wanted = f"{preset.place} shows asset {attachment.asset_id!r}"
                self.run.warn(f"{wanted}, which the agent does not have", preset)
            else:
                found.append(AssetRef.of_agent(asset, agent.id))
        return tuple(found)
