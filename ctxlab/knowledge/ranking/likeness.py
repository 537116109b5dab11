"""Likeness of messages to a question by their vectors, each read with the message before and the one after it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from ctxlab.engines.ranking import Candidate
from ctxlab.engines.ranking.candidates import Candidates
from ctxlab.engines.ranking.word_index import same_at_start
from ctxlab.errors import WrongArgument
from ctxlab.knowledge.embedders import Embedder, embedder_for, embedder_named, vectors_of
from ctxlab.knowledge.embedders.embedder import EmbedFunction, as_embedder, as_key

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
"""Conversations whose vectors are remembered in rows, beside those of single texts."""
MOST_PARTS = 16
"""Times that a conversation may grow before its vectors are put together anew."""


class _Part(NamedTuple):
    """Vectors of the passages of messages in a row, and where those of each message begin."""

    vectors: Vectors
    starts: NDArray[np.int64]

    def before(self, messages: int) -> _Part:
        """The vectors of the first messages; nothing is copied."""
        end = int(self.starts[messages]) if messages < len(self.starts) else len(self.vectors)
        return _Part(self.vectors[:end], self.starts[:messages])


class _Conversation(NamedTuple):
    """Messages with the vectors of their passages by one embedder."""

    embedder: Hashable
    messages: Candidates
    parts: tuple[_Part, ...]

    def before(self, messages: int) -> tuple[_Part, ...]:
        """The vectors of the first messages."""
        found: list[_Part] = []
        for part in self.parts:
            if messages <= 0:
                break
            found.append(part.before(messages))
            messages -= len(part.starts)
        return tuple(found)


_remembered: list[_Conversation] = []
_remembering = Lock()


def check_embedder(embedder: object) -> None:
    """Raises WrongArgument for what is neither None nor the name of an embedder nor one."""
    if embedder is None or (isinstance(embedder, str) and embedder):
        return
    if callable(getattr(embedder, "embed", None)) and not isinstance(embedder, type):
        missing = [name for name in ("name", "version") if not isinstance(getattr(embedder, name, None), str)]
        if not missing:
            return
        raise WrongArgument(f"embedder has embed, and no {' and no '.join(missing)}, which are texts")
    if isinstance(embedder, type) or not callable(embedder):
        raise WrongArgument(
            f"embedder is {_given(embedder)}; it takes an embedder, the name of one, a function of texts that gives"
            " a row of numbers for each, or None"
        )


def _given(embedder: object) -> str:
    """The given value in words."""
    return f"the class {embedder.__name__}" if isinstance(embedder, type) else f"a {type(embedder).__name__}"


def chosen_embedder(wanted: Embedder | EmbedFunction | str | None, texts: Sequence[str]) -> Embedder:
    """An embedder as it is, around a function, or by its name; without one the best installed that reads the texts."""
    if wanted is None:
        return embedder_for(texts)
    return embedder_named(wanted) if isinstance(wanted, str) else as_embedder(wanted)


def likeness(query: str, candidates: Sequence[Candidate], embedder: Embedder) -> Numbers:
    """The cosine of question and message, from -1 to 1, one a message; 0 where either has no words."""
    import numpy as np

    if not candidates:
        return np.zeros(0)
    question = vectors_of(embedder, [query])[0]
    # einsum has one order of summing, whatever the number of threads; BLAS has several.
    found = [
        np.maximum.reduceat(np.einsum("ij,j->i", part.vectors, question), part.starts)
        for part in _passage_vectors(Candidates.of(candidates), embedder)
    ]
    return np.clip(np.concatenate(found).astype(np.float64), -1, 1)


def _passage_vectors(candidates: Candidates, embedder: Embedder) -> tuple[_Part, ...]:
    """The vectors of all messages' passages; those of the last conversations are remembered.

    Where a conversation grew or changed near its end, only the passages there are looked at.
    """
    name = (as_key(embedder), embedder.version)
    with _remembering:
        lately = [each for each in reversed(_remembered) if each.embedder == name]
    same, parts = 0, tuple[_Part, ...]()
    for each in lately:
        if (as_here := _same(each.messages, candidates)) > same:
            same, parts = as_here, each.before(as_here)
    if same < len(candidates):
        parts = (*parts, _part(candidates, same, embedder))
        parts = parts if len(parts) <= MOST_PARTS else (_joined(parts),)
    with _remembering:
        others = [each for each in _remembered if each.messages is not candidates or each.embedder != name]
        _remembered[:] = [*others, _Conversation(name, candidates, parts)][-REMEMBERED:]
    return parts


def _same(one: Candidates, other: Candidates) -> int:
    """Messages with which two conversations begin and whose passages are the same in both, as a count."""
    if one is other:
        return len(one)
    columns = ((one.texts, other.texts), (one.speakers, other.speakers), (one.roles, other.roles))
    same = min(*[same_at_start(*pair) for pair in columns], same_at_start(one.talks, other.talks))
    return max(0, same - 1)  # the last is read with the one after it


def _part(candidates: Candidates, first: int, embedder: Embedder) -> _Part:
    """The vectors of the messages from one on."""
    import numpy as np

    texts: list[str] = []
    starts: list[int] = []
    for i in range(first, len(candidates)):
        starts.append(len(texts))
        texts.extend(passages(candidates, i))
    return _Part(vectors_of(embedder, texts), np.array(starts, np.int64))


def _joined(parts: Sequence[_Part]) -> _Part:
    import numpy as np

    before = np.cumsum([0, *[len(part.vectors) for part in parts]])
    starts = [part.starts + begin for part, begin in zip(parts, before.tolist(), strict=False)]
    return _Part(np.concatenate([part.vectors for part in parts]), np.concatenate(starts))


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
