"""A rendered text in rows: one a message with the markup around it, and the template's own words in rows of theirs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from ctxlab.context import Span, Text
from ctxlab.engines.chat_templates import RenderedText, Stretch
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.rendering.carried import Carried
from ctxlab.rendering.template_report import MARKUP

LONGEST: Final = 4_000
"""Characters after which a row of the template's own ends at the next line feed."""
_SHOWN: Final = lazy_pattern(rf"<</?[A-Z]{{1,20}}>>|{MARKUP.pattern}")
_LINES: Final = lazy_pattern(r"\n+")
_CLOSING: Final = lazy_pattern(r"end|eos|eot|stop|/")


@dataclass(frozen=True, slots=True)
class TextRow:
    """Characters `start` up to `end` of a rendered text: those of one message, or of none, and the markup around them.

    `message` is its position among those that were handed in. `stretches` are all of the row; markup of the template's
    that a vocabulary has as one token is a stretch of its own, with the field `special`.
    """

    message: int | None
    stretches: tuple[Stretch, ...]

    @property
    def start(self) -> int:
        return self.stretches[0].start

    @property
    def end(self) -> int:
        return self.stretches[-1].end


def text_rows(rendered: RenderedText) -> list[TextRow]:
    """The rows of a text in order; put together they are the text. Markup that closes a message is in its row.

    A message that stands in several places has several rows.
    """
    text = str(rendered.text)
    rows: list[TextRow] = []
    now: list[Stretch] = []
    message: int | None = None
    own: list[Stretch] = []
    for each in _with_markup(text, rendered.stretches):
        if each.message is None:
            own.append(each)
            continue
        if each.message != message:
            head, tail = _parted(text, own, is_first=message is None, is_last=False)
            now += head
            if now:
                rows.append(TextRow(message, tuple(now)))
            now, own, message = tail, [], each.message
        now += [*own, each]
        own = []
    head, tail = _parted(text, own, is_first=message is None, is_last=True)
    if message is not None and (now or head):
        rows.append(TextRow(message, (*now, *head)))
    else:
        tail = [*now, *head, *tail]
    if tail:
        rows.append(TextRow(None, tuple(tail)))
    return [part for row in rows for part in _shorter(text, row)]


def row_at(rows: Sequence[TextRow], place: int) -> int:
    """The position of the row in which a character stands."""
    return max(0, bisect_right(rows, place, key=lambda row: row.start) - 1)


def row_before_which(rows: Sequence[TextRow], carried: Sequence[Carried], dropped: Carried) -> int:
    """The row before which a dropped message would have stood: that of the next one which the text has.

    Behind the last of them it is the row after; where the text has none, the first.
    """
    at = next(number for number, each in enumerate(carried) if each is dropped)
    after = next((each.at for each in carried[at + 1 :] if each.at is not None), None)
    if after is not None:
        return row_at(rows, after)
    before = next((each.end for each in reversed(carried[:at]) if each.end is not None), None)
    return 0 if before is None else row_at(rows, before - 1) + 1


def spans_of_rows(rendered: RenderedText, rows: Sequence[TextRow]) -> Iterator[list[tuple[str, list[Span]]]]:
    """Of each row the fields of its stretches, each with its spans, in one pass."""
    spans = iter(rendered.text.spans)
    span = next(spans, None)
    start = 0
    for row in rows:
        found: list[tuple[str, list[Span]]] = []
        for stretch in row.stretches:
            mine: list[Span] = []
            while span is not None and start < stretch.end:
                end = start + len(span.text)
                first, last = max(start, stretch.start), min(end, stretch.end)
                if first < last:
                    mine.append(span if (first, last) == (start, end) else _cut(span, first - start, last - start))
                if end > stretch.end:
                    break
                start, span = end, next(spans, None)
            found.append((stretch.field, mine))
        yield found


def _cut(span: Span, start: int, end: int) -> Span:
    return Text((span,)).cut(start, end).spans[0]


def _with_markup(text: str, stretches: Sequence[Stretch]) -> Iterator[Stretch]:
    """The stretches, with markup in the template's own words apart."""
    for each in stretches:
        if each.message is not None or each.field != "template":
            yield each
            continue
        at = each.start
        for mark in _SHOWN.finditer(text, each.start, each.end):
            if mark.start() > at:
                yield Stretch(at, mark.start(), None, "template")
            yield Stretch(mark.start(), mark.end(), None, "special")
            at = mark.end()
        if at < each.end:
            yield Stretch(at, each.end, None, "template")


def _parted(text: str, own: Sequence[Stretch], *, is_first: bool, is_last: bool) -> tuple[list[Stretch], list[Stretch]]:
    """The template's own words between two messages: what closes the first of them, and what opens the second."""
    if not own:
        return [], []
    start, end = own[0].start, own[-1].end
    at = _opening(text, start, end) if is_first else _closing(text, own, is_last=is_last)
    head = [each._replace(end=min(each.end, at)) for each in own if each.start < at]
    tail = [each._replace(start=max(each.start, at)) for each in own if each.end > at]
    return head, tail


def _opening(text: str, start: int, end: int) -> int:
    """The place at which markup begins that opens the first message: behind the last lines of the template's own."""
    feeds = [feed.end() for feed in _LINES.finditer(text, start, end) if feed.end() < end]
    return feeds[-1] if feeds else start


def _closing(text: str, own: Sequence[Stretch], *, is_last: bool) -> int:
    """The end of the markup that closes a message: a line feed, or markup before other markup or before words."""
    start, end = own[0].start, own[-1].end
    marks = [each for each in own if each.field == "special"]
    closing = [each for each in marks if _CLOSING.search(text[each.start : each.end].lower())]
    begins = {each.start for each in marks}
    chances = [feed.end() for feed in _LINES.finditer(text, start, end)]
    chances += [each.end for each in marks if each.end in begins]
    chances += [each.end for each in closing if text[each.end : each.end + 1] != "\n"]
    before_closing = {each.start for each in closing}
    found = min((each for each in chances if each < end and each not in before_closing), default=end)
    if found == end and len(marks) == 1 and not closing and not is_last:
        return marks[0].start
    return found


def _shorter(text: str, row: TextRow) -> Iterator[TextRow]:
    """A row, and one of the template's own that is long in several, each of whole lines."""
    if row.message is not None or row.end - row.start <= LONGEST:
        yield row
        return
    start = row.start
    while start < row.end:
        feed = text.find("\n", start + LONGEST, row.end)
        end = row.end if feed < 0 else feed + 1
        found = (each._replace(start=max(each.start, start), end=min(each.end, end)) for each in row.stretches)
        yield TextRow(None, tuple(each for each in found if each.start < each.end))
        start = end
