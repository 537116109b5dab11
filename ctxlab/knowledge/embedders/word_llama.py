"""Vectors of WordLlama: static vectors of English tokens, averaged; very fast."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxlab.assets.transcription.loaded_models import loaded, optional_module, version_of
from ctxlab.knowledge.embedders.embedder import encodable, unit_rows
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from ctxlab.knowledge.embedders.embedder import Vectors

DIMENSIONS = 256


@dataclass(frozen=True, slots=True)
class WordLlama:
    """Embeds English texts, thousands a second, with the vectors that the package wordllama brings (16 MB).

    The package is under MIT. Its vectors were trained from token embeddings of LLaMA 2 70B, Phi 3 medium and others,
    and nothing in the package says under which licence they are.
    """

    @property
    def name(self) -> str:
        return "wordllama"

    @property
    def version(self) -> str:
        return version_of("wordllama")

    def embed(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        model = _model()
        found = np.zeros((len(texts), DIMENSIONS), np.float32)
        for i, text in enumerate(texts):
            if text.strip():
                # One at a time: in a batch a vector's last digits depend on the texts beside it.
                found[i] = model.embed(encodable(text))
        return unit_rows(found, len(texts), self.name)


def _model() -> Any:
    module = optional_module("wordllama", extra="embeddings", purpose="embedding texts")
    # Without a folder it looks into its cache in the home folder only, and then wants to download.
    folder = Path(str(module.__file__)).parent
    return loaded(("embedder", "wordllama"), lambda: module.WordLlama.load(cache_dir=folder, disable_download=True))
