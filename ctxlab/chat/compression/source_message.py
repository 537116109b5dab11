"""Messages as whoever summarises reads them."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlab.chat.compression.call_words import call_words
from ctxlab.documents import MessageNode
from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A message for whoever summarises: its id, role and speaker, and its text, at whose end are its files."""

    id: str
    role: str
    speaker: str
    text: str
    files: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The text without the lines that only name its files."""
        return self.text.removesuffix("\n".join(self.files)).rstrip("\n") if self.files else self.text


def source_of(node: MessageNode) -> SourceMessage:
    """A message as whoever summarises and the report read it: its words, its calls, the names of its files."""
    speaker = node.speaker or node.meta("userProfileName" if node.role == "user" else "agentName")
    files = tuple(f"[{asset.type}: {asset.name or asset.id}]" for asset in node.attachments or ())
    text = "\n".join((*_words(node), *files))
    return SourceMessage(node.id, node.role, speaker if isinstance(speaker, str) else "", text, files)


def _words(node: MessageNode) -> Iterator[str]:
    if node.content:
        yield node.content
    for call in node.tool_calls:
        yield from call_words(call.name, call.arguments)
