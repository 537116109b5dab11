"""Facts of a file, as its bytes, its MIME type and its name tell them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Literal

from ctxlab.lazy_dataclass import dataclass

FileKind = Literal["image", "audio", "video", "document", "text", "other"]
Evidence = Literal["bytes", "mime", "name", "nothing"]


@dataclass(frozen=True, slots=True)
class FileFacts:
    """The type of a file and its measures; None where they aren't known, or don't apply.

    `confidence` in [0, 1] is that of the type, `decided_by` the evidence that decided it. Width and height are pixels
    as they are shown, `encoding` is that of a text file. `spoofed` is a sentence where name or MIME type say something
    else than the bytes; `problem` is one where the file can't be used as it is, such as a picture of 0 x 0 pixels.
    """

    kind: FileKind
    mime_type: str
    confidence: float = 0.5
    decided_by: Evidence = "nothing"
    size_bytes: int | None = None
    width: int | None = None
    height: int | None = None
    seconds: float | None = None
    pages: int | None = None
    encoding: str | None = None
    sha256: str = ""
    spoofed: str = ""
    problem: str = ""

    def as_data(self) -> dict[str, Any]:
        """The facts that are known."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name)) not in (None, "")}
