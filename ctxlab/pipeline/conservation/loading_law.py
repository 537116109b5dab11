"""The law for steps that load the conversation: each message of the path is as stored, or changed with a cause."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.context import Context, Draft, Text
from ctxlab.display.short_texts import short
from ctxlab.documents import MessageNode
from ctxlab.documents.kept_facts import KeptFacts
from ctxlab.errors import UnexplainedChange, UnexplainedDrop, UnexplainedRewrite
from ctxlab.pipeline.conservation.cause_is_valid import check_cause
from ctxlab.pipeline.conservation.undo_step import text_before


def check_loaded_history(after: Context, *, processor: str) -> None:
    """Every message of the path is among the drafts or the dropped, as it is stored or changed with a cause.

    An empty root is no message. Raises the law that is broken.
    """
    build_input = after.input
    leaf = build_input.leaf_id
    nodes = build_input.session.path(leaf) if leaf is not None else ()
    keys = [*[node.parent_id for node in nodes[1:]], leaf]
    found = _by_origin(after.drafts)
    for group in after.dropped:
        found.update(_by_origin(group.drafts))
    for key, node, faultless in zip(keys, nodes, FAULTLESS.of_all(nodes), strict=False):
        draft = found.get(key or "")
        if draft is None:
            if not node.is_empty_root:
                raise UnexplainedDrop(f"{processor} left out message {key!r} ({short(node.content)!r}) without a cause")
        elif draft is not faultless.draft:
            if draft.changes or not _is_as_stored(draft, node):
                _Loaded(draft, node, processor).check()
            else:
                faultless.draft = draft
    if build_input.pending is not None:
        typed = next((draft for draft in after.drafts if draft.origin.kind == "pending"), None)
        if typed is None or str(typed.text) != str(build_input.pending.text):
            raise UnexplainedDrop(f"{processor} left out what was typed ({short(str(build_input.pending.text))!r})")


def _by_origin(drafts: Sequence[Draft]) -> dict[str | None, Draft]:
    return {draft.origin.ref: draft for draft in drafts if draft.origin.kind in ("node", "summary")}


class _Faultless:
    """The draft of a stored message that was found to be as it is stored, so that another run needn't look again."""

    __slots__ = ("draft",)

    def __init__(self, node: MessageNode) -> None:
        self.draft: Draft | None = None


FAULTLESS: KeptFacts[MessageNode, _Faultless] = KeptFacts(_Faultless)


def _is_as_stored(draft: Draft, node: MessageNode) -> bool:
    """True if text, metadata and other fields are as stored; False for messages with files, which are checked apart."""
    body = draft.body
    if len(body) != 1 or not isinstance(text := body[0], Text) or len(text.spans) != 1 or node.attachments:
        return False
    (span,) = text.spans
    return (
        span.text is node.content
        and span.cause is None
        and draft.role == node.role
        and draft.speaker == node.speaker
        and draft.placement is None
        and (draft.meta is node.metadata or draft.meta == (node.metadata or {}))
        and (draft.calls, draft.result_of, draft.reasoning, draft.priority) == node.sent_fields
    )


class _Loaded:
    """A draft and the stored message that it was made of."""

    def __init__(self, draft: Draft, node: MessageNode, processor: str) -> None:
        self.draft, self.node, self.processor = draft, node, processor

    def check(self) -> None:
        draft, node = self.draft, self.node
        if not self._has_the_words():
            self._fail("content", node.content, str(draft.text))
        if node.attachments or draft.assets:
            stored, now = [asset.id for asset in node.attachments or ()], [asset.id for asset in draft.assets]
            self._check("files", stored, now)
        self._check("role", node.role, draft.role)
        self._check("speaker", node.speaker, draft.speaker)
        for name, stored in node.sent_fields._asdict().items():
            self._check(name, stored, getattr(draft, name))
        self._check("meta", node.metadata or {}, draft.meta)
        self._check("placement", None, draft.placement)

    def _has_the_words(self) -> bool:
        """True if undoing the step's edits gives the stored text."""
        spans = self.draft.text.spans
        if len(spans) == 1 and spans[0].cause is None:
            return spans[0].text is self.node.content or spans[0].text == self.node.content
        for span in spans:
            if span.cause is not None:
                what = f"put {short(span.text)!r} into {self.draft.key!r}"
                check_cause(span.cause, self.processor, what, UnexplainedRewrite)
        return text_before(spans, lambda span: span.cause is None) == self.node.content

    def _check(self, name: str, stored: Any, now: Any) -> None:
        if stored is now or stored == now:
            return
        if not any(change.field == name and change.cause.processor == self.processor for change in self.draft.changes):
            self._fail(name, stored, now)

    def _fail(self, name: str, stored: Any, now: Any) -> None:
        raise UnexplainedChange(
            f"{self.processor} changed {name} of {self.draft.key!r} from {short(repr(stored))} to {short(repr(now))} "
            f"and gives no cause"
        )
