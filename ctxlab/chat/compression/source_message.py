"""Messages as whoever summarises reads them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ctxlab.documents import MessageNode


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A message for whoever summarises: its id, role and speaker, and its words."""

    id: str
    role: str
    speaker: str
    text: str


def source_of(node: MessageNode) -> SourceMessage:
    """A message as whoever summarises reads it: its words, its calls, the names of its files."""
    speaker = node.speaker or node.meta("userProfileName" if node.role == "user" else "agentName")
    return SourceMessage(node.id, node.role, speaker if isinstance(speaker, str) else "", "\n".join(_words(node)))


def _words(node: MessageNode) -> Iterator[str]:
    if node.content:
        yield node.content
    for call in node.tool_calls:
        yield f"[{call.name}({call.arguments})]"
    for asset in node.attachments or ():
        yield f"[{asset.type}: {asset.name or asset.id}]"
