"""Make user and assistant alternate, for models that require it."""

from __future__ import annotations

from pydantic import Field

from ctxlab.context import Cause, Context, Draft, Origin, Text
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry, Role
from ctxlab.pipeline import Processor, ProcessorSettings, Services, TokenCounter
from ctxlab.processors.stored_formatter_rules import FORMATTERS, entry_from_rules, must_stay_unmerged

ID = "ensure-alternating"


class EnsureAlternating(Processor):
    """Put a short message between two of the same role."""

    id = ID
    name = "Alternate roles"
    description = "Puts a placeholder between two user messages or two assistant messages in a row."
    priority = 800
    default_enabled = False
    aliases = ("post:ensure-alternating-roles",)
    groups = FORMATTERS
    needs = ("history",)

    class Settings(ProcessorSettings):
        user_placeholder: str = Field(
            "Go on.", title="User placeholder", description="Put between two assistant messages."
        )
        assistant_placeholder: str = Field(
            "Noted.", title="Assistant placeholder", description="Put between two user messages."
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        fields = {"userPlaceholder": "user_placeholder", "assistantPlaceholder": "assistant_placeholder"}
        return entry_from_rules(stored, id=cls.id, rule="post:ensure-alternating-roles", fields=fields)

    def __call__(self, ctx: Context, services: Services) -> Context:
        out: list[Draft] = []
        for draft in ctx.drafts:
            if out and _clash(out[-1], draft):
                out.append(self._placeholder(draft.role, len(out)))
            out.append(draft)
        return ctx.arrange(out)

    def _placeholder(self, beside: Role, n: int) -> Draft:
        role: Role = "assistant" if beside == "user" else "user"
        words = self.settings.assistant_placeholder if role == "assistant" else self.settings.user_placeholder
        cause = Cause(ID, "placeholder", f"two {beside} messages stood side by side")
        origin = Origin("notice", ID)
        return Draft(f"made:{ID}:{n}", role, (Text.of(words, origin, cause),), origin, pinned=True)

    def may_add_tokens(self, tokenizer: TokenCounter) -> int:
        words = (self.settings.user_placeholder, self.settings.assistant_placeholder)
        return tokenizer.message_tokens + max(tokenizer.count(text) for text in words)


def _clash(first: Draft, second: Draft) -> bool:
    return (
        first.role == second.role
        and first.role in ("user", "assistant")
        and not must_stay_unmerged(first)
        and not must_stay_unmerged(second)
    )
