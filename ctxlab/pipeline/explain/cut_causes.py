"""Why each message that was taken out is not sent, in a sentence of its own with its own numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.context import Dropped

if TYPE_CHECKING:
    from ctxlab.pipeline.trace import Trace


def cut_causes(trace: Trace) -> dict[str, str]:
    """By key, why each dropped message isn't sent; the parts of a merged one have its sentence.

    Tokens needed and left are said of the messages at which a cut began; of the others, how they stood to those.
    """
    found: dict[str, str] = {}
    for group in trace.result.dropped:
        sentence = cut_cause(group)
        for draft in group.drafts:
            found[draft.key] = sentence
            found |= {part.key: sentence for part in draft.merged}
    return found


def cut_cause(group: Dropped) -> str:
    """The rule and the reason of a group, without the step: `sliding: needed 122 tokens, 54 were left`."""
    rule, reason = group.cause.rule, group.cause.reason
    return f"{rule}: {reason}" if reason else rule
