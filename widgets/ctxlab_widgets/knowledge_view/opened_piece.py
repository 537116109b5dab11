"""A piece in its document, with what stands before and after it, and all its scores."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ctxlab.context import KnowledgeHit
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.policy.cuts import Decision
from ctxlab.knowledge.policy.report import PlaceholderResult
from ctxlab.pipeline import Retriever
from ctxlab_widgets.knowledge_view.marked_words import whole_of
from ctxlab_widgets.knowledge_view.rows import kind_of, remedy_of, shown_title

NAMES = {"hybrid": "fused", "tags": "by tags"}
MOST_REPEATED = 400
"""Characters at most that neighbours repeat of one another; fewer than `LEAST_REPEATED` are the same by chance."""
LEAST_REPEATED = 10


def opened_piece(
    result: PlaceholderResult, decision: Decision, retriever: Retriever | None, around: int
) -> dict[str, Any]:
    """All that an opened row shows; `around` is the number of neighbours on each side."""
    hit = decision.candidate.hit
    chunks, at = _document(hit, retriever)
    before, after = chunks[max(at - around, 0) : at], chunks[at + 1 : at + 1 + around]
    names = [share.word for share in hit.words]
    return {
        "title": shown_title(hit),
        "about": _about(hit, at, len(chunks)),
        "before": _up_to([*before, hit]),
        "pieces": whole_of(hit.text, names),
        "after": _going_on([hit, *after]),
        "more": at - around > 0 or at + around + 1 < len(chunks),
        "verdict": _verdict(decision),
        "scores": _scores(decision),
        "brought": _strongest(hit),
        "change": remedy_of(result, decision),
    }


def _document(hit: KnowledgeHit, retriever: Retriever | None) -> tuple[Sequence[KnowledgeHit], int]:
    """All chunks of the entry and the number of this one; itself alone where the base isn't there any more."""
    try:
        chunks = [] if retriever is None else list(retriever.entries(hit.base, [hit.entry]))
    except CtxlabError:
        chunks = []
    at = next((n for n, each in enumerate(chunks) if each.chunk == hit.chunk), None)
    return (chunks, at) if at is not None else ((hit,), 0)


def _about(hit: KnowledgeHit, at: int, count: int) -> str:
    number = f"piece {at + 1:,} of {count:,}" if count > 1 else ""
    return ", ".join(filter(None, (hit.base_name, number, hit.place)))


def _up_to(chunks: Sequence[KnowledgeHit]) -> list[str]:
    """The texts before the last one, each without what the next one says again."""
    texts = [each.text for each in chunks]
    return [text[: len(text) - _repeated(text, after)] for text, after in pairwise(texts)]


def _going_on(chunks: Sequence[KnowledgeHit]) -> list[str]:
    """The texts after the first one, each without what the one before it says already."""
    return [text[_repeated(before, text) :] for before, text in pairwise([each.text for each in chunks])]


def _repeated(before: str, text: str) -> int:
    most = min(len(before), len(text), MOST_REPEATED)
    return next((n for n in range(most, LEAST_REPEATED - 1, -1) if before.endswith(text[:n])), 0)


def _verdict(decision: Decision) -> str:
    head = "Sent" if decision.sent else f"Not sent ({kind_of(decision)})"
    return f"{head}: {decision.reason}."


def _scores(decision: Decision) -> list[tuple[str, str, str]]:
    """Engine, its name and what it says; then what a minimum is compared with."""
    found, hit = decision.candidate, decision.candidate.hit
    rows: list[tuple[str, str, str]] = []
    for engine, score in hit.scores.items():
        rank = hit.ranks.get(engine)
        rows.append((engine, NAMES.get(engine, engine), f"{score:.3g}" + (f", rank {rank:,}" if rank else "")))
    if found.engine:
        rows.append(("", found.measured_by, f"{found.measure:.3g}"))
    return rows


def _strongest(hit: KnowledgeHit) -> str:
    """The word that brought most of the score by keywords, as a sentence; empty where none did."""
    whole = sum(share.score for share in hit.words)
    if whole <= 0:
        return ""
    most = max(hit.words, key=lambda share: share.score)
    return f"“{most.word}” brought {most.score:.3g} of {whole:.3g} by keywords."
