"""Items that a summary must have: texts, patterns, messages, each with the places where it stands."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, cast

from ctxlab.chat.compression.source_message import SourceMessage
from ctxlab.display.short_texts import short
from ctxlab.documents import MessageNode, Note
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass

MustKeep: TypeAlias = str | re.Pattern[str] | MessageNode
"""A text, a pattern (compiled, or a text that begins with `re:`), or a message."""
PATTERN = "re:"
SECONDS = 0.5
"""Time for a pattern on one message."""
MOST_MATCHES = 200
"""Different words that one pattern may find."""


@dataclass(frozen=True, slots=True)
class WantedItem:
    """A text that must be kept; `places` are ids of messages with the start and the end of the words in each."""

    text: str
    places: tuple[tuple[str, int, int], ...] = ()
    pattern: str | None = None

    @property
    def for_report(self) -> str | re.Pattern[str]:
        """The text as a report takes it: one that looks like a pattern is a pattern of exactly these words."""
        return re.compile(re.escape(self.text)) if self.text.startswith(PATTERN) else self.text


def items_of(
    must_keep: Sequence[MustKeep], originals: Sequence[SourceMessage]
) -> tuple[tuple[WantedItem, ...], tuple[Note, ...]]:
    """Every text that must be kept, and notes on items that are in no message and on patterns that find too much."""
    found: dict[str, WantedItem] = {}
    notes: list[Note] = []
    for wanted in must_keep:
        pattern = _pattern(wanted)
        if pattern is not None:
            items, problem = _matches(*pattern, originals)
        else:
            text = (wanted.content if isinstance(wanted, MessageNode) else str(wanted)).strip()
            items = [WantedItem(text, tuple(_places(text, originals)))] if text else []
            absent = bool(items) and not items[0].places
            problem = f"{short(text, 60)!r} is in none of the messages that go" if absent else None
            problem = problem if items else "an item of must_keep is blank; it is left out"
        notes += [Note("warning", problem)] if problem else []
        for item in items:
            found.setdefault(item.text, item)
    return tuple(found.values()), tuple(notes)


def all_items(must_keep: MustKeep | Sequence[MustKeep]) -> tuple[MustKeep, ...]:
    """The items that are meant: one text, pattern or message is one item."""
    return (must_keep,) if isinstance(must_keep, str | re.Pattern | MessageNode) else tuple(must_keep)


def check_items(must_keep: Sequence[MustKeep]) -> None:
    """Raise WrongArgument for a pattern of bytes and for a text or a message without words."""
    for number, wanted in enumerate(must_keep):
        if isinstance(wanted, re.Pattern):
            if not isinstance(cast("Any", wanted.pattern), str):
                raise WrongArgument(
                    f"must_keep[{number}] is a pattern of bytes; messages are text", function="compress"
                )
        elif not (wanted.content if isinstance(wanted, MessageNode) else wanted).strip():
            raise WrongArgument(f"must_keep[{number}] is blank; it takes words to look for", function="compress")


def has_words(text: str, words: str) -> bool:
    """Whether a text has these words, in whatever case, width and blanks."""
    return _folded(words) in _folded(text)


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _pattern(wanted: MustKeep) -> tuple[str, int] | None:
    """The pattern that is meant and its flags; None for a text."""
    if isinstance(wanted, re.Pattern):
        return wanted.pattern, wanted.flags & ~re.DEBUG
    is_pattern = isinstance(wanted, str) and wanted.startswith(PATTERN)
    return (wanted.removeprefix(PATTERN), 0) if is_pattern and isinstance(wanted, str) else None


def _places(text: str, originals: Sequence[SourceMessage]) -> Iterator[tuple[str, int, int]]:
    """The places of a text, in whatever case and with whatever blanks between its words."""
    pattern = re.compile(r"\s+".join(map(re.escape, text.split())), re.IGNORECASE)
    for message in originals:
        if (match := pattern.search(message.text)) is not None:
            yield message.id, match.start(), match.end()


def _matches(wanted: str, flags: int, originals: Sequence[SourceMessage]) -> tuple[list[WantedItem], str | None]:
    """Each different text that a pattern finds, with all its places; or a sentence on why there is none."""
    import regex

    shown = repr(short(wanted, 60))
    places: dict[str, list[tuple[str, int, int]]] = {}
    try:
        pattern: Any = regex.compile(wanted, flags)
        for message in originals:
            for match in pattern.finditer(message.text, timeout=SECONDS):
                if match.group().strip():
                    places.setdefault(match.group(), []).append((message.id, match.start(), match.end()))
                if len(places) > MOST_MATCHES:
                    return [], f"pattern {shown} finds more than {MOST_MATCHES} different texts; it isn't checked"
    except TimeoutError:
        return [], f"pattern {shown} takes longer than {SECONDS:g} s on one message; it isn't checked"
    except regex.error as error:
        return [], f"pattern {shown} isn't understood: {error}; it isn't checked"
    if not places:
        return [], f"pattern {shown} finds nothing in the messages that go"
    return [WantedItem(text, tuple(at), wanted) for text, at in places.items()], None
