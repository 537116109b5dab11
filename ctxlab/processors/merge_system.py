"""System messages as one."""

from __future__ import annotations

from itertools import takewhile
from typing import Literal

from pydantic import Field

from ctxlab.context import Cause, Context, merged_draft
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.pipeline import Processor, ProcessorSettings, Services, Tokenizer
from ctxlab.processors.formatting import FORMATTERS, SEPARATOR, entry_from_rules, stands_alone

ID = "merge-system"


class MergeSystem(Processor):
    """Merge system messages at the head."""

    id = ID
    name = "Merge system messages"
    description = "Joins the system messages at the head into one; with hoist=all the later ones too."
    priority = 500
    aliases = ("post:merge-system-to-head",)
    groups = FORMATTERS
    needs = ("history",)

    class Settings(ProcessorSettings):
        separator: str = Field(SEPARATOR, title="Separator", description="Put between joined messages.")
        hoist: Literal["leading", "all"] = Field(
            "leading", title="Hoist", description="Join only those at the head, or move all system messages there."
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        fields = {"separator": "separator", "hoist": "hoist"}
        return entry_from_rules(stored, id=cls.id, rule="post:merge-system-to-head", fields=fields)

    def __call__(self, ctx: Context, services: Services) -> Context:
        if self.settings.hoist == "all":
            parts = [draft for draft in ctx.drafts if draft.role == "system" and not stands_alone(draft)]
        else:
            parts = list(takewhile(lambda draft: draft.role == "system" and not stands_alone(draft), ctx.drafts))
        if len(parts) < 2:
            return ctx
        cause = Cause(ID, self.settings.hoist, f"{len(parts)} system messages are sent as one")
        whole = merged_draft(parts, separator=self.settings.separator, cause=cause)
        gone = {id(part) for part in parts}
        return ctx.arrange([whole, *(draft for draft in ctx.drafts if id(draft) not in gone)])

    def may_add_tokens(self, tokenizer: Tokenizer) -> int:
        return max(0, tokenizer.count(self.settings.separator) + 1 - tokenizer.message_tokens)
