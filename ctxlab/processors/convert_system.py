"""Convert system messages to user messages, for models without a system role."""

from __future__ import annotations

from ctxlab.context import Cause, Context, Draft
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.pipeline import Processor, Services
from ctxlab.processors.stored_formatter_rules import FORMATTERS, entry_from_rules, must_stay_unmerged

CAUSE = Cause("convert-system", "system-as-user", "system messages are sent under the user's role")


class ConvertSystem(Processor):
    """Send system messages under the user's role."""

    id = "convert-system"
    name = "System to user"
    description = "Gives system messages the user's role; the words stay."
    priority = 700
    default_enabled = False
    aliases = ("post:convert-system-to-user",)
    groups = FORMATTERS
    needs = ("history",)

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        return entry_from_rules(stored, id=cls.id, rule="post:convert-system-to-user", fields={})

    def __call__(self, ctx: Context, services: Services) -> Context:
        return ctx.edit(_as_user)


def _as_user(draft: Draft) -> Draft:
    return draft.changed(CAUSE, role="user") if draft.role == "system" and not must_stay_unmerged(draft) else draft
