"""The text of files that is there to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from ctxlab.context import FileFacts, Transcript
from ctxlab.errors import ReadError

__all__ = ["ReadLimits", "has_reader", "read_text"]


@dataclass(frozen=True, slots=True)
class ReadLimits:
    """The most that is read of a file."""

    max_bytes: int = 20_000_000
    max_characters: int = 200_000


def has_reader(facts: FileFacts) -> bool:
    return facts.kind == "text"


def read_text(file: BinaryIO, facts: FileFacts, *, limits: ReadLimits = ReadLimits()) -> Transcript:
    try:
        return Transcript.of(file.read(limits.max_bytes).decode(), engine="text")
    except UnicodeDecodeError as broken:
        raise ReadError("the text can't be decoded") from broken
