"""One message to read: its whole text, and what is known of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from ctxlab.context import AssetRef
from ctxlab.context.file_words import file_words
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.stands_for import StandsFor, stands_for

if TYPE_CHECKING:
    from ctxlab.documents import MessageNode, Session
    from ctxlab.pipeline.services import TokenCounter


MOST_FILES = 40
MOST_KEPT = 2_000
"""Messages that a page without Python can show whole."""
MOST_KEPT_CHARACTERS = 2_000_000


class MessagePreview(TypedDict):
    """A message as it is read; `depth` counts the messages from the root to it, an empty root doesn't count."""

    key: str
    role: str
    name: str
    text: str
    tokens: int
    depth: int
    date: str
    """As the file has it; empty where it has none."""
    calls: list[str]
    files: list[str]
    """Kind, name and measures of each file, as the message has them."""
    stands_for: StandsFor | None
    """Of a summary the messages that it stands for."""


def message_preview(session: Session, node_id: str, tokenizer: TokenCounter) -> MessagePreview:
    """Tokens are those of the text alone."""
    node = session.node(node_id)
    return {
        "key": node_id,
        "role": "summary" if node.is_summary else node.role,
        "name": node.name or node.speaker or "",
        "text": node.content,
        "tokens": tokenizer.count(node.content),
        "depth": counted(session.path(node_id)),
        "date": node.timestamp or "",
        "calls": [call.name for call in node.tool_calls],
        "stands_for": stands_for(session, node),
        "files": [file_words(AssetRef.of(file)) for file in (node.attachments or ())[:MOST_FILES]],
    }


def kept_previews(session: Session, tokenizer: TokenCounter) -> str:
    """Previews of the messages by id as JSON, those of the active path first; as many as a page has room for."""
    keys = dict.fromkeys([*(node.id for node in session.path() if node.id in session.nodes), *session.nodes])
    found: dict[str, MessagePreview] = {}
    characters = 0
    for key in list(keys)[:MOST_KEPT]:
        characters += len(session.nodes[key].content)
        if characters > MOST_KEPT_CHARACTERS:
            break
        found[key] = message_preview(session, key, tokenizer)
    return as_json(found)


def counted(nodes: tuple[MessageNode, ...]) -> int:
    """Number of messages, without a root that only holds the tree together."""
    return sum(not node.is_empty_root for node in nodes)
