"""The outcome of one file: its text, pictures of its pages, the file itself, or a description."""

from __future__ import annotations

from typing import Any, Literal

from ctxlab.assets.descriptions import type_for_people
from ctxlab.context import AssetRef, FileFacts, Transcript
from ctxlab.context.file_route import RouteKind
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.inline_bytes import shown, without_data
from ctxlab.lazy_dataclass import dataclass

SentAs = RouteKind | Literal["text", "description"]


@dataclass(frozen=True, slots=True, eq=False)
class FileOutcome:
    """A file, how the model gets it, and why, in a sentence.

    `files` are those that go along: the file itself with its route, pictures of its pages, or none where words stand
    for it: its transcript, or the `description`. `problem` is what is wrong or missing. `engine` is what read its text.
    """

    asset: AssetRef
    facts: FileFacts
    sent_as: SentAs
    reason: str
    files: tuple[AssetRef, ...] = ()
    transcript: Transcript | None = None
    description: str = ""
    problem: str = ""

    @property
    def has_words(self) -> bool:
        return self.transcript is not None or bool(self.description)

    def row(self, key: str, tokens: int) -> FrozenDict:
        """The row of its table; `key` is that of its message."""
        facts, asset = self.facts, self.asset
        data: dict[str, Any] = {
            "key": key,
            "file": without_data(asset.id),
            "name": shown(asset.name),
            "kind": facts.kind,
            "type": type_for_people(facts.mime_type or asset.mime_type),
            "mime_type": shown(facts.mime_type or asset.mime_type),
            "size_bytes": facts.size_bytes if facts.size_bytes is not None else asset.size_bytes,
            "width": facts.width,
            "height": facts.height,
            "seconds": facts.seconds,
            "pages": facts.pages,
            "sent_as": self.sent_as,
            "reason": self.reason,
            "engine": self.transcript.engine if self.transcript else None,
            "tokens": tokens,
            "problem": self.problem or None,
            "state": "sent",
        }
        return FrozenDict(data)
