"""Sentences of OCR on files in which it finds nothing, or at which its library fails."""

from __future__ import annotations

from io import BytesIO
from types import SimpleNamespace
from typing import Any

import pytest

from ctxlab.assets.transcription import ocr
from ctxlab.context import FileFacts
from ctxlab.errors import CtxlabError
from tests.assets.made_files import pdf


def nothing(_: Any) -> SimpleNamespace:
    return SimpleNamespace(txts=None, scores=None)


def failing(_: Any) -> SimpleNamespace:
    raise RuntimeError("ResizeImgError:\n")


@pytest.mark.parametrize(
    ("recognise", "says"),
    [(nothing, "no words were recognised in the document"), (failing, "recognising words failed on page 1")],
)
def test_a_sentence_on_a_pdf_speaks_of_the_document(recognise: Any, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setattr(ocr, "_recogniser", lambda: recognise)
    monkeypatch.setattr(ocr, "version_of", lambda _: "1")

    with pytest.raises(CtxlabError) as error:
        ocr.OcrEngine().read(BytesIO(pdf([""])), FileFacts("document", "application/pdf"), lambda _: None)

    assert str(error.value) == says
