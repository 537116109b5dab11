"""The messages of a path as a build sent them: whole, in part or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ctxlab.context import Context, Draft
from ctxlab.engines.truncation import SHORTENED
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.processors import TokenLimiter
from ctxlab.studies.message_outcomes import before_cutting

NODE = "node:"
OF_HISTORY = frozenset({"node", "summary"})
"""Kinds of origin of the messages that a conversation holds."""


@dataclass(frozen=True, slots=True, eq=False)
class MessageStates:
    """The messages of a run before anything was cut, and those that are sent with what they were merged into.

    `before` are those of the history in order; `sent` is by key of each part, the message that it went in.
    """

    before: tuple[Draft, ...]
    sent: Mapping[str, Draft]

    @classmethod
    def of(cls, trace: Trace) -> MessageStates:
        before = tuple(draft for draft in _before_the_cut(trace).drafts if draft.origin.kind in OF_HISTORY)
        return cls(before, {part.key: draft for draft in trace.result.drafts for part in draft.parts})

    def is_whole(self, draft: Draft) -> bool:
        """Whether every word of a message that was there before the cut is sent as this message's own."""
        whole = self.sent.get(draft.key)
        if whole is None:
            return False
        if whole.body is draft.body:
            return True
        if _is_shortened(whole, draft):
            return False
        return str(draft.text).strip() in str(whole.text)

    def own_words(self, draft: Draft) -> str:
        """The words of a message as they are sent, without those of others that it was merged with."""
        whole = self.sent.get(draft.key)
        if whole is None:
            return ""
        if len(whole.parts) == 1:
            return str(whole.text)
        return "".join([span.text for span in whole.text.spans if span.origin.ref == draft.origin.ref])

    def whole_keys(self, keys: Sequence[str]) -> list[str]:
        """Of these keys those whose messages are sent whole."""
        wanted = frozenset(keys)
        named = ((part.key, draft) for draft in self.before for part in draft.parts if part.key in wanted)
        whole = {key for key, draft in named if self.is_whole(draft)}
        return [key for key in keys if key in whole]


def _before_the_cut(trace: Trace) -> Context:
    """The context that the limiter gets; where it doesn't run, the one before anything was taken out or joined."""
    found = next((step.before for step in trace.steps if step.id == TokenLimiter.id), None)
    return found if found is not None else before_cutting(trace)


def _is_shortened(whole: Draft, draft: Draft) -> bool:
    """Whether a cut to its head is among the causes of a message's own words."""
    own = (span for span in whole.text.spans if span.origin.ref == draft.origin.ref)
    return any(span.cause is not None and span.cause.rule == SHORTENED for span in own) or (
        len(whole.parts) == 1 and any(s.cause is not None and s.cause.rule == SHORTENED for s in whole.text.spans)
    )
