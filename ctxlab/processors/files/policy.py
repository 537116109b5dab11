"""When the text of a file is sent instead of the file, and in what words."""

from __future__ import annotations

from typing import Literal

from ctxlab.assets.capabilities import Capabilities
from ctxlab.documents import ModelProfile
from ctxlab.lazy_dataclass import dataclass

SENDABLE_PICTURES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Types of pictures that all vendors take."""
MOST_INLINE_BYTES = 50_000_000
"""Bytes of a file above which it isn't put into a request where the model's own limit isn't known."""
WantedLanguage = Literal["auto", "en", "zh"]


@dataclass(frozen=True, slots=True)
class Frames:
    """The words around the text of a file; `{name}`, `{text}`, `{fence}` and `{index}` are filled in."""

    text_file: str
    document: str
    transcript: str
    label: str


@dataclass(frozen=True, slots=True)
class FilePolicy:
    """Wishes for files. `reads` is what the model reads, `model` its name in sentences, empty for none.

    `picture_side` is the longest side of a picture that is sent, in pixels; None is the model's own limit. `why_unread`
    is the reason where there is no transcriber.
    """

    reads: Capabilities
    model: str
    frames: Frames
    transcribe: Literal["smart", "always", "never"] = "smart"
    text_after: int = 0
    prefer_text: bool = False
    describe: bool = True
    language: WantedLanguage = "auto"
    picture_side: int | None = None
    page_pictures: int = 20
    most_characters: int = 100_000
    why_unread: str = "no transcriber is at hand"

    @property
    def is_without_model(self) -> bool:
        return not self.model and not self.reads.known

    @property
    def longest_side(self) -> int | None:
        """The lesser of the model's limit and the wanted one."""
        sides = [side for side in (self.picture_side, self.reads.max_image_side) if side]
        return min(sides) if sides else None


def name_of_model(model: ModelProfile | None) -> str:
    """The name of a model in sentences; empty for none."""
    return (model.id or model.name or model.profile_name or "") if model is not None else ""
