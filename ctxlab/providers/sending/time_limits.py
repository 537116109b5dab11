"""Seconds for which a reply is waited for."""

from __future__ import annotations

from math import isfinite

from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds until the connection is made, until the answer begins, and between two pieces of it.

    A reply in one piece begins when the model has ended, and models that think can be silent for minutes within a
    stream: the vendors' own clients wait 600 seconds for either.
    """

    connect_seconds: float = 15
    first_seconds: float = 600
    silence_seconds: float = 300

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (is_number and isfinite(value) and value > 0):
                raise WrongArgument(f"{name} takes a number of seconds above 0")

    @property
    def of_socket(self) -> float:
        """Seconds that a socket is read in vain: a little more than whoever waits for it takes."""
        return max(self.first_seconds, self.silence_seconds) + 5
