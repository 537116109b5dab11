"""The smallest sets of formatter steps that mend what a template does to messages, each of them tried."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace

STEPS: Final[tuple[tuple[str, Mapping[str, Any]], ...]] = (
    ("system messages are joined at the top", {"merge-system.enabled": True, "merge-system.hoist": "all"}),
    ("system messages are sent as the user's", {"convert-system.enabled": True}),
    ("messages of one role that follow each other are joined", {"merge-consecutive.enabled": True}),
    ("turns alternate, with a placeholder where one is missing", {"ensure-alternating.enabled": True}),
)
"""Formatter steps in words, with the settings that switch them on."""

Losses = frozenset[tuple[str, str]]
"""The losses of a run by kind and key."""


@dataclass(frozen=True, slots=True)
class TemplateRemedy:
    """Settings with which a template carries what it lost; `trace.rerun(remedy.settings)` has them.

    `sentence` says in words what they do. `also` counts the losses that the run has with them, all of which it had
    without them too.
    """

    settings: Mapping[str, Any]
    sentence: str
    also: int = 0

    def as_data(self) -> dict[str, Any]:
        """Plain JSON data."""
        return {"settings": dict(self.settings), "sentence": self.sentence, "also": self.also}


class Remedies:
    """Tries sets of steps on a run, the smallest first, each once; `losses_of` says what a run loses."""

    def __init__(self, trace: Trace, losses_of: Callable[[Trace], Losses]) -> None:
        self._trace, self._losses_of = trace, losses_of
        self._before = losses_of(trace)
        self._tried: dict[tuple[int, ...], Losses | None] = {}

    def of(self, kind: str, key: str) -> TemplateRemedy | None:
        """The smallest set that ends a loss and brings no new one; None where none does."""
        for chosen in self._sets():
            after = self._after(chosen)
            if after is not None and (kind, key) not in after and after <= self._before:
                return _remedy(chosen, len(after))
        return None

    def of_all(self) -> TemplateRemedy | None:
        """The smallest set that leaves no loss; None where none does."""
        for chosen in self._sets():
            if self._after(chosen) == frozenset():
                return _remedy(chosen, 0)
        return None

    def _sets(self) -> Iterator[tuple[int, ...]]:
        for size in range(1, len(STEPS) + 1):
            yield from combinations(range(len(STEPS)), size)

    def _after(self, chosen: tuple[int, ...]) -> Losses | None:
        if chosen not in self._tried:
            try:
                self._tried[chosen] = self._losses_of(self._trace.rerun(_settings(chosen)))
            except CtxlabError:  # with these steps nothing can be built
                self._tried[chosen] = None
        return self._tried[chosen]


def _settings(chosen: tuple[int, ...]) -> dict[str, Any]:
    return {name: value for number in chosen for name, value in STEPS[number][1].items()}


def _remedy(chosen: tuple[int, ...], also: int) -> TemplateRemedy:
    words = ", ".join(STEPS[number][0] for number in chosen)
    return TemplateRemedy(_settings(chosen), f"{words[0].upper()}{words[1:]}.", also)
