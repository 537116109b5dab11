"""Merge system messages at the head of the conversation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby, takewhile
from typing import Literal

from pydantic import Field

from ctxlab.context import Cause, Context, Draft, merged_draft
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.pipeline import Processor, ProcessorSettings, Services, TokenCounter, form_hints
from ctxlab.processors.stored_formatter_rules import FORMATTERS, SEPARATOR, entry_from_rules, must_stay_unmerged

ID = "merge-system"
ALONE = frozenset({"newMainChat", "groupNudge"})
"""Parts of SillyTavern's prompt that are never joined with others."""


class MergeSystem(Processor):
    """Merge system messages at the head."""

    id = ID
    name = "Merge system messages"
    description = (
        "Joins the system messages at the head into one; with hoist=all the later ones too, even a single one."
    )
    priority = 500
    aliases = ("post:merge-system-to-head",)
    groups = FORMATTERS
    needs = ("history",)

    class Settings(ProcessorSettings):
        separator: str = Field(SEPARATOR, title="Separator", description="Put between joined messages.")
        hoist: Literal["leading", "all", "neighbours"] = Field(
            "leading",
            title="Hoist",
            description="Join only those at the head, move all system messages there, or join neighbours where they "
            "are, but for the new-chat line and example messages.",
            json_schema_extra=form_hints(
                labels={
                    "leading": "those at the head",
                    "all": "all, moved to the head",
                    "neighbours": "neighbours, where they are",
                }
            ),
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        fields = {"separator": "separator", "hoist": "hoist"}
        return entry_from_rules(stored, id=cls.id, rule="post:merge-system-to-head", fields=fields)

    def __call__(self, ctx: Context, services: Services) -> Context:
        if self.settings.hoist == "neighbours":
            return self._neighbours_joined(ctx)
        head = 0  # messages before the first one that stays behind the joined ones
        while head < len(ctx.drafts) and _joins(ctx.drafts[head]):
            head += 1
        parts = ctx.drafts[:head] if self.settings.hoist == "leading" else [d for d in ctx.drafts if _joins(d)]
        place = {id(draft): i for i, draft in enumerate(ctx.drafts)}
        leading = sum(1 for _ in takewhile(lambda draft: draft.role == "system", ctx.drafts))
        if len(parts) < 2 and all(place[id(part)] < leading for part in parts):
            return ctx
        wholes = [self._joined(list(run), place, head) for _, run in groupby(parts, key=lambda draft: draft.speaker)]
        gone = set(map(id, parts))
        return ctx.arrange([*wholes, *(draft for draft in ctx.drafts if id(draft) not in gone)])

    def _joined(self, run: Sequence[Draft], place: Mapping[int, int], head: int) -> Draft:
        """One message of those that one speaker says; it says so where it moves to the head."""
        whole = run[0]
        if len(run) > 1:
            cause = Cause(ID, self.settings.hoist, f"{len(run)} system messages are sent as one")
            whole = merged_draft(run, separator=self.settings.separator, cause=cause)
        first = place[id(run[0])]
        return whole if first < head else whole.moved(first, Cause(ID, "all", "system messages go to the head"))

    def _neighbours_joined(self, ctx: Context) -> Context:
        """As SillyTavern squashes system messages: by place, not the new-chat line, nor anything with a name."""
        out: list[Draft] = []
        for joins, run in groupby(ctx.drafts, key=lambda draft: _joins(draft) and not _stays_alone(draft)):
            parts = list(run)
            if joins and len(parts) > 1:
                cause = Cause(ID, "neighbours", f"{len(parts)} system messages in a row are sent as one")
                parts = [merged_draft(parts, separator=self.settings.separator, cause=cause)]
            out.extend(parts)
        return ctx.arrange(out)

    def may_add_tokens(self, tokenizer: TokenCounter) -> int:
        return max(0, tokenizer.count(self.settings.separator) + 1 - tokenizer.message_tokens)


def _stays_alone(draft: Draft) -> bool:
    """Whether SillyTavern keeps a system message apart from its neighbours."""
    of_examples = draft.placement is not None and draft.placement.block is not None
    return bool(draft.speaker) or of_examples or draft.meta.get("stPromptName") in ALONE


def _joins(draft: Draft) -> bool:
    return draft.role == "system" and not must_stay_unmerged(draft)
