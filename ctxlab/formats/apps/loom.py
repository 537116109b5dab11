"""Loom's trees (`<name>.json` of socketteer's Loom): texts with their `children` inside, below one `root`.

A text is a message: the user's where a person wrote it (`meta.source` "prompt"), else the model's where the tree says
that one wrote it, else the user's too. A text without words is no message, but what hangs on it keeps its place. The
active leaf is below `selected_node_id`. What the program keeps besides is in `metadata.loom`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any, Final

from ctxlab.formats.apps.answer_in_a_row import ASSISTANT
from ctxlab.formats.apps.exported_chats import ExportedChat, ExportedMessage, import_of, others, text_in
from ctxlab.formats.format import Format, always
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source

OWN: Final = frozenset({"id", "text", "children", "parent_id"})
OF_A_TREE: Final = frozenset({"root", "selected_node_id"})
BOOKKEEPING: Final = frozenset(
    {"id", "meta", "visited", "open", "mutable", "chapter_id", "chapters", "tags", "text_attributes", "visible_tree"}
    | {"generation_settings", "visualization_settings", "inline_generation_settings", "preferences", "frame"}
    | {"bookmark", "archived", "canonical", "root_id", "model_responses", "checkpoint", "tags_config", "name", "title"}
)
"""Fields that no model reads."""
BY_A_MODEL: Final = frozenset({"AI", "mixed"})


def sniff(data: Any) -> bool:
    fields = fields_of(data)
    root = fields_of(fields.get("root"))
    return "mapping" not in fields and isinstance(root.get("text"), str) and isinstance(root.get("children"), list)


def chat_of(source: Source, losses: list[Loss]) -> ExportedChat:
    """The tree of a file as one chat."""
    data = fields_of(source.data)
    found: list[ExportedMessage] = []
    selected = text_in(data, "selected_node_id")
    places: list[str | None] = []
    names = Names()
    leaf: str | None = None
    for number, (parent, stored) in enumerate(_texts(fields_of(data.get("root")))):
        id = names.take(text_in(stored, "id") or f"m{number}")
        above = None if parent is None else places[parent]
        places.append(above)
        if stored.get("text") is not None and not isinstance(stored["text"], str):
            losses.append(Loss(f"message {id!r}", "its text is no text; it is left out", "text"))
        rest = {key: value for key, value in others(stored, OWN).items() if key != "meta" or value != {}}
        if text_in(stored, "text"):
            found.append(_message(id, above, stored, rest))
            places[number] = id
        elif rest.keys() - BOOKKEEPING:
            losses.append(Loss(f"message {id!r}", "it has no text; its other fields are left out", "rest"))
        leaf = places[number] if text_in(stored, "id") == selected and selected else leaf
    return ExportedChat(
        id=source.stem,
        name=source.stem,
        messages=tuple(found),
        leaf=_below(found, leaf),
        about=others(data, OF_A_TREE),
        bookkeeping=BOOKKEEPING,
    )


def _texts(root: Data) -> Iterator[tuple[int | None, Data]]:
    """The texts, each with the number among them of the one above it, which comes first."""
    stack: list[tuple[int | None, Data]] = [(None, root)]
    for number in count():
        if not stack:
            return
        parent, stored = stack.pop()
        yield parent, stored
        stack += [(number, fields_of(child)) for child in reversed(items_of(stored.get("children")))]


def _message(id: str, above: str | None, stored: Data, rest: Data) -> ExportedMessage:
    meta = fields_of(stored.get("meta"))
    by_model = meta.get("source") in BY_A_MODEL or "generation" in meta or meta.get("origin") == "generated"
    role = ASSISTANT if by_model else "user"
    return ExportedMessage(id, above, ({"role": role, "content": stored["text"]},), rest=rest)


def _below(messages: list[ExportedMessage], selected: str | None) -> str | None:
    """The end of the first branch below the selected message."""
    first = {message.parent: message.id for message in reversed(messages)}
    while selected is not None and selected in first:
        selected = first[selected]
    return selected


def read(source: Source) -> Import:
    losses: list[Loss] = []
    chat = chat_of(source, losses)
    losses.append(Loss("", "the tree is text that a model goes on with; its pieces are messages now"))
    return import_of([chat], source, "loom", losses)


LOOM = Format("loom", "tree", sniff=sniff, read=read, only_conversations=always)
