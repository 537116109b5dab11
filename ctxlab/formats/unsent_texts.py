"""Texts of a file that nothing of what was read from it sends, as losses: one for each field that has such texts."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, Final, NamedTuple, cast

from ctxlab.documents import Asset
from ctxlab.documents.session.replay_artifacts import ARTIFACTS
from ctxlab.documents.stored import Stored
from ctxlab.formats.openai.content_parts import DATA_URL
from ctxlab.formats.results import LONG_TEXT, Import, Loss, texts_in
from ctxlab.formats.source import Source
from ctxlab.lazy_pattern import lazy_pattern

SENT_METADATA: Final = ("reasoningContent", "toolCallsRequested", "toolCall", ARTIFACTS, "modelId", "agentName")
"""Keys of a message's metadata that become part of a request, or name who speaks."""
NODE_TEXTS: Final = ("id", "content", "name", "speaker", "timestamp", "updated_at", "group_id", "type")
CARRIED: Final = "carried"
BOOKKEEPING: Final = frozenset({"id", "uuid", "type", "object", "role", "timestamp"}) | {
    "created_at", "createdAt", "createTime", "created", "updated_at", "updatedAt", "updateTime",
}  # fmt: skip
"""Names of fields that hold ids, kinds and times in whatever format."""
MARKS: Final = lazy_pattern(r":::thinking\b|:::|```\nThis block is not supported on your current device yet\.\n```")
"""Marks that programs put around parts of an answer's text, and take out before they send it."""
MOST_FIELDS: Final = 20
"""Fields that have a loss of their own; more are counted."""


class Texts:
    """Texts that can be asked for: whole, by their lines, and those inside JSON that is a text.

    `respelled` is what the reader makes of a text.
    """

    def __init__(self, values: Iterable[Any] = (), respelled: Callable[[str], str] = str) -> None:
        self._texts: set[str] = set()
        for value in values:
            if isinstance(value, str):
                self._texts.add(value)
            elif value:
                self._texts.update(texts_in(value))
        self._respelled = respelled

    @cached_property
    def _pieces(self) -> frozenset[str]:
        """The texts without spaces around them, their lines, and the same of texts in JSON; made when first needed."""
        found: set[str] = set()
        waiting = [*self._texts]
        while waiting:
            text = waiting.pop()
            if (stripped := text.strip()) not in found:
                found.add(stripped)
                found.update(line for line in text.splitlines() if len(line) > LONG_TEXT)
                waiting += texts_in([json_in(text), _text_of_url(text)])
        return frozenset(found)

    def __contains__(self, text: str) -> bool:
        if text in self._texts:
            return True
        inside = DATA_URL.sub("", text, count=1)  # the bytes of a file
        if len(inside) <= LONG_TEXT or inside in self._texts:
            return True
        if not self._pieces.isdisjoint((text.strip(), self._respelled(text).strip())):
            return True
        if (inner := json_in(text)) is not None and all(each in self for each in texts_in(inner)):
            return True
        parts = [part for part in map(str.strip, MARKS.split(text)) if len(part) > LONG_TEXT]
        lines = [line for part in parts for line in part.splitlines() if len(line) > LONG_TEXT]
        return self._pieces.issuperset(parts) or self._pieces.issuperset(lines)


