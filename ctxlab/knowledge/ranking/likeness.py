"""Likeness of messages to a question by their vectors, each read with the message before and the one after it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from threading import Lock
from typing import TYPE_CHECKING

from ctxlab.engines.ranking import Candidate
from ctxlab.engines.ranking.candidates import Candidates
from ctxlab.errors import WrongArgument
from ctxlab.knowledge.embedders import Embedder, embedder_for, embedder_named, vectors_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ctxlab.knowledge.embedders.embedder import Vectors

    Numbers = NDArray[np.float64]

PIECE = 1_600
"""Characters of a message that are embedded at once; a longer one is as like as the likest of its pieces."""
FROM_NEIGHBOUR = 600
"""Characters of a neighbour that are read along, those that are next to the message."""


REMEMBERED = 2
"""Conversations whose vectors are remembered as one array, beside those of single texts."""

_remembered: dict[Hashable, tuple[Vectors, Sequence[int]]] = {}
_remembering = Lock()


def check_embedder(embedder: object) -> None:
    """Raises WrongArgument for what is neither None nor the name of an embedder nor one."""
    if embedder is None or (isinstance(embedder, str) and embedder):
        return
    if isinstance(embedder, type) or not (callable(getattr(embedder, "embed", None)) and hasattr(embedder, "version")):
        raise WrongArgument(f"embedder is a {type(embedder).__name__}; it takes an embedder, the name of one, or None")


def chosen_embedder(wanted: Embedder | str | None, texts: Sequence[str]) -> Embedder:
    """An embedder as it is, or by its name; without one the best that is installed and reads the texts."""
    if wanted is None:
        return embedder_for(texts)
    return embedder_named(wanted) if isinstance(wanted, str) else wanted


def likeness(query: str, candidates: Sequence[Candidate], embedder: Embedder) -> Numbers:
    """The cosine of question and message, from -1 to 1, one a message; 0 where either has no words."""
    import numpy as np

    if not candidates:
        return np.zeros(0)
    vectors, starts = _passage_vectors(Candidates.of(candidates), embedder)
    # einsum has one order of summing, whatever the number of threads; BLAS has several.
    cosines = np.einsum("ij,j->i", vectors, vectors_of(embedder, [query])[0])
    return np.clip(np.maximum.reduceat(cosines, starts).astype(np.float64), -1, 1)


def _passage_vectors(candidates: Candidates, embedder: Embedder) -> tuple[Vectors, Sequence[int]]:
    """The vectors of all messages' passages, and where those of each message begin; remembered for the last ones."""
    key = (embedder.name, embedder.version, candidates)
    with _remembering:
        found = _remembered.pop(key, None)
    if found is None:
        texts: list[str] = []
        starts: list[int] = []
        for i in range(len(candidates)):
            starts.append(len(texts))
            texts.extend(passages(candidates, i))
        found = vectors_of(embedder, texts), starts
    with _remembering:
        _remembered[key] = found
        while len(_remembered) > REMEMBERED:
            del _remembered[next(iter(_remembered))]
    return found


def passages(candidates: Sequence[Candidate], i: int) -> list[str]:
    """Texts that are embedded for a message: its pieces with the speaker.

    The first follows the end of the message before, the last is followed by the beginning of the one after it, where
    those are of the same talk.
    """
    own = _with_speaker(candidates[i])
    pieces = [own[at : at + PIECE] for at in range(0, len(own), PIECE)] or [""]
    if i and candidates[i - 1].talk == candidates[i].talk:
        pieces[0] = f"{_with_speaker(candidates[i - 1])[-FROM_NEIGHBOUR:]} {pieces[0]}"
    if i + 1 < len(candidates) and candidates[i + 1].talk == candidates[i].talk:
        pieces[-1] = f"{pieces[-1]} {_with_speaker(candidates[i + 1])[:FROM_NEIGHBOUR]}"
    return pieces


def _with_speaker(candidate: Candidate) -> str:
    return candidate.text if candidate.speaker in ("", candidate.role) else f"{candidate.speaker}: {candidate.text}"
