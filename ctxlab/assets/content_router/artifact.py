"""Artifacts: files that tools keep for a conversation, as their store hands them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, cast

from ctxlab.assets.references import bytes_of_base64
from ctxlab.documents.session.inline_bytes import is_data_url
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass


class BrokenContent(CtxlabError):
    """The content of an artifact can't be read: it isn't the base64 that it should be, or there is none."""


@dataclass(frozen=True)
class Artifact:
    """A file with its bytes, its base64, or its text in `content`.

    `is_binary` None means that nothing says whether it is text: its content decides. What the metadata say may be
    wrong or of the wrong kind; the properties give what can be used of them.
    """

    id: str
    content: bytes | str | None = field(default=None, repr=False)
    is_binary: bool | None = None
    mime_type: str = ""
    type: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict[str, Any])
    created_at: str = ""
    size: int | None = None

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Artifact:
        """The artifact of a store's JSON: `{"id", "content", "isBinary", "mimeType", "meta": {"filename"}, ...}`.

        Values of the wrong type are left out, as if they weren't there.
        """
        content, is_binary, meta, size = (data.get(name) for name in ("content", "isBinary", "meta", "size"))
        return cls(
            id=_text(data.get("id")),
            content=content if isinstance(content, str | bytes) else None,
            is_binary=is_binary if isinstance(is_binary, bool) else None,
            mime_type=_text(data.get("mimeType")),
            type=_text(data.get("type")),
            meta=cast("Mapping[str, Any]", meta) if isinstance(meta, Mapping) else {},
            created_at=_text(data.get("createdAt")),
            size=size if type(size) is int and size >= 0 else None,
        )

    @property
    def filename(self) -> str:
        return _text(self.meta.get("filename"))

    @cached_property
    def data(self) -> bytes:
        """The bytes; base64 is decoded. Raises BrokenContent where that is invalid, and where nothing is left."""
        content = self.content
        if isinstance(content, str):
            content = decoded(content)
        if not content:
            raise BrokenContent(f"artifact {self.id!r} has no content")
        return content


def decoded(base64: str) -> bytes:
    """The bytes of a base64 text, or of a data URL that holds one; BrokenContent where it is invalid.

    Line breaks and blanks don't count, the `=` at the end may be missing, and either alphabet will do.

    >>> decoded("data:text/plain;base64,aGV5"), decoded("aGU")
    (b'hey', b'he')
    """
    if is_data_url(base64):
        head, _, base64 = base64.partition(",")
        if not head.lower().endswith(";base64"):
            raise BrokenContent("its content is a data URL without base64")
    try:
        return bytes_of_base64(base64)
    except CtxlabError as error:
        raise BrokenContent("its content is not valid base64") from error


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
