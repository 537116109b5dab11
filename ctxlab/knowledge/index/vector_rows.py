"""Vectors of texts as rows of one matrix that grows."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]
    Rows = NDArray[np.int64]
    N = TypeVar("N", bound=np.generic)

FIRST_ROWS = 1024


class VectorRows:
    """Vectors of unit length by the number of their text; a reader holds what was there when it asked.

    Rows are only written behind those that a reader knows, and a matrix that is full is copied into one of twice the
    size, so adding costs the same for each vector on average.
    """

    def __init__(self) -> None:
        self._matrix: Matrix | None = None
        self._texts: Rows | None = None
        self._count = 0
        self._lock = Lock()

    def __len__(self) -> int:
        return self._count

    def add(self, texts: Rows, vectors: Matrix) -> None:
        """Put in vectors of the texts of these numbers; raises CtxlabError for ones of another length than before."""
        import numpy as np

        with self._lock:
            matrix, numbers = self._matrix, self._texts
            if matrix is None or numbers is None:
                matrix, numbers = np.zeros((FIRST_ROWS, vectors.shape[1]), np.float32), np.zeros(FIRST_ROWS, np.int64)
            if matrix.shape[1] != vectors.shape[1]:
                raise CtxlabError(f"vectors of {vectors.shape[1]:,} numbers came after those of {matrix.shape[1]:,}")
            end = self._count + len(vectors)
            if end > len(matrix):
                rows = max(2 * len(matrix), end)
                matrix, numbers = _larger(matrix, rows), _larger(numbers, rows)
            matrix[self._count : end], numbers[self._count : end] = vectors, texts
            self._matrix, self._texts, self._count = matrix, numbers, end

    def held(self) -> tuple[Rows, Matrix] | None:
        """The numbers of the texts and their vectors, as they are now; None where there are none."""
        with self._lock:
            if self._matrix is None or self._texts is None:
                return None
            return self._texts[: self._count], self._matrix[: self._count]


def _larger(array: NDArray[N], rows: int) -> NDArray[N]:
    import numpy as np

    grown = np.zeros((rows, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
