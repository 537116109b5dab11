"""Names of speakers as OpenAI's chat takes them."""

from __future__ import annotations

from dataclasses import field

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

MAX_NAME = 64
NAME = lazy_pattern(r"[^\s<|\\/>]{1,64}")
"""Names that OpenAI takes; its error for others quotes this pattern (2026-09). Chinese ones are among them."""
_REFUSED = lazy_pattern(r"[\s<|\\/>]+")


@dataclass(slots=True, eq=False)
class SpeakerNames:
    """The names under which the speakers of one request go: each its own, and the same each time."""

    _sent: dict[str, str] = field(default_factory=dict[str, str])
    _taken: set[str] = field(default_factory=set[str])
    _next: dict[str, int] = field(default_factory=dict[str, int])

    def reserve(self, speakers: set[str]) -> None:
        """Keep the names that can go as they are for those who have them."""
        self._taken |= {name for name in speakers if NAME.fullmatch(name)}

    def sent_as(self, speaker: str) -> str:
        """The name that is sent for a speaker; "" where nothing of it could be.

        >>> SpeakerNames().sent_as("Miss Chen"), SpeakerNames().sent_as("李四")
        ('Miss_Chen', '李四')
        """
        if NAME.fullmatch(speaker):
            return speaker
        found = self._sent.get(speaker)
        if found is None:
            found = self._sent[speaker] = self._free(_REFUSED.sub("_", speaker).strip("_")[:MAX_NAME])
        return found

    def _free(self, name: str) -> str:
        number, free = self._next.get(name, 2), name
        while free in self._taken:
            end = f"_{number}"
            free, number = name[: MAX_NAME - len(end)] + end, number + 1
        self._next[name] = number
        if free:
            self._taken.add(free)
        return free
