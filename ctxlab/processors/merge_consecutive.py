"""Merge consecutive messages of one role."""

from __future__ import annotations

from pydantic import Field

from ctxlab.context import Cause, Context, Draft, merged_draft
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.pipeline import Processor, ProcessorSettings, Services, TokenCounter
from ctxlab.processors.stored_formatter_rules import FORMATTERS, SEPARATOR, entry_from_rules, must_stay_unmerged

ID = "merge-consecutive"


class MergeConsecutive(Processor):
    """Merge neighbours of the same role."""

    id = ID
    name = "Merge consecutive roles"
    description = (
        "Joins neighbouring messages of one role; tool results stay with their calls, apart from others' words."
    )
    priority = 600
    aliases = ("post:merge-consecutive-roles",)
    groups = FORMATTERS
    needs = ("history",)

    class Settings(ProcessorSettings):
        separator: str = Field(SEPARATOR, title="Separator", description="Put between joined messages.")

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        fields = {"separator": "separator"}
        return entry_from_rules(stored, id=cls.id, rule="post:merge-consecutive-roles", fields=fields)

    def __call__(self, ctx: Context, services: Services) -> Context:
        runs: list[list[Draft]] = []
        for draft in ctx.drafts:
            if runs and _go_together(runs[-1][-1], draft):
                runs[-1].append(draft)
            else:
                runs.append([draft])
        if len(runs) == len(ctx.drafts):
            return ctx
        return ctx.arrange([self._joined(run) if len(run) > 1 else run[0] for run in runs])

    def _joined(self, run: list[Draft]) -> Draft:
        cause = Cause(ID, "same-role", f"{len(run)} {run[0].role} messages in a row are sent as one")
        return merged_draft(run, separator=self.settings.separator, cause=cause)

    def may_add_tokens(self, tokenizer: TokenCounter) -> int:
        return max(0, tokenizer.count(self.settings.separator) + 1 - tokenizer.message_tokens)


def _go_together(first: Draft, second: Draft) -> bool:
    """Same role and speaker, and neither calls that wait for results, nor results under whatever role."""
    return (
        first.role == second.role
        and first.speaker == second.speaker
        and not first.calls
        and not first.is_result
        and not second.is_result
        and not must_stay_unmerged(first)
        and not must_stay_unmerged(second)
    )
