"""The pieces of a message in the order in which they are sent: texts, files, calls, a result, blocks to be replayed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from ctxlab.context import AssetRef, Draft, Text
from ctxlab.documents import ToolCall
from ctxlab.documents.session.replay_artifacts import ARTIFACTS, ReplayArtifact, artifacts_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.body_writer import BodyWriter


@dataclass(frozen=True, slots=True)
class TextPiece:
    text: Text
    on: tuple[ReplayArtifact, ...] = ()


@dataclass(frozen=True, slots=True)
class FilePiece:
    asset: AssetRef


@dataclass(frozen=True, slots=True)
class CallPiece:
    call: ToolCall
    on: tuple[ReplayArtifact, ...] = ()


@dataclass(frozen=True, slots=True)
class ReplayPiece:
    artifact: ReplayArtifact


Piece = TextPiece | FilePiece | CallPiece | ReplayPiece


def pieces_of(draft: Draft, wire: str, out: BodyWriter) -> Iterator[Piece]:
    """The pieces of a message for one wire format; empty texts are none.

    Blocks of other vendors, and those of a text or a call that isn't there, are losses of kind "signature". One that
    its own `replayPolicy` keeps back is none: the file asks for that.
    """
    artifacts = _replayed(draft, wire, out) if ARTIFACTS in draft.meta else ()
    if not artifacts:
        for part in draft.body:
            if isinstance(part, AssetRef):
                yield FilePiece(part)
            elif part:
                yield TextPiece(part)
        for call in draft.calls:
            yield CallPiece(call)
        return
    yield from _pieces_with(draft, artifacts)


def _pieces_with(draft: Draft, artifacts: tuple[ReplayArtifact, ...]) -> Iterator[Piece]:
    ids = {call.id for call in draft.calls}
    at: dict[str, list[ReplayArtifact]] = {}
    on: dict[str, list[ReplayArtifact]] = {}
    for artifact in artifacts:
        if artifact.on is not None:
            on.setdefault(artifact.on, []).append(artifact)
        else:
            known = artifact.before in ("text", "calls", "end") or artifact.before in ids
            at.setdefault(artifact.before if known else "calls", []).append(artifact)
    yield from map(ReplayPiece, at.get("text", ()))
    first = True
    for part in draft.body:
        if isinstance(part, AssetRef):
            yield FilePiece(part)
        elif part:
            yield TextPiece(part, tuple(on.get("text", ())) if first else ())
            first = False
    yield from map(ReplayPiece, at.get("calls", ()))
    for call in draft.calls:
        yield from map(ReplayPiece, at.get(call.id, ()))
        yield CallPiece(call, tuple(on.get(call.id, ())))
    yield from map(ReplayPiece, at.get("end", ()))


def _replayed(draft: Draft, wire: str, out: BodyWriter) -> tuple[ReplayArtifact, ...]:
    found: list[ReplayArtifact] = []
    for artifact in artifacts_of(draft.meta):
        if artifact.policy == "never" or (artifact.policy == "with_tool_calls" and not draft.calls):
            continue
        reason = _why_not(artifact, draft, wire)
        if reason:
            out.lose("signature", _name(artifact), f"{reason}, so it isn't sent", key=draft.key)
        else:
            found.append(artifact)
    return tuple(found)


def _why_not(artifact: ReplayArtifact, draft: Draft, wire: str) -> str:
    """A clause that says why a block can't be sent; "" where it can."""
    if not artifact.wire or not artifact.item:
        return "the file doesn't say which vendor it is of" if not artifact.wire else "there is nothing in it"
    if artifact.wire != wire:
        return f"a block of {artifact.wire} means nothing to this vendor"
    if artifact.on == "text" and not any(part for part in draft.body if isinstance(part, Text)):
        return "it belongs to a text, and the message has none"
    if artifact.on not in (None, "text") and artifact.on not in {call.id for call in draft.calls}:
        return f"it belongs to the call {artifact.on!r}, which isn't sent"
    return ""


def _name(artifact: ReplayArtifact) -> str:
    kind = artifact.item.get("type")
    if isinstance(kind, str) and kind:
        return kind
    return ", ".join(list(artifact.item)[:3]) if artifact.item else "a block"


def has_failed(draft: Draft) -> bool:
    """Whether the metadata of a result say that its call failed."""
    call = draft.meta.get("toolCall") if draft.meta else None
    return isinstance(call, Mapping) and cast("Mapping[str, Any]", call).get("status") in ("error", "failed")
