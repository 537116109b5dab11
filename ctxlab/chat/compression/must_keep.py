"""Items that a summary must have: texts, patterns, messages. Lost ones are named with the places where they stood."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ctxlab.chat.compression.summary_prompt import SourceMessage
from ctxlab.display.short_texts import short
from ctxlab.documents import MessageNode, Note

MustKeep: TypeAlias = str | re.Pattern[str] | MessageNode
"""A text, a compiled pattern, or a message."""
SECONDS = 0.5
"""Time for a pattern on one message."""
MOST_MATCHES = 200
"""Different words that one pattern may find."""


@dataclass(frozen=True, slots=True)
class KeptItem:
    """An item and what became of it; `places` are ids of messages with the start and the end of the words in each."""

    text: str
    outcome: Literal["kept", "lost", "absent"]
    places: tuple[tuple[str, int, int], ...] = ()
    pattern: str | None = None

    def __str__(self) -> str:
        words = repr(short(self.text, 60))
        if self.outcome == "kept":
            return f"{words} is in the summary"
        if not self.places:
            return f"{words} is in none of these messages"
        key, start, end = self.places[0]
        return f"{words} isn't in the summary; it stood in {key}, characters {start} to {end}"


def items_of(
    must_keep: Sequence[MustKeep], originals: Sequence[SourceMessage]
) -> tuple[tuple[KeptItem, ...], tuple[Note, ...]]:
    """Every text that must be kept, none of them judged yet, and notes on patterns that found nothing or too much."""
    found: dict[str, KeptItem] = {}
    notes: list[Note] = []
    for wanted in must_keep:
        if isinstance(wanted, re.Pattern):
            items, problem = _matches(wanted, originals)
            notes += [Note("warning", problem)] if problem else []
        else:
            text = (wanted.content if isinstance(wanted, MessageNode) else wanted).strip()
            items = [KeptItem(text, "absent", tuple(_places(text, originals)))] if text else []
        for item in items:
            found.setdefault(item.text, item)
    return tuple(found.values()), tuple(notes)


def checked(items: Sequence[KeptItem], summary: str) -> tuple[KeptItem, ...]:
    """The items with what became of each: kept where the summary has its words, in whatever case and width."""
    said = _folded(summary)

    def outcome(item: KeptItem) -> Literal["kept", "lost", "absent"]:
        return "kept" if _folded(item.text) in said else "lost" if item.places else "absent"

    return tuple(KeptItem(item.text, outcome(item), item.places, item.pattern) for item in items)


def _folded(text: str) -> str:
    """A text without differences of case, width and blanks."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _places(text: str, originals: Sequence[SourceMessage]) -> Iterator[tuple[str, int, int]]:
    """The places of a text, in whatever case and with whatever blanks between its words."""
    pattern = re.compile(r"\s+".join(map(re.escape, text.split())), re.IGNORECASE)
    for message in originals:
        if (match := pattern.search(message.text)) is not None:
            yield message.id, match.start(), match.end()


def _matches(wanted: re.Pattern[str], originals: Sequence[SourceMessage]) -> tuple[list[KeptItem], str | None]:
    """What a pattern finds, each different text once with all its places."""
    import regex

    shown = repr(short(wanted.pattern, 60))
    places: dict[str, list[tuple[str, int, int]]] = {}
    try:
        pattern: Any = regex.compile(wanted.pattern, wanted.flags & ~re.DEBUG)
        for message in originals:
            for match in pattern.finditer(message.text, timeout=SECONDS):
                if match.group().strip():
                    places.setdefault(match.group(), []).append((message.id, match.start(), match.end()))
                if len(places) > MOST_MATCHES:
                    return (
                        [],
                        f"pattern {shown} finds more than {MOST_MATCHES} different texts; name what has to be kept",
                    )
    except TimeoutError:
        return [], f"pattern {shown} takes longer than {SECONDS:g} s on one message; it isn't checked"
    except regex.error as error:
        return [], f"pattern {shown} isn't understood: {error}; it isn't checked"
    if not places:
        return [], f"pattern {shown} finds nothing in the messages that go"
    return [KeptItem(text, "absent", tuple(at), wanted.pattern) for text, at in places.items()], None
