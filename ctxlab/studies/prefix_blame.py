"""The first place at which a built prompt is no longer the one before it, and the step and the rule to blame."""

from __future__ import annotations

from ctxlab.context import Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.alignment import aligned
from ctxlab.pipeline.shared_beginning import common_prefix_tokens, is_sent_alike, tools_of
from ctxlab.providers.prefix_breaks import PrefixBreak, prefix_breaks

TOOLS = "tools"
"""The key of a break in front of all messages."""


@dataclass(frozen=True, slots=True, eq=False)
class PrefixBlame:
    """The end of what two prompts share: message `at`, counted from 0, in both where both go on.

    `found` names the message, the step and the reason. `lost_tokens` stood in the prompt before, behind the break, and
    are sent again.
    """

    found: PrefixBreak
    at: int
    before: Draft | None
    after: Draft | None
    common_tokens: int
    lost_tokens: int


def prefix_blame(old: Trace, new: Trace) -> PrefixBlame | None:
    """The break between two runs in a row; None where one prompt is the beginning of the other."""
    common = common_prefix_tokens(old, new)
    lost = max(0, min(old.tokens, new.tokens) - common)
    if tools_of(old) != tools_of(new):
        return PrefixBlame(PrefixBreak(TOOLS, "", "the tools are others than before"), 0, None, None, common, lost)
    was, now = old.result.drafts, new.result.drafts
    at = next((n for n, (a, b) in enumerate(zip(was, now, strict=False)) if not is_sent_alike(a, b)), None)
    if at is None:
        return None
    return PrefixBlame(_break_at(old, new, was[at], now[at]), at, was[at], now[at], common, lost)


def _break_at(old: Trace, new: Trace, before: Draft, after: Draft) -> PrefixBreak:
    """The break at the first message that differs: of what came or changed there, or of what went from there."""
    found = {each.key: each for each in reversed(prefix_breaks(old, new))}
    there, here = ([draft.key for draft in trace.result.drafts] for trace in (old, new))
    pairs = dict(aligned(there, here).pairs)
    went = there.index(before.key) not in pairs and here.index(after.key) in pairs.values()
    for key in (before.key, after.key) if went else (after.key, before.key):
        if key in found:
            return found[key]
    return next(iter(found.values()), PrefixBreak(after.key, "", "it isn't what it was"))
