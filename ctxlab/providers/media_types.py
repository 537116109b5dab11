"""MIME types of files as vendors write them."""

from __future__ import annotations

_SAME = {"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "audio/x-wav": "audio/wav", "audio/wave": "audio/wav"}


def plain_type(mime_type: str) -> str:
    """A MIME type in small letters, without its parameters and under its usual name.

    >>> plain_type("Image/JPG; q=1")
    'image/jpeg'
    """
    plain = mime_type.partition(";")[0].strip().lower()
    return _SAME.get(plain, plain)
