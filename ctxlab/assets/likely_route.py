"""The form in which a model would get a file by itself, without a message around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, BinaryIO

from ctxlab.assets.capabilities import Capabilities
from ctxlab.assets.content_router.route_content import decide
from ctxlab.assets.pictures import fitted_size
from ctxlab.assets.readers.registry import has_reader, read_text
from ctxlab.context import FileFacts
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError


@dataclass(frozen=True, slots=True)
class LikelyRoute:
    """`sent_as` is text, picture, audio, video, file or description; `reason` says why.

    Width and height are those of a picture that is scaled to the model's limit.
    """

    sent_as: str
    reason: str
    width: int | None = None
    height: int | None = None

    def __str__(self) -> str:
        return f"{self.sent_as}, scaled to {self.width} x {self.height}" if self.width else self.sent_as

    def as_data(self) -> dict[str, Any]:
        size = {"width": self.width, "height": self.height} if self.width else {}
        return {"sent_as": self.sent_as, "reason": self.reason, **size}


def likely_route(facts: FileFacts, capabilities: Capabilities, file: BinaryIO) -> LikelyRoute:
    """The form in which a model of these capabilities gets a file of these facts.

    Of a document that the model doesn't take the text is read, to know whether it has one.
    """
    if facts.size_bytes == 0:
        return LikelyRoute("description", "it is empty")
    if facts.kind == "text":
        return LikelyRoute("text", "it is a text file")
    if facts.kind == "image" and 0 in (facts.width, facts.height):
        return LikelyRoute("description", "it is a picture without pixels")
    decision = decide(facts, capabilities)
    if decision.routing == "image_url":
        return LikelyRoute("picture", decision.reason, *_scaled(facts, capabilities))
    if decision.routing == "file":
        return LikelyRoute(facts.kind if facts.kind in ("audio", "video") else "file", decision.reason)
    return _as_text(facts, file, decision.reason) if has_reader(facts) else LikelyRoute("description", decision.reason)


def _as_text(facts: FileFacts, file: BinaryIO, why: str) -> LikelyRoute:
    """The text of a document, or a description where it has none."""
    try:
        characters = len(read_text(file, facts).text)
    except CtxlabError as error:
        return LikelyRoute("description", f"{why}, and its text can't be read: {error}")
    return LikelyRoute("text", f"{why}; its text has {counted(characters, 'character')}")


def _scaled(facts: FileFacts, capabilities: Capabilities) -> tuple[int | None, int | None]:
    """The size to which a picture is scaled; None where it goes as it is."""
    side, width, height = capabilities.max_image_side, facts.width, facts.height
    if not side or not width or not height or max(width, height) <= side:
        return None, None
    return fitted_size(width, height, side)
