"""Metadata that belongs to one text or to one run, and is removed from copies."""

from __future__ import annotations

from typing import Any, cast

from ctxlab.documents.session.message import GROUPS, MessageNode

SNAPSHOT = "sessionVariableSnapshot"
"""Variables after a message: stale when any message up to it changes."""

TRANSLATION = "translation"

CACHES = (
    SNAPSHOT,
    "contentTokens",
    "lastCalcHash",
    "tokenCount",
    "tokenCountEstimated",
    TRANSLATION,
    "usage",
)
"""Values computed from the text: stale as soon as it changes."""

RUN_STATE = (
    *CACHES,
    "continuationPrefix",
    "emptyResponseDiagnostic",
    "error",
    "firstTokenTime",
    "isCancelled",
    "isContinuation",
    "isContinuationPrefix",
    "isQueued",
    "isTruncated",
    "reasoningArtifacts",
    "reasoningContent",
    "reasoningEndTime",
    "reasoningStartTime",
    "reasoningStateStatus",
    "reasoningStateWarning",
    "requestEndTime",
    "requestStartTime",
    "tokensPerSecond",
)
"""Metadata of the run that wrote a message. `requestParameters` stay: they are those of its request."""

CALLS = ("toolCallsRequested", "toolCalls")
"""The results hang below the original: on a copy these calls would stay without an answer. A tool message keeps what it
has under these names, for there it is the call that it answers."""


def without_run_state(node: MessageNode) -> MessageNode:
    """The message as if nothing had been run with it yet."""
    calls = () if node.role == "tool" else CALLS
    return without_metadata(node, *RUN_STATE, *calls).without("status", *calls)


def without_metadata(node: MessageNode, *names: str) -> MessageNode:
    """The message without these metadata, flat or in groups as in some files; the same if it has none of them."""
    if not node.metadata:
        return node
    kept = {name: value for name, value in node.metadata.items() if name not in names}
    for group in GROUPS:
        inner = kept.get(group)
        if isinstance(inner, dict) and not inner.keys().isdisjoint(names):
            kept[group] = {name: value for name, value in cast("dict[str, Any]", inner).items() if name not in names}
    return node if kept == node.metadata else node.model_copy(update={"metadata": kept})
