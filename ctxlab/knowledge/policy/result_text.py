"""The text that takes the place of a placeholder: pieces in a template, each character with its origin."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ctxlab.context import Cause, Origin, Span, Text
from ctxlab.display.one_line import plain
from ctxlab.knowledge.policy.cuts import Decision
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

KIND = "knowledge"
"""The kind of origin of a piece's words."""
FRAME = Origin(KIND, "template")
"""The origin of the words around pieces."""
OUTER = lazy_pattern(r"\{(count|items)\}")
ITEM = lazy_pattern(r"\{(kbName|key|content|score|tags|rank|place)\}")
QUOTE = lazy_pattern(r"(?:^|\n)([ \t]*[>|│][>|│ \t]*)\Z")
NO_TITLE = "untitled"
LONGEST_NAME = 200
"""Cells of a name or title in the text; what is longer is cut."""


@dataclass(frozen=True, slots=True)
class Templates:
    """The words around pieces: `whole` around all ({count}, {items}), `item` around one, `empty` where none is sent.

    An item knows {kbName}, {key}, {content}, {score}, {tags}, {rank} and {place}. Where {content} follows a mark such
    as `> ` at the beginning of a line, each of its lines gets it.
    """

    whole: str
    item: str
    empty: str
    untitled: str = NO_TITLE

    @property
    def whole_and_item(self) -> tuple[str, str]:
        """Both; a template for all that has only an item's fields is one for an item."""
        if not re.search(r"\{items\}", self.whole) and ITEM.search(self.whole):
            return "{items}", self.whole
        return self.whole, self.item

    def problems(self) -> Iterator[str]:
        """Sentences on templates by which the text of pieces is not in the prompt."""
        whole, item = self.whole_and_item
        if "{items}" not in whole:
            yield "the setting template has no {items}: what is found is not in the prompt"
        elif "{content}" not in item:
            yield "the setting item_template has no {content}: the text of what is found is not in the prompt"


def result_text(sent: Sequence[Decision], templates: Templates, *, processor: str, placeholder: str) -> Text:
    """The text of the pieces that are sent, or the words for none."""
    if not sent:
        cause = Cause(processor, "knowledge", f"{placeholder} found nothing to send")
        return Text.of(templates.empty, FRAME, cause)
    whole, item = templates.whole_and_item
    frame = Cause(processor, "knowledge", f"words around what {placeholder} found")

    def outer(name: str) -> Iterator[Span]:
        if name == "count":
            yield Span(str(len(sent)), FRAME, frame)
            return
        for number, decision in enumerate(sent):
            if number:
                yield Span("\n\n", FRAME, frame)
            yield from _item(decision, item, templates.untitled, frame, processor, placeholder)

    return Text(_filled(whole, OUTER, outer, frame))


def piece_origin(decision: Decision) -> Origin:
    """The origin of a piece's words: its base and chunk."""
    return Origin(KIND, f"{decision.candidate.hit.base}/{decision.candidate.hit.chunk}")


def _item(
    decision: Decision, template: str, untitled: str, frame: Cause, processor: str, placeholder: str
) -> Iterator[Span]:
    found = decision.candidate
    hit, origin = found.hit, piece_origin(decision)
    title = plain(hit.title, LONGEST_NAME).strip() or untitled
    where = f"{placeholder} found it in {plain(hit.base_name)}{f', {plain(hit.place)}' if hit.place else ''}"
    cause = Cause(processor, title, f"{where}: {decision.reason}", quotes=True)
    fields: dict[str, str] = {
        "kbName": plain(hit.base_name or hit.base, LONGEST_NAME),
        "key": title,
        "score": f"{found.score:.2f}",
        "tags": plain(", ".join(hit.tags), LONGEST_NAME),
        "rank": str(decision.place),
        "place": plain(hit.place, LONGEST_NAME),
    }
    done = ""

    def inner(name: str) -> Iterator[Span]:
        if name != "content":
            yield Span(fields[name], origin, cause)
            return
        quote = QUOTE.search(done)
        yield from _quoted(hit.text, quote[1] if quote else "", origin, cause, frame)

    for span in _filled(template, ITEM, inner, frame):
        done = (done + span.text)[-LONGEST_NAME:]
        yield span


def _quoted(content: str, mark: str, origin: Origin, cause: Cause, frame: Cause) -> Iterator[Span]:
    """The content, with the mark at the beginning of each line but the first, which has it already."""
    for number, line in enumerate(content.splitlines(keepends=True) if mark else [content]):
        if number:
            yield Span(mark, FRAME, frame)
        yield Span(line, origin, cause)


def _filled(
    template: str, fields: re.Pattern[str], value: Callable[[str], Iterator[Span]], frame: Cause
) -> Iterator[Span]:
    """The template with its fields filled in once; what they are filled with is not looked at again."""
    done = 0
    for match in fields.finditer(template):
        yield Span(template[done : match.start()], FRAME, frame)
        yield from value(match[1])
        done = match.end()
    yield Span(template[done:], FRAME, frame)
