"""The events of a turn folded into its session: each beginning of the log gives a sound session."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, Final, cast

from ctxlab.chat.events import (
    CallAdded,
    Compressed,
    Data,
    FileUploaded,
    ReplyFinished,
    RequestSent,
    TextAdded,
    ThoughtAdded,
    ToolFinished,
    TurnCancelled,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from ctxlab.chat.growing_reply import UNFINISHED_CALLS, GrowingReply
from ctxlab.chat.node_times import END, START, after, milliseconds, tokens_per_second
from ctxlab.documents import Session
from ctxlab.documents.frozen_json import frozen
from ctxlab.documents.session.message import ToolCall, checked_fields
from ctxlab.documents.session.metadata_not_copied import RUN_STATE
from ctxlab.documents.session.session_builder import SessionBuilder

FUNCTION: Final = "function"
"""Provider of the requests that go to a function of one's own."""
STRUCTURE: Final = frozenset({"id", "parentId", "childrenIds", "lastSelectedChildId"})
OF_ONE_REPLY: Final = frozenset({*RUN_STATE, "response", "requestParameters", "toolCallsRequested", UNFINISHED_CALLS})
"""Metadata that the next reply of a turn doesn't take from the one before it."""
CUT_SHORT: Final = frozenset(
    {"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_context_window_exceeded"}
)
"""Reasons to end that mean: the reply is longer than it may be."""
CANCELLED_CALL: Final = "The turn was cancelled before there was a result."
UNANSWERED_CALL: Final = "The turn ended before there was a result."


def folded(session: Session, events: Iterable[TurnEvent]) -> Session:
    """The session after these events, which go on where those that were folded into it before ended."""
    folding = Folding(session)
    for event in events:
        folding.add(event)
    return folding.session


