"""Notes and losses that are written down while parameters are fitted to a model."""

from __future__ import annotations

from dataclasses import dataclass, field

from ctxlab.documents import Note
from ctxlab.providers.loss import RequestLoss
from ctxlab.providers.problem import Fix


@dataclass(slots=True, eq=False)
class Settling:
    """Notes and losses; `model` is the name by which they call the model."""

    model: str
    notes: list[Note] = field(default_factory=list[Note])
    losses: list[RequestLoss] = field(default_factory=list[RequestLoss])

    def note(self, text: str) -> None:
        self.notes.append(Note("info", text))

    def lose(self, what: str, reason: str, fix: Fix | None = None) -> None:
        self.losses.append(RequestLoss("parameter", what, reason, fix=fix))
