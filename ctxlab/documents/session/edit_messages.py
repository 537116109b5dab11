"""Verbs that change a message in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.session.greetings import is_live, settle
from ctxlab.documents.session.message import DISABLED_REASON, Asset, MessageNode, checked_fields
from ctxlab.documents.session.metadata_not_copied import CACHES, SNAPSHOT, TRANSLATION, without_metadata
from ctxlab.documents.session.session_builder import SessionBuilder
from ctxlab.documents.session.tree_queries import descendants
from ctxlab.errors import Refused

if TYPE_CHECKING:
    from ctxlab.documents.session.session import Session


@checked_arguments
def edit(
    session: Session,
    node_id: str,
    content: str | None = None,
    *,
    attachments: Sequence[Asset | Mapping[str, Any]] | None = None,
    updated_at: str | None = None,
) -> Session:
    """Other words for a user or assistant message, other attachments, or both; fields that aren't given stay.

    `attachments=()` takes them all away. What was computed from the old text goes (counts, usage, translation), and so
    do the snapshots of variables here and below.
    """
    role = session.node(node_id).role
    if role not in ("user", "assistant"):
        raise Refused(
            f"node {node_id!r} is a {role} message: edit() is for the user's and the assistant's, use update()"
        )
    fields: dict[str, Any] = {}
    if content is not None:
        fields["content"] = content
    if attachments is not None:
        fields["attachments"] = tuple(attachments)
    if updated_at is not None:
        fields["updated_at"] = updated_at
    return _updated(session, node_id, checked_fields(fields))


@checked_arguments
def update(session: Session, node_id: str, /, **fields: Any) -> Session:
    """Other values for any fields of a message but its links, in Python's or the file's names.

    Other content or attachments make caches stale as in `edit`; metadata that is given is taken as it is.
    """
    session.node(node_id)
    return _updated(session, node_id, checked_fields(fields))


@checked_arguments
def update_translation(session: Session, node_id: str, translation: Mapping[str, Any] | None) -> Session:
    """The message with this translation in place of the one it had; None takes it away. Text and caches stay.

    It is stored in `metadata.translation`; programs that write it use the fields `content`, `targetLang`,
    `modelIdentifier`, `timestamp`, `visible` and `displayMode` (original, translation or both).
    """
    node = session.node(node_id)
    if translation is None:
        return _updated(session, node_id, {"metadata": without_metadata(node, TRANSLATION).metadata})
    metadata = {**(node.metadata or {}), TRANSLATION: dict(translation)}
    return _updated(session, node_id, checked_fields({"metadata": metadata}))


@checked_arguments
def enable(session: Session, node_id: str, *, below: bool = False) -> Session:
    """The session with a message switched on, with `below` all its descendants too."""
    return _with_enabled(session, node_id, on=True, below=below)


@checked_arguments
def disable(session: Session, node_id: str, *, below: bool = False) -> Session:
    """The session with a message switched off, so that it is never sent; with `below` all its descendants too."""
    return _with_enabled(session, node_id, on=False, below=below)


def _updated(session: Session, node_id: str, fields: dict[str, Any]) -> Session:
    old = session.nodes[node_id]
    new = old.model_copy(update=fields)
    if "attachments" in fields and not new.attachments:
        new = new.without("attachments")
    if new == old:
        return session
    revision = SessionBuilder(session)
    if _content_of(new) != _content_of(old):
        if "metadata" not in fields:
            new = without_metadata(new, *CACHES)
        if snapshots := [key for key, node in session.nodes.items() if node.metadata and SNAPSHOT in node.metadata]:
            below = set(descendants(session, node_id))
            for key in below.intersection(snapshots):
                revision.changes[key] = without_metadata(session.nodes[key], SNAPSHOT)
    revision.changes[node_id] = new
    if is_live(new) and _content_of(new) != _content_of(old):
        settle(revision)
    return revision.session()


def _content_of(node: MessageNode) -> tuple[Any, ...]:
    return node.content, node.attachments or ()


def _with_enabled(session: Session, node_id: str, *, on: bool, below: bool) -> Session:
    session.node(node_id)
    revision = SessionBuilder(session)
    for key in (node_id, *(descendants(session, node_id) if below else ())):
        if (node := session.nodes[key]).enabled != on:
            revision.put(key, is_enabled=on, metadata=without_metadata(node, DISABLED_REASON).metadata)
    return revision.session()
