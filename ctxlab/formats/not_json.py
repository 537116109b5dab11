"""Names for content that isn't JSON, by its first bytes, its first lines or the file's ending, for error messages."""

from __future__ import annotations

import re
from typing import Final

from ctxlab.lazy_pattern import lazy_pattern

WHAT_IS_READ: Final = "ctxlab reads JSON, JSON lines, YAML, cards in PNG pictures, and zip archives"

BINARY: Final = (
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"PK\x03\x04", "a zip archive; unpack it and read what is in it"),
    (b"\x1f\x8b", "gzip-compressed; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"%PDF-", "a PDF document"),
    (b"ID3", "a sound in MP3"),
    (b"OggS", "a sound in Ogg"),
    (b"fLaC", "a sound in FLAC"),
    (b"\x7fELF", "a program"),
)
"""First bytes of files (file(1)'s magic numbers), and what begins so."""
RIFF: Final = {b"WEBP": "a WebP picture", b"WAVE": "a sound in WAV", b"AVI ": "a film in AVI"}
"""Kinds of RIFF files, by the four bytes after its length."""
LOOKED_AT: Final = 4096
"""Bytes or characters from which a kind is told."""

MARKDOWN: Final = "Markdown by its looks, which is not read; if ctxlab wrote it, read the file that it was made of"
ENDINGS: Final = {
    ".md": MARKDOWN,
    ".markdown": MARKDOWN,
    ".html": "HTML",
    ".htm": "HTML",
    ".xml": "XML",
    ".csv": "a table (CSV)",
    ".tsv": "a table (TSV)",
    ".txt": "plain text",
    ".log": "plain text",
    ".py": "Python code",
    ".toml": "TOML",
}
CONTENT: Final = (
    (lazy_pattern(r"<!doctype html|<html", re.IGNORECASE), "HTML"),
    (lazy_pattern(r"<\?xml"), "XML"),
    (lazy_pattern(r"#{1,6} \S[^\n]*(?:\n\s*\n|\Z)"), MARKDOWN),  # a comment of other files has code in the next line
    (lazy_pattern(r"(?:[^,\n]+,){2,}[^,\n]+\n(?:[^,\n]*,){2,}"), "a table (CSV)"),
)

PROMPT: Final = lazy_pattern(
    r"\s*(?:\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|gMASK)\]|\[\|\w+\|\]|<[|｜][^<>\s]{1,40}[|｜]>|<s>|<bos>|<start_of_turn>)"
)
"""Marks with which a prompt of one text begins; some begin like JSON."""
PROMPT_KIND: Final = "a prompt that is one text, which `ctxlab check` and read_recording read; give them the file"


def binary_kind(raw: bytes) -> str | None:
    """The kind of a file that is no text; None for what may be text."""
    if raw.startswith(b"RIFF"):
        return RIFF.get(raw[8:12], "a RIFF file")
    if raw[4:8] == b"ftyp":
        return "a film or a picture in MP4's container"
    known = next((kind for magic, kind in BINARY if raw.startswith(magic)), None)
    return known or ("binary, of no kind that is read" if b"\x00" in raw[:LOOKED_AT] else None)


def text_kind(text: str, name: str, *, no_json: bool) -> str | None:
    """The kind of a text that can't be parsed; None where nothing tells it.

    Where it begins like JSON, only an ending that JSON never has tells it.
    """
    if PROMPT.match(text, 0, LOOKED_AT):
        return PROMPT_KIND
    by_name = next((kind for ending, kind in ENDINGS.items() if name.lower().endswith(ending)), None)
    if not no_json:
        return by_name if by_name != "plain text" else None
    head = text[:LOOKED_AT].lstrip()
    by_content = next((kind for pattern, kind in CONTENT if pattern.match(head)), None)
    return by_content or by_name


def refusal(name: str, kind: str) -> str:
    """The line that says what a file is and what is read instead."""
    remedy = "" if ";" in kind else f"; {WHAT_IS_READ}"
    return f"{name} is no JSON text: it is {kind}{remedy}"
