"""Metadata that belongs to one text or to one run, and doesn't outlive it."""

from __future__ import annotations

from typing import Any, cast

from ctxlab.documents.message import GROUPS, MessageNode

CACHES = (
    "contentTokens",
    "lastCalcHash",
    "sessionVariableSnapshot",
    "tokenCount",
    "tokenCountEstimated",
    "translation",
    "usage",
)
"""What is computed from the text: stale as soon as it changes."""

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
"""What the run that wrote a message left on it. `requestParameters` stay: they say how it was asked."""

CALLS = ("toolCallsRequested", "toolCalls")
"""Calls go as well: their results hang below the original, so on a copy they would wait for ever. A tool message keeps
what it has under these names, for there it is the call that it answers."""


def without_caches(node: MessageNode) -> MessageNode:
    """The message without what was computed from an earlier text; the same one where there is nothing of it."""
    metadata = _without(node.metadata, CACHES)
    return node if metadata is node.metadata else node.model_copy(update={"metadata": metadata})


def without_run_state(node: MessageNode) -> MessageNode:
    """The message as it would be if nobody had run anything with it yet."""
    calls = () if node.role == "tool" else CALLS
    metadata = _without(node.metadata, (*RUN_STATE, *calls))
    return node.without("status", *calls).model_copy(update={"metadata": metadata} if node.metadata else {})


def _without(metadata: dict[str, Any] | None, names: tuple[str, ...]) -> dict[str, Any] | None:
    """Metadata without these names, flat or in the groups that some files use; the same where it has none of them."""
    if not metadata:
        return metadata
    kept = {name: value for name, value in metadata.items() if name not in names}
    for group in GROUPS:
        inner = kept.get(group)
        if isinstance(inner, dict) and not inner.keys().isdisjoint(names):
            kept[group] = {name: value for name, value in cast("dict[str, Any]", inner).items() if name not in names}
    return metadata if kept == metadata else kept
