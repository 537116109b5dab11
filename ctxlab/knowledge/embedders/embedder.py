"""The contract of an embedder: texts in, vectors of unit length out."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

from ctxlab.context.portable_pickles import by_fields
from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into vectors, so that texts of like meaning have like directions.

    In a process vectors are remembered for one embedder and those equal to it, in an index on disk by name and version.
    """

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector a text, float32 of shape (texts, dimensions), each of unit length; 0 where no word is."""
        ...


EmbedFunction = Callable[[Sequence[str]], Any]
"""An embedder of one's own: a function of texts that gives a row of numbers for each."""


@dataclass(frozen=True, slots=True)
class FunctionEmbedder:
    """An embedder around a function."""

    name: str
    function: EmbedFunction
    version: str = ""

    def __reduce__(self) -> tuple[Any, ...]:
        return by_fields(self, "function")

    def embed(self, texts: Sequence[str]) -> Vectors:
        return unit_rows(self.function(texts), len(texts), self.name)


def as_embedder(embedder: Embedder | EmbedFunction) -> Embedder:
    """An embedder as it is, or one around a function of texts."""
    if callable(getattr(embedder, "embed", None)):
        return cast("Embedder", embedder)
    function = cast("Any", embedder)
    return FunctionEmbedder(getattr(function, "__name__", type(function).__name__), function)


class _Itself:
    """An embedder that can't be hashed, as a key: equal to itself alone."""

    __slots__ = ("embedder",)

    def __init__(self, embedder: object) -> None:
        self.embedder = embedder

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.embedder is other.embedder

    def __hash__(self) -> int:
        return id(self.embedder)


def as_key(embedder: object) -> Hashable:
    """A key for what is remembered of an embedder: one made anew, with other code, is another even by the same name."""
    try:
        hash(embedder)
    except TypeError:
        return _Itself(embedder)
    return embedder


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
