"""The contract of an embedder: texts in, vectors of unit length out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors, so that texts of like meaning have like directions.

    Two embedders of one name and version give the same vectors: vectors are remembered by both.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, float32 of shape (texts, dimensions), each of unit length; 0 where no word is."""
        ...


def unit_rows(rows: Any, count: int, name: str) -> Vectors:
    """Vectors as float32 rows of unit length; a row of zeros stays.

    Raises CtxlabError where there isn't one row of finite numbers a text.
    """
    import numpy as np

    try:
        found = np.ascontiguousarray(rows, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise CtxlabError(f"embedder {short(name)!r} gave no vectors of equal length") from error
    if found.ndim != 2 or found.shape[0] != count or not found.shape[1]:
        raise CtxlabError(f"embedder {short(name)!r} gave an array of shape {found.shape} for {count:,} texts")
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise CtxlabError(f"embedder {short(name)!r} gave a vector with numbers that are not finite")
    return found / np.where(lengths > 0, lengths, 1).astype(np.float32)


def encodable(text: str) -> str:
    """The text with `?` for lone surrogates, which have no UTF-8."""
    return text.encode("utf-8", "replace").decode("utf-8")
