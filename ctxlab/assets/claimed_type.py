"""The type of a file whose bytes are not at hand, as its message claims it."""

from __future__ import annotations

from typing import get_args

from ctxlab.assets.type_table import BINARY, canonical_mime, kind_of_mime, mime_of_name
from ctxlab.context import FileFacts, FileKind

KINDS: tuple[FileKind, ...] = get_args(FileKind)


def claimed_facts(*, name: str = "", mime_type: str = "", kind: str = "") -> FileFacts:
    """The type by the MIME type, else by the name, else by the kind alone; it has no measures.

    >>> claimed_facts(name="notes.py", mime_type="application/octet-stream").kind
    'text'
    """
    declared, named = canonical_mime(mime_type), mime_of_name(name)
    if declared and declared != BINARY:
        return FileFacts(kind_of_mime(declared), declared, 0.95, "mime")
    if named and named != BINARY:
        return FileFacts(kind_of_mime(named), named, 0.85, "name")
    return FileFacts(next((known for known in KINDS if known == kind), "other"), declared or "", 0.5, "nothing")