def json_in(text: str) -> Any:
    """The object or the list that a text is the JSON of; None for any other text."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


# --- what was read


def with_unsent_texts(
    found: Import,
    source: Source,
    bookkeeping: Collection[str] = (),
    respelled: Callable[[str], str] = str,
    *,
    taken: Collection[str] = (),
    tells_of_kept: bool = False,
) -> Import:
    """The import of a file with a loss for each field of it whose texts are in nothing that is sent.

    Fields of `bookkeeping` are the program's own notes (ids, versions, counts), which no model would read, with all
    that is in them. A text that is itself the value of a field of `taken` is read, if not as it stands; a field that a
    loss names is told of already. With `tells_of_kept` the reader has its own losses of what is kept beside.
    """
    if not found.counts():
        return found
    losses = [loss for loss in found.losses if not tells_of_kept or "left out" in loss.text]
    told = {name for loss in losses if (name := loss.field or _last(loss.place))}
    fields = Fields(BOOKKEEPING | set(bookkeeping), told, frozenset(taken))
    sent = Texts(chain(_sent(found), _kept(found) if tells_of_kept else ()), respelled)
    first = unsent_fields(source, sent, fields)
    return replace(found, losses=(*found.losses, *_losses(first, Texts(_kept(found))))) if first else found


def _losses(first: Mapping[str, tuple[str, str]], kept: Texts) -> list[Loss]:
    """A loss for each field; those beyond the first twenty are counted."""
    losses = [
        Loss(place, f"{name}: kept beside what is sent, not sent", name)
        if text in kept
        else Loss(place, f"{name}: nothing here has a place for it; left out", name)
        for name, (place, text) in first.items()
    ]
    if len(losses) <= MOST_FIELDS:
        return losses
    others = losses[MOST_FIELDS - 1 :]
    shown = f"{len(others)} more fields have texts that are not sent, such as {others[0].field!r:.40}"
    return [*losses[: MOST_FIELDS - 1], Loss("", shown)]


class Fields(NamedTuple):
    """Names of fields that have no loss: all that is in them, their own texts, a text that is the field's value.

    A name of `taken` may have that of the field around it before it: `postData.text`.
    """

    bookkeeping: Collection[str] = BOOKKEEPING
    told: Collection[str] = ()
    taken: Collection[str] = ()


def unsent_fields(source: Source, sent: Texts, fields: Fields) -> dict[str, tuple[str, str]]:
    """The fields of a parsed file with a text that is not in `sent`: the place and the text of the first of each."""
    first: dict[str, tuple[str, str]] = {}
    for outer, item in source.items():
        for way, name, text in _fields(item, fields):
            if name not in first and text not in sent:
                first[name] = (", ".join(filter(None, (outer, _place(way)))), text)
    return first


Way = tuple["Way | None", str | int]
"""The way to a value from the outermost one: the way to what holds it, and its key or its number there."""


def _fields(data: Any, known: Fields) -> Iterator[tuple[Way | None, str, str]]:
    """The texts of JSON in their order, each with the way to it and the name of its field."""
    stack: list[tuple[Any, Way | None, str]] = [(data, None, "")]
    while stack:
        value, way, name = stack.pop()
        if isinstance(value, str):
            if len(value) > LONG_TEXT and name not in known.told and not _is_taken(way, known.taken):
                yield way, name, value
        elif isinstance(value, dict):
            fields = cast("dict[str, Any]", value)
            stack += [
                (inner, (way, key), key) for key, inner in reversed(fields.items()) if key not in known.bookkeeping
            ]
        elif isinstance(value, list):
            items = cast("list[Any]", value)
            stack += [(items[number], (way, number), name) for number in range(len(items) - 1, -1, -1)]


def _is_taken(way: Way | None, taken: Collection[str]) -> bool:
    """Whether a text is itself the value of a field that is taken, by its name or with the name of what holds it."""
    if way is None or not taken or isinstance(way[1], int):
        return False
    return way[1] in taken or (way[0] is not None and f"{way[0][1]}.{way[1]}" in taken)


def _place(way: Way | None) -> str:
    """The place that a way leads to, such as `messages[2].content`."""
    pieces: list[str] = []
    while way is not None:
        way, key = way
        pieces.append(f"[{key}]" if isinstance(key, int) else f".{key}")
    return "".join(reversed(pieces)).removeprefix(".")


def _last(place: str) -> str:
    """The name of the field at the end of a place; "" for a place that names a message or a line."""
    name = place.rpartition(".")[2].rpartition(", ")[2].partition("[")[0]
    return name if name.isidentifier() else ""


def _sent(found: Import) -> Iterator[Any]:
    for session in found.sessions:
        yield from (session.id, session.name, (session.model_extra or {}).get("group"))
        for node in session.nodes.values():
            yield from map(node.__dict__.get, NODE_TEXTS)
            yield from map((node.metadata or {}).get, SENT_METADATA)
            if node.attachments:
                yield _plain(node.attachments)
                yield [*map(_text_inside, node.attachments)]
            yield node.model_extra
    yield from (_plain(value, without=CARRIED) for value in _other_values(found))


def _text_inside(asset: Asset) -> str:
    """The text of a document whose bytes are in the message itself."""
    match (asset.model_extra or {}).get("inlineData"):
        case {"mimeType": str() as kind, "base64": str() as packed}:
            return _text_of_url(f"data:{kind};base64,{packed}")
        case _:
            return ""


def _text_of_url(url: str) -> str:
    """The text of a document that is a data URL; "" for anything else."""
    head = DATA_URL.match(url) if url.startswith("data:text/") else None
    try:
        return b64decode(url[head.end() :]).decode("utf-8", "replace") if head is not None else ""
    except ValueError:
        return ""


def _kept(found: Import) -> Iterator[Any]:
    for session in found.sessions:
        yield session.model_extra
        yield from (node.metadata for node in session.nodes.values())
    yield from map(_plain, _other_values(found))


def _other_values(found: Import) -> Iterator[Any]:
    yield from (found.agents, found.books, found.users, found.rules, found.quick_actions, found.knowledge_bases)


def _plain(value: Any, without: str = "") -> list[str]:
    """The texts of values and of what is in them, but for fields of a name."""
    texts: list[str] = []
    stack = [value]
    while stack:
        found = stack.pop()
        if isinstance(found, str):
            texts.append(found)
        elif isinstance(found, Stored):
            stack += [found.model_extra, {**found.__dict__}]
        elif isinstance(found, Mapping):
            stack += [inner for key, inner in cast("Mapping[str, Any]", found).items() if key != without]
        elif isinstance(found, list | tuple):
            stack += cast("list[Any]", found)
    return texts
