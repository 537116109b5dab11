"""The text of bytes."""

from __future__ import annotations


def decode_text(data: bytes) -> tuple[str, str, tuple[str, ...]]:
    """Text, encoding and problems."""
    try:
        return data.decode(), "utf-8", ()
    except UnicodeDecodeError:
        return data.decode(errors="replace"), "utf-8", ("some letters can't be decoded",)
