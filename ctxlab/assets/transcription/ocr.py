"""Words in pictures and on scanned pages, recognised by RapidOCR on this machine: Chinese and English."""

from __future__ import annotations

from threading import Lock
from typing import Any, BinaryIO

from ctxlab.assets.transcription.engine import NoText, Progress
from ctxlab.assets.transcription.loaded_models import loaded, optional_module, version_of
from ctxlab.assets.transcription.picture_pages import PagePicture, pictures_of, pixels_of
from ctxlab.context import FileFacts, FileKind, Passage, Transcript
from ctxlab.errors import ReadError
from ctxlab.lazy_dataclass import dataclass

_recognising = Lock()
"""RapidOCR keeps what it works on in itself, so one picture goes at a time."""


@dataclass(frozen=True, slots=True)
class OcrEngine:
    """Lines of text in a picture, from top to bottom; of a PDF page by page, at most `max_pages`.

    Lines that the recogniser is less sure of than `min_score`, in [0, 1], are left out.
    """

    max_pages: int = 20
    max_side: int = 2000
    min_score: float = 0.5
    kinds: frozenset[FileKind] = frozenset({"image", "document"})
    name: str = "ocr"

    @property
    def version(self) -> str:
        return f"rapidocr {version_of('rapidocr')}, {self.max_pages} pages, {self.max_side}, {self.min_score}"

    def read(self, file: BinaryIO, facts: FileFacts, progress: Progress) -> Transcript:
        recognise = _recogniser()
        pictures = pictures_of(file, facts, max_pages=self.max_pages, max_side=self.max_side)
        passages: list[Passage] = []
        for done, page in enumerate(pictures):
            progress(done / len(pictures))
            if lines := self._lines(page, recognise):
                passages.append(Passage("\n".join(lines) + "\n", page.place))
        if not passages:
            raise NoText(f"no words were recognised in the {'document' if facts.kind == 'document' else 'picture'}")
        return Transcript(tuple(passages), self.name, pictures.problems)

    def _lines(self, page: PagePicture, recognise: Any) -> list[str]:
        import numpy as np

        pixels = np.asarray(pixels_of(page.data))[:, :, ::-1]  # blue first, as OpenCV has it
        try:
            with _recognising:
                found = recognise(pixels)
        except Exception:  # of a picture that is one pixel high the library raises whatever its steps meet
            raise ReadError(
                f"recognising words failed {f'on {page.place}' if page.place else 'in the picture'}"
            ) from None
        texts, scores = found.txts or (), found.scores or ()
        lines = [line for line, score in zip(texts, scores, strict=True) if score >= self.min_score]
        return [line for line in lines if any(map(str.isalnum, line))]  # a crease is read as ***


def _recogniser() -> Any:
    module = optional_module("rapidocr", extra="ocr", purpose="recognising words in pictures")
    optional_module("onnxruntime", extra="ocr", purpose="recognising words in pictures")
    # Its check for lines that are upside down takes upright English for such: 9 of 75 lines of a letter became noise.
    settings = {"Global.log_level": "critical", "Global.use_cls": False}
    return loaded("rapidocr", lambda: module.RapidOCR(params=settings))
