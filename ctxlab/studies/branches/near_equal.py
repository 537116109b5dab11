"""Branches whose words are nearly equal, found by MinHash and bands, so that not every pair is compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.branches.measured_tree import MeasuredTree

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CLUSTER_COLUMNS = ("cluster", "session", "branch", "node", "first_likeness", "characters", "on_active_path", "text")
WIDTH = 5
"""Characters of a shingle; of Chinese these are two or three words."""
BANDS, ROWS = 16, 4
"""Two texts with a Jaccard index of 0.8 share a band with a probability of 1 - (1 - 0.8^4)^16 = 0.9998 (LSH)."""


@dataclass(frozen=True, slots=True, eq=False)
class BranchText:
    """Words of a branch; `node` is the number of the message at which they end."""

    tree: MeasuredTree
    node: int
    text: str


def cluster_rows(
    trees: Sequence[MeasuredTree], likeness: float, least_characters: int, *, whole: bool
) -> Iterator[dict[str, Any]]:
    """The rows of all branches that are in a cluster, the largest clusters first."""
    texts = [
        BranchText(tree, node, text)
        for tree in trees
        for node, text in (
            zip([line.leaf for line in tree.lines], tree.line_texts, strict=True) if whole else tree.fork_texts.items()
        )
        if len(text) >= max(1, least_characters)
    ]
    sets = [shingles(text.text) for text in texts]
    groups = sorted(clusters(sets, likeness), key=lambda group: (-len(group), group[0]))
    for number, group in enumerate(groups):
        for at in group:
            one = texts[at]
            yield {
                "cluster": number,
                "session": one.tree.id,
                "branch": one.tree.shape.branches[one.node],
                "node": one.tree.shape.keys[one.node],
                "first_likeness": jaccard(sets[group[0]], sets[at]),
                "characters": len(one.text),
                "on_active_path": one.tree.active[one.node],
                "text": one.text,
            }


def shingles(text: str) -> NDArray[np.uint64]:
    """The hashes of all stretches of WIDTH characters, each once, sorted; of a shorter text that of the whole."""
    import numpy as np

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.uint64)
    if not len(codes):
        return codes
    width = min(WIDTH, len(codes))
    found = np.zeros(len(codes) - width + 1, dtype=np.uint64)
    for at in range(width):
        found = found * np.uint64(0x100000001B3) + codes[at : at + len(found)]
    return np.unique(_mixed(found))


def _mixed(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Values spread over all 64 bits (the finaliser of SplitMix64)."""
    import numpy as np

    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def jaccard(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> float:
    """The share of what two sets have in common of all that either has; 1 for two empty ones."""
    import numpy as np

    common = len(np.intersect1d(a, b, assume_unique=True))
    whole = len(a) + len(b) - common
    return common / whole if whole else 1.0


def clusters(sets: Sequence[NDArray[np.uint64]], likeness: float) -> list[list[int]]:
    """Groups of two or more sets, each at least so like another one of its group; in order of their first.

    Sets with an equal band of their MinHash are compared with the first of those, so the work grows with their number.
    """
    groups = list(range(len(sets)))

    def root(at: int) -> int:
        while groups[at] != at:
            groups[at] = groups[groups[at]]
            at = groups[at]
        return at

    firsts: dict[tuple[int, bytes], int] = {}
    compared: set[tuple[int, int]] = set()
    for at, bands in enumerate(map(_bands, sets)):
        for band in enumerate(bands):
            first = firsts.setdefault(band, at)
            pair = (first, at)
            if first == at or pair in compared or root(first) == root(at):
                continue
            compared.add(pair)
            if jaccard(sets[first], sets[at]) >= likeness:
                low, high = sorted((root(first), root(at)))
                groups[high] = low
    found: dict[int, list[int]] = {}
    for at in range(len(sets)):
        found.setdefault(root(at), []).append(at)
    return [group for group in found.values() if len(group) > 1]


def _bands(values: NDArray[np.uint64]) -> list[bytes]:
    """The MinHash of a set in bands: the least value under each of BANDS * ROWS permutations."""
    import numpy as np

    if not len(values):
        return []
    seeds = _mixed(np.arange(1, BANDS * ROWS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    spread = (values[None, :] ^ seeds[:, None]) * (seeds[:, None] | np.uint64(1))  # values are mixed already
    least = spread.min(axis=1)
    return [band.tobytes() for band in least.reshape(BANDS, ROWS)]
