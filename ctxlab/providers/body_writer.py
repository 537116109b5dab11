"""The body of a request while it is made, with its places, losses and notes."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ctxlab.context import Draft, Text
from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.loss import LossKind, RequestLoss
from ctxlab.providers.place import JsonPath, Place
from ctxlab.providers.problem import Fix


@dataclass(slots=True, eq=False)
class BodyWriter:
    """The body and what is known of it. A writer of a wire format fills it; nobody else changes it."""

    body: dict[str, Any] = field(default_factory=dict[str, Any])
    places: list[Place] = field(default_factory=list[Place])
    losses: list[RequestLoss] = field(default_factory=list[RequestLoss])
    notes: list[Note] = field(default_factory=list[Note])

    def place(self, path: JsonPath, draft: Draft, text: Text | None = None) -> None:
        """Record that the value at `path` is this draft's; with a text, that it is these very characters."""
        self.places.append(Place(path, draft.key, text, draft.origin))

    def lose(
        self,
        kind: LossKind,
        what: str,
        reason: str,
        *,
        key: str | None = None,
        path: JsonPath | None = None,
        fix: Fix | None = None,
    ) -> None:
        """Record something that the body doesn't have as it was asked for."""
        self.losses.append(RequestLoss(kind, what, reason, key, path, fix))
