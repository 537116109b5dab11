"""The route of a file: how a model gets it, and why."""

from __future__ import annotations

from typing import Any, Literal

from ctxlab.lazy_dataclass import dataclass

RouteKind = Literal["picture", "audio", "video", "file", "upload", "link", "unknown"]
"""`upload` is a file that the vendor wants under an id of its own; `link` goes as its URL; `unknown` goes as it is,
because nothing is known of the model."""


@dataclass(frozen=True, slots=True)
class FileRoute:
    """The form in which the model gets a file that goes along as a file. `reason` is a sentence.

    `width` and `height` are those of the picture that is sent, in pixels, where it is scaled to the model's limit; None
    where it goes as it is. With `converts` it is made anew, in a type that the vendor takes; what is made has at most
    `max_bytes`, if that can be.
    """

    kind: RouteKind
    reason: str = ""
    width: int | None = None
    height: int | None = None
    converts: bool = False
    max_bytes: int | None = None

    def as_data(self) -> dict[str, Any]:
        size = {"width": self.width, "height": self.height} if self.width and self.height else {}
        return {"kind": self.kind, "reason": self.reason, **size, **({"converts": True} if self.converts else {})}
