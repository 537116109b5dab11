"""XML as a stream of events: no tree is built, no entity is expanded, and nothing is read beyond what is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal, NamedTuple, NoReturn
from xml.parsers.expat import ExpatError, ParserCreate

from ctxlab.errors import ReadError

SEPARATOR = "}"
NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})
MOST_LEVELS = 1000


class XmlEvent(NamedTuple):
    """The begin or end of an element, or text; names are without their namespace."""

    kind: Literal["begin", "end", "text"]
    name: str
    attributes: Mapping[str, str] = NO_ATTRIBUTES


def xml_events(chunks: Iterable[bytes], *, part: str, max_elements: int) -> Iterator[XmlEvent]:
    """The events of an XML document; the text of an event of kind text is its name.

    Raises ReadError naming the part when it isn't XML, declares a document type (where entities would be), is nested
    too deeply or has too many elements.
    """
    events: list[XmlEvent] = []
    level = count = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal level, count
        level += 1
        count += 1
        if level > MOST_LEVELS:
            raise ReadError(f"{part} is nested too deeply: more than {MOST_LEVELS:,} levels")
        named = {_local(key): value for key, value in attributes.items()} if attributes else NO_ATTRIBUTES
        events.append(XmlEvent("begin", _local(name), named))

    def end(name: str) -> None:
        nonlocal level
        level -= 1
        events.append(XmlEvent("end", _local(name)))

    def refuse(*_: object) -> NoReturn:
        raise ReadError(f"{part} declares a document type, which no document has; it is not read")

    parser = ParserCreate(namespace_separator=SEPARATOR)
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = lambda text: events.append(XmlEvent("text", text))
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        for chunk in chunks:
            parser.Parse(chunk, False)
            if count > max_elements:
                raise ReadError(f"{part} has too many elements to be read: more than {max_elements:,}")
            yield from events
            events.clear()
        parser.Parse(b"", True)
    except ExpatError as error:
        raise ReadError(f"{part} is broken in line {error.lineno:,}: {_words(error)}") from None
    yield from events


def _local(name: str) -> str:
    return name.rpartition(SEPARATOR)[2]


def _words(error: ExpatError) -> str:
    return str(error).partition(":")[0]
