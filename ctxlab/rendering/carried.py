"""The characters of each message that a rendered text carries, and where they stand in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlab.context import Draft
from ctxlab.engines.chat_templates import RenderedText
from ctxlab.lazy_dataclass import dataclass
from ctxlab.prompt.merged_parts import pieces


@dataclass(frozen=True, slots=True)
class Carried:
    """A message, or one of those that a joined message was made of, and what the rendered text has of it.

    `text` are its words. `characters` counts those between its first and its last that is no blank, `carried` those of
    them that the rendered text has, each counted once; `times` is how often it has the one that it has most often. `at`
    is the place of the first one in it, `end` that behind the last; None where it has none. `blanks` counts blanks at
    its ends that are gone.
    """

    key: str
    message: int
    role: str
    text: str
    characters: int
    carried: int
    times: int
    at: int | None
    end: int | None
    blanks: int

    @property
    def is_dropped(self) -> bool:
        return self.characters > 0 and not self.carried

    @property
    def is_shortened(self) -> bool:
        return 0 < self.carried < self.characters


def carried_in(rendered: RenderedText, drafts: Sequence[Draft]) -> list[Carried]:
    """Each message with what a text has of it, in the order in which they were handed in."""
    of_message: dict[int, list[tuple[int, int, int]]] = {}
    for each in rendered.stretches:
        if each.message is not None and each.field == "content":
            size = each.end - each.start
            of_message.setdefault(each.message, []).append((each.offset, each.offset + size, each.start))
    return [
        _of_piece(key, number, draft.role, start, text, of_message.get(number, []))
        for number, draft in enumerate(drafts)
        for key, start, text in _pieces(draft)
    ]


def _pieces(draft: Draft) -> Iterator[tuple[str, int, str]]:
    for each in pieces(draft):
        yield each.part.key, each.start, str(each.text)


def _of_piece(
    key: str, message: int, role: str, start: int, text: str, there: Sequence[tuple[int, int, int]]
) -> Carried:
    bare = text.strip()
    begin = start + len(text) - len(text.lstrip())
    end = begin + len(bare)
    marks: list[tuple[int, int]] = []
    places: list[tuple[int, int]] = []
    all_of_it = 0
    for low, high, place in there:
        first, last = max(low, begin), min(high, end)
        if first < last:
            marks += [(first, 1), (last, -1)]
            places.append((place + first - low, place + last - low))
        all_of_it += max(0, min(high, start + len(text)) - max(low, start))
    carried, times = _covered(marks)
    return Carried(
        key,
        message,
        role,
        text,
        len(bare),
        carried,
        times,
        min((at for at, _ in places), default=None),
        max((at for _, at in places), default=None),
        max(0, len(text) - len(bare) - max(0, all_of_it - carried)),
    )


def _covered(marks: list[tuple[int, int]]) -> tuple[int, int]:
    """The number of characters that are there at least once, and how often the most frequent is."""
    found = depth = most = last = 0
    for at, step in sorted(marks):
        if depth:
            found += at - last
        depth, last = depth + step, at
        most = max(most, depth)
    return found, most