class Folding:
    """Folds events into a session one after the other; a piece of a reply costs no more in a long one.

    All that it knows is in the session, so that another can go on where it ended. Its session may be asked for from any
    thread.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reply: GrowingReply | None = None
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"Folding({self._session!r})"

    @property
    def session(self) -> Session:
        """The session after all events so far."""
        with self._lock:
            self._close_reply(keep_open=True)
            return self._session

    def add(self, event: TurnEvent) -> None:
        """Fold in one more event."""
        with self._lock:
            self._add(event)

    def _add(self, event: TurnEvent) -> None:
        match event:
            case TurnStarted():
                self._start(event)
            case TextAdded() | ThoughtAdded() | CallAdded():
                self._open().add(event)
            case RequestSent():
                self._request(event)
            case ReplyFinished():
                self._finish(event)
            case ToolFinished():
                self._append(_result(event.call_id, event.name, event.status, event.node))
            case Compressed():
                self._compressed(event)
            case FileUploaded():
                self._uploaded(event)
            case TurnCancelled() | TurnFailed() | TurnFinished():
                self._end(event)
            case _:  # what is about attempts, approval and starts of tools leaves nothing in the session
                pass

    # --- the reply that is on its way

    def _open(self) -> GrowingReply:
        """The reply that grows: the active leaf where it is being generated, else a new one below it."""
        if self._reply is None:
            leaf = self._session.leaf_node
            if leaf is None or leaf.status != "generating":
                self._append({"role": "assistant", "content": "", "status": "generating", **_next_reply(self._session)})
                leaf = self._session.leaf_node
            assert leaf is not None
            self._reply = GrowingReply(leaf)
        return self._reply

    def _is_open(self) -> bool:
        leaf = self._session.leaf_node
        return leaf is not None and leaf.status == "generating"

    def _close_reply(self, *, keep_open: bool = False) -> None:
        reply = self._reply
        if reply is not None:
            if reply.changed:
                self._put(reply.node.id, content=reply.content, metadata=reply.stored_metadata())
                reply.changed = False
            if not keep_open:
                self._reply = None

    def _put(self, key: str, **fields: Any) -> None:
        revision = SessionBuilder(self._session)
        fields = {name: frozen(value) for name, value in fields.items()}
        revision.put(key, **fields)
        self._session = revision.session()

    def _append(self, fields: Data, *, parent: str | None = None, id: str | None = None) -> None:
        self._close_reply()
        given = {name: value for name, value in fields.items() if name not in STRUCTURE}
        content, role = str(given.pop("content", "")), given.pop("role", "assistant")
        wanted = id if id is not None else _free(self._session, fields.get("id"))
        self._session = self._session.append(content, role=role, parent=parent, id=wanted, **given)

    # --- events

    def _start(self, event: TurnStarted) -> None:
        times = {"timestamp": event.timestamp} if event.timestamp is not None else {}
        parent = event.parent
        if event.question_id is not None:
            question = {"role": "user", "status": "complete", **(event.question or {}), **times}
            self._append(question, parent=parent, id=event.question_id)
            parent = event.question_id
        reply = {"role": "assistant", "content": "", **event.reply, "status": "generating", **times}
        self._append(reply, parent=parent, id=event.reply_id)

    def _request(self, event: RequestSent) -> None:
        model = "modelName" if event.provider == FUNCTION else "modelId"  # a function's name finds no model later
        found = {model: event.model, "providerType": event.provider, "requestParameters": dict(event.parameters)}
        found = {name: value for name, value in found.items() if value}
        start = milliseconds(event.timestamp)
        self._open().mark(**found, **({START: start} if start is not None else {}))

    def _finish(self, event: ReplyFinished) -> None:
        reply = self._open()
        self._close_reply()
        first, *more = event.nodes or ({},)
        key, node = reply.node.id, self._session.nodes[reply.node.id]
        metadata = {**(node.metadata or {}), **cast("Data", first.get("metadata") or {})}
        metadata.pop(UNFINISHED_CALLS, None)
        metadata |= _of_end(metadata, event)
        kept = {name: value for name, value in first.items() if name not in STRUCTURE and name != "role"}
        self._put(key, **checked_fields({**kept, "status": "complete", "metadata": metadata}))
        shared = _next_reply(self._session)["metadata"] if more else {}
        for fields in more:
            own = {**shared, **cast("Data", fields.get("metadata") or {})}
            self._append({"role": "assistant", **fields, "status": "complete", "metadata": own})

    def _compressed(self, event: Compressed) -> None:
        from ctxlab.chat.compression.summary_node import with_summary_node

        self._close_reply()
        self._session = with_summary_node(self._session, event.node)

    def _uploaded(self, event: FileUploaded) -> None:
        from ctxlab.chat.uploads import with_upload

        for node in self._session.path():
            if (attachments := with_upload(node.attachments, event)) is not None:
                self._put(node.id, attachments=attachments)

    def _end(self, event: TurnCancelled | TurnFailed | TurnFinished) -> None:
        was_open = self._is_open()
        self._close_reply()
        if was_open:
            self._mark_leaf(event, status="error" if isinstance(event, TurnFailed) else "complete")
        elif not isinstance(event, TurnFinished):
            self._answer_calls(event)
            leaf = self._session.leaf_node
            if isinstance(event, TurnFailed) and leaf is not None and leaf.role != "assistant":
                self._append({"role": "assistant", "content": "", **_next_reply(self._session)})
            if leaf is not None:
                self._mark_leaf(event, status="error" if isinstance(event, TurnFailed) else "complete")

    def _mark_leaf(self, event: TurnCancelled | TurnFailed | TurnFinished, *, status: str) -> None:
        node = self._session.leaf_node
        if node is None:
            return
        metadata = dict(node.metadata or {})
        end = milliseconds(event.timestamp)
        if START in metadata and END not in metadata and end is not None:
            metadata[END] = end
        if isinstance(event, TurnCancelled):
            metadata["isCancelled"] = True
        if isinstance(event, TurnFailed):
            metadata["error"] = event.text
        self._put(node.id, status=status, metadata=metadata or None)

    def _answer_calls(self, event: TurnCancelled | TurnFailed) -> None:
        """Results for the calls that have none, so that no call stays without one."""
        status, text = (
            ("cancelled", CANCELLED_CALL) if isinstance(event, TurnCancelled) else ("failed", UNANSWERED_CALL)
        )
        for call in open_calls(self._session):
            self._append(_result(call.id, call.name, status, {"content": text}))


def open_calls(session: Session) -> tuple[ToolCall, ...]:
    """The calls of the newest reply on the active path that have no result yet, in their order."""
    answered: set[str] = set()
    for node in reversed(session.path()):
        if node.role == "tool" and node.result_of is not None:
            answered.add(node.result_of)
        elif not node.is_summary:
            return tuple(call for call in node.tool_calls if call.id not in answered)
    return ()


def _next_reply(session: Session) -> dict[str, Any]:
    """The fields that another reply of the same turn has of the one before it: who wrote it, and when it was begun."""
    before = next((node for node in reversed(session.path()) if node.role == "assistant" and not node.is_summary), None)
    if before is None:
        return {"metadata": {}}
    shared = {name: value for name, value in (before.metadata or {}).items() if name not in OF_ONE_REPLY}
    times = {"timestamp": before.timestamp} if before.timestamp is not None else {}
    return {"metadata": shared, **times}


def _of_end(metadata: Data, event: ReplyFinished) -> dict[str, Any]:
    end = after(metadata, event.seconds)
    end = end if end is not None else (milliseconds(event.timestamp) if START in metadata else None)
    found: dict[str, Any] = {END: end} if end is not None else {}
    speed = tokens_per_second({**metadata, **found})
    found |= {"tokensPerSecond": speed} if speed is not None else {}
    return {**found, "isTruncated": True} if event.finish_reason in CUT_SHORT else found


def _result(call_id: str, name: str, status: str, node: Data) -> dict[str, Any]:
    """The fields of a result's node, which names the call that it answers."""
    metadata = cast("Data", node.get("metadata") or {})
    known = cast("Data", metadata.get("toolCall") or {})
    call = {"requestId": call_id, "toolName": name, "status": status, **known}
    return {"content": "", **node, "role": "tool", "status": "complete", "metadata": {**metadata, "toolCall": call}}


def _free(session: Session, wanted: Any) -> str | None:
    """The id that a node's fields name, where no other node has it."""
    return wanted if isinstance(wanted, str) and wanted and wanted not in session.nodes else None
