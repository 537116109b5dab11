"""Base64 in a body: whether it is whole, and whether its first bytes are of the type that it is sent as."""

from __future__ import annotations

import binascii

from ctxlab.assets.signatures import mime_of_signature
from ctxlab.display.short_texts import short
from ctxlab.documents.session.inline_bytes import is_standard_base64
from ctxlab.providers.place import JsonPath
from ctxlab.providers.problem import Problem

_HEAD = 64


def base64_problem(data: str, at: JsonPath, mime_type: object = None) -> Problem | None:
    """The problem of base64 that no vendor can read; of a picture also that its bytes show another type."""
    if data.startswith("data:"):
        reason = "this is a data URL, and the base64 alone is wanted"
        return Problem(at, "base64", reason, "cut off everything up to the comma")
    if not data or not is_standard_base64(data):
        reason = "this is no base64 in its standard alphabet, filled up with ="
        return Problem(at, "base64", reason, "encode the file's bytes again")
    if not isinstance(mime_type, str) or not mime_type:
        return None
    try:
        shown = mime_of_signature(binascii.a2b_base64(data[:_HEAD]))
    except binascii.Error:
        return None
    if shown.startswith("image/") and shown != mime_type:
        reason = f"the bytes are {shown} and are sent as {short(mime_type)}"
        return Problem(at, "media-type", reason, f"name the type {shown}")
    return None
