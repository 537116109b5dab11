"""The fate of a fact in a summary: lost, weakened or kept, and why."""

from __future__ import annotations

from typing import Literal

from ctxlab.lazy_dataclass import dataclass

State = Literal["lost", "weakened", "kept"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The fate of a fact: characters `start` up to `end` of the summary, or None where nothing is left of it."""

    state: State
    start: int | None = None
    end: int | None = None
    reason: str = ""
