"""Move the message that is continued to the end, where a model goes on with it."""

from __future__ import annotations

from typing import Final

from ctxlab.context import Cause, Context, Draft
from ctxlab.documents.agent.continued_reply import CONTINUE_NUDGE
from ctxlab.pipeline import Processor, Services

ID = "continued-reply"
HISTORY: Final = ("node", "pending")
LAST: Final = Cause(ID, "continued", "the message that is to be gone on with stands last")
NAMELESS: Final = Cause(ID, "continued", "the message that words ask to go on with has its speaker in no field")


class ContinuedReply(Processor):
    """In a turn that continues, put the newest message behind everything but the words that ask to go on."""

    id = ID
    name = "Continued reply"
    description = "In a turn that continues a message, puts it last, before the words that ask to go on with it."
    priority = 310
    default_enabled = False
    needs = ("history",)

    def __call__(self, ctx: Context, services: Services) -> Context:
        if ctx.input.turn != "continue":
            return ctx
        at = next((i for i in reversed(range(len(ctx.drafts))) if ctx.drafts[i].origin.kind in HISTORY), None)
        if at is None:
            return ctx
        others = [draft for i, draft in enumerate(ctx.drafts) if i != at]
        nudges = [draft for draft in others if _is_nudge(draft)]
        before = [draft for draft in others if not _is_nudge(draft)]
        continued = ctx.drafts[at] if len(before) == at else ctx.drafts[at].moved(at, LAST)
        if nudges and continued.speaker is not None:
            continued = continued.changed(NAMELESS, speaker=None)
        return ctx if continued is ctx.drafts[at] else ctx.arrange([*before, continued, *nudges])


def _is_nudge(draft: Draft) -> bool:
    return draft.meta.get("stPromptName") == CONTINUE_NUDGE
