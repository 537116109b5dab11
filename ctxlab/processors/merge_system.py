"""System messages as one."""

from __future__ import annotations

from itertools import dropwhile, takewhile
from typing import Literal

from pydantic import Field

from ctxlab.context import Cause, Context, Draft, merged_draft
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.pipeline import Processor, ProcessorSettings, Services, Tokenizer
from ctxlab.processors.formatting import FORMATTERS, SEPARATOR, entry_from_rules, stands_alone

ID = "merge-system"


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
            return self._hoisted(ctx)
        parts = list(takewhile(_joins, ctx.drafts))
        return self._at_the_head(ctx, parts) if len(parts) > 1 else ctx

    def _hoisted(self, ctx: Context) -> Context:
        """Every system message at the head, as one; a note names those that stood later."""
        parts = list(filter(_joins, ctx.drafts))
        later = [draft.key for draft in dropwhile(_is_system, ctx.drafts) if _joins(draft)]
        if len(parts) < 2 and not later:
            return ctx
        ctx = self._at_the_head(ctx, parts)
        if not later:
            return ctx
        what = "1 later system message is" if len(later) == 1 else f"{len(later)} later system messages are"
        return ctx.note("info", f"{what} sent at the head: {_few(later)}", processor=ID, keys=later)

    def _at_the_head(self, ctx: Context, parts: list[Draft]) -> Context:
        cause = Cause(ID, self.settings.hoist, f"{len(parts)} system messages are sent as one")
        single = len(parts) == 1
        whole = parts[0] if single else merged_draft(parts, separator=self.settings.separator, cause=cause)
        gone = {id(part) for part in parts}
        return ctx.arrange([whole, *(draft for draft in ctx.drafts if id(draft) not in gone)])

    def may_add_tokens(self, tokenizer: Tokenizer) -> int:
        return max(0, tokenizer.count(self.settings.separator) + 1 - tokenizer.message_tokens)


def _is_system(draft: Draft) -> bool:
    return draft.role == "system"


def _joins(draft: Draft) -> bool:
    return draft.role == "system" and not stands_alone(draft)


def _few(keys: list[str]) -> str:
    return ", ".join(keys[:5]) + (f" and {len(keys) - 5} more" if len(keys) > 5 else "")
