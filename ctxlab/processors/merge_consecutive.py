"""Merge consecutive messages of one role."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from ctxlab.context import Cause, Context, Draft, merged_draft
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.pipeline import Processor, ProcessorSettings, Services, TokenCounter, form_hints
from ctxlab.processors.roles_for_server import Roles, RolesForServer, with_changes_since
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
        roles: Roles = Field(
            "kept",
            title="Roles",
            description="Join by the roles as they are, or give them another role first: SillyTavern's processing of "
            "prompts for servers that want few roles. Names then go into the texts.",
            json_schema_extra=form_hints(
                labels={
                    "kept": "as they are",
                    "merge": "as they are, names in the texts",
                    "semi": "later system messages are the user's",
                    "strict": "later system messages are the user's, who speaks first",
                    "single": "everything is the user's",
                }
            ),
        )
        tools: bool = Field(
            True, title="Tool calls", description="Keep tool calls; without them results are the user's words."
        )
        first_words: str = Field(
            "[Start a new chat]",
            title="First words",
            description="The user's words that strict puts where no message of the user comes first.",
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        fields = {"separator": "separator"}
        return entry_from_rules(stored, id=cls.id, rule="post:merge-consecutive-roles", fields=fields)

    def __call__(self, ctx: Context, services: Services) -> Context:
        start = ctx
        if self.settings.roles != "kept":
            ctx = RolesForServer.of(
                ctx, self.settings.roles, self.settings.first_words, tools=self.settings.tools
            ).sent()
        runs: list[list[Draft]] = []
        for draft in ctx.drafts:
            if runs and _go_together(runs[-1][-1], draft, by_role=self.settings.roles != "kept"):
                runs[-1].append(draft)
            else:
                runs.append([draft])
        if len(runs) == len(ctx.drafts):
            return ctx
        were = {draft.key: draft for draft in start.drafts} if ctx is not start else {}
        return ctx.arrange([self._joined(run, were) if len(run) > 1 else run[0] for run in runs])

    def _joined(self, run: list[Draft], were: Mapping[str, Draft]) -> Draft:
        cause = Cause(ID, "same-role", f"{len(run)} {run[0].role} messages in a row are sent as one")
        whole = merged_draft(run, separator=self.settings.separator, cause=cause)
        return with_changes_since(whole, [were[part.key] for part in run if part.key in were]) if were else whole

    def may_add_tokens(self, tokenizer: TokenCounter) -> int:
        return max(0, tokenizer.count(self.settings.separator) + 1 - tokenizer.message_tokens)


def _go_together(first: Draft, second: Draft, *, by_role: bool) -> bool:
    """Same role and speaker, and neither calls that wait for results, nor results under whatever role.

    `by_role` asks for the role alone, and for words to be joined.
    """
    if by_role:
        return first.role == second.role and second.role != "tool" and bool(second.text or second.assets)
    return (
        first.role == second.role
        and first.speaker == second.speaker
        and not first.calls
        and not first.is_result
        and not second.is_result
        and not must_stay_unmerged(first)
        and not must_stay_unmerged(second)
    )
