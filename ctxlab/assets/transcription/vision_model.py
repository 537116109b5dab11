"""A vision model as an engine: any function of a picture's bytes, or a service that completes prompts."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO, Protocol, runtime_checkable

from ctxlab.assets.transcription.engine import NoText, Progress
from ctxlab.assets.transcription.picture_pages import pictures_of
from ctxlab.context import FileFacts, FileKind, Passage, Transcript
from ctxlab.context.portable_pickles import by_fields
from ctxlab.lazy_dataclass import dataclass

PROMPT = (
    "Write down all text in this picture exactly as it stands, then describe in a few sentences what else it shows."
    " Answer with that alone."
)

Describe = Callable[[bytes, str], str]
"""Takes the bytes of a picture and its MIME type."""


@runtime_checkable
class Completes(Protocol):
    """A service that writes replies: `services.llm` of a build."""

    def complete(self, prompt: str | Sequence[Mapping[str, Any]], **options: Any) -> str: ...


@dataclass(frozen=True, slots=True)
class VisionModel:
    """The words of a model on what a picture shows; of a PDF page by page, at most `max_pages`.

    `model` is a function of bytes and MIME type, or has `complete`, which gets a message in OpenAI's form with `prompt`
    and the picture. Without a `version` nothing of it is kept on disk.
    """

    model: Describe | Completes
    prompt: str = PROMPT
    max_pages: int = 10
    max_side: int = 1568
    kinds: frozenset[FileKind] = frozenset({"image", "document"})
    name: str = "vision-model"
    version: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "model")

    def __repr__(self) -> str:
        return f"VisionModel({self.name!r})"

    def read(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        pictures = pictures_of(file, facts, max_pages=self.max_pages, max_side=self.max_side)
        passages: list[Passage] = []
        for done, page in enumerate(pictures):
            progress(done / len(pictures))
            if words := self._text(page.data, page.mime_type).strip():
                passages.append(Passage(f"{words}\n", page.place))
        if not passages:
            raise NoText(f"{self.name} gave no text for the picture")
        return Transcript(tuple(passages), self.name, pictures.problems)

    def _text(self, data: bytes, mime_type: str) -> str:
        if not isinstance(self.model, Completes):
            return self.model(data, mime_type)
        url = f"data:{mime_type or 'image/png'};base64,{b64encode(data).decode('ascii')}"
        parts = [{"type": "text", "text": self.prompt}, {"type": "image_url", "image_url": {"url": url}}]
        return self.model.complete([{"role": "user", "content": parts}])
