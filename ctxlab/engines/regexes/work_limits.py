"""Limits on the work of a pattern of unknown origin: counted backtracks, and a time of last resort."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass

LONGEST_TEXT = 2_000_000
"""Characters that a pattern of Python's flavour is given at most; its engine can't count what it does."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`max_backtracks` counts work, so that the outcome depends on the pattern and the text alone.

    A text gets 50 more for each of its characters. `timeout_seconds` of CPU time are the last resort, for work that no
    engine counts: lookaheads over a whole text at every place of it, and catastrophes in Python's flavour.
    """

    max_backtracks: int = 50_000_000
    timeout_seconds: float = 20.0

    @property
    def timed_out(self) -> str:
        """The reason given for a pattern that was stopped by the time limit."""
        return (
            f"it takes longer than {self.timeout_seconds:g} s of CPU time, the time limit of last resort; "
            "another run may differ"
        )


DEFAULT = Limits()
