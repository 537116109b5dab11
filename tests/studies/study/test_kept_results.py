"""Rankings and vectors in a folder of cells: found there again, and never in the way of a cell's values."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal
from zlib import crc32

import numpy as np
import pytest

import ctxlab
from ctxlab.engines.ranking import Candidate
from ctxlab.engines.ranking.bm25 import Bm25
from ctxlab.engines.ranking.candidates import Candidates
from ctxlab.engines.ranking.kept_rankings import ranking_of, rankings_kept
from ctxlab.knowledge.embedders import vector_cache
from ctxlab.knowledge.ranking import HybridRanker
from ctxlab.studies.study.kept_results import KeptResults, results_kept
from ctxlab.testing import generated_session

QUESTIONS = ("What did we say about the plan?", "And the old harbour?")
RANKED = ("bm25", "recent-and-relevant")


class Letters:
    """Vectors of letters, another one for each text."""

    name, version = "letters", "1"

    def embed(self, texts: Sequence[str]) -> Any:
        return np.stack([np.random.default_rng(crc32(text.encode())).standard_normal(8) for text in texts])


def run(
    folder: Path, budgets: Sequence[int], *, questions: int = 1, anew: bool = False, **options: Any
) -> ctxlab.StudyResult:
    session = ctxlab.read_data(generated_session(40, seed=3)).pick()
    cases = [ctxlab.Case(f"q{i}", "c", session, question=QUESTIONS[i]) for i in range(questions)]
    variants = [*RANKED, "hybrid"] if "rankers" in options else RANKED
    study = ctxlab.Study(cases, variants, budgets, tokenizer="chars4+4", options=options)
    return study.run(folder, progress=False, anew=anew)


def kept_files(folder: Path) -> list[Path]:
    return sorted(folder.glob(".kept-*.sqlite"))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The questions that bm25 ranked by."""
    found: list[str] = []
    rank = Bm25.rank

    def counted(self: Bm25, query: str, candidates: Any) -> Any:
        found.append(query)
        return rank(self, query, candidates)

    monkeypatch.setattr(Bm25, "rank", counted)
    return found


def test_one_more_budget_ranks_nothing_again(tmp_path: Path, asked: list[str]) -> None:
    run(tmp_path, [600, 900])
    assert len(asked) == 1

    run(tmp_path, [600, 700, 900])

    assert len(asked) == 1


def test_another_question_alone_is_ranked(tmp_path: Path, asked: list[str]) -> None:
    run(tmp_path, [600])
    run(tmp_path, [600, 900], questions=2)

    assert asked == list(QUESTIONS)


@pytest.mark.parametrize("state", ["kept", "broken", "gone"])
def test_cells_are_the_same_whatever_is_kept(tmp_path: Path, state: Literal["kept", "broken", "gone"]) -> None:
    for name, budgets in (("once", [600, 700]), ("twice", [600])):
        (tmp_path / name).mkdir()
        run(tmp_path / name, budgets, questions=2)
    [kept] = kept_files(tmp_path / "twice")
    if state == "broken":
        kept.write_bytes(b"no database" * 999)
    elif state == "gone":
        kept.unlink()

    run(tmp_path / "twice", [600, 700], questions=2)

    assert (tmp_path / "once/cells.parquet").read_bytes() == (tmp_path / "twice/cells.parquet").read_bytes()


def test_only_new_texts_are_embedded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    embedded: list[str] = []
    embed = vector_cache._embedded  # pyright: ignore[reportPrivateUsage]

    def counted(embedder: Any, texts: list[str]) -> object:
        embedded.extend(texts)
        return embed(embedder, texts)

    monkeypatch.setattr(vector_cache, "_embedded", counted)
    rankers = [HybridRanker(Letters())]
    run(tmp_path, [600], rankers=rankers)
    assert len(embedded) > 30
    vector_cache._shared().clear()  # pyright: ignore[reportPrivateUsage]
    embedded.clear()
    monkeypatch.setattr("ctxlab.knowledge.ranking.likeness._remembered", [])

    run(tmp_path, [600, 900], questions=2, rankers=rankers)

    assert embedded == [QUESTIONS[1]]


def test_a_run_anew_and_other_code_take_nothing_over(tmp_path: Path, asked: list[str]) -> None:
    run(tmp_path, [600])
    [kept] = kept_files(tmp_path)
    other = kept.rename(tmp_path / f".kept-{'0' * 16}.sqlite")

    run(tmp_path, [700])
    assert not other.exists()
    run(tmp_path, [700], anew=True)

    assert len(asked) == 3


def test_a_kept_ranking_has_the_reasons_of_the_ranker(tmp_path: Path) -> None:
    messages = Candidates.of([Candidate(text) for text in ("the plan of the harbour", "a door", "plans")])
    alone = Bm25().rank(QUESTIONS[0], messages)
    with results_kept(tmp_path / "results.sqlite"):
        ranking_of(Bm25(), QUESTIONS[0], messages)

    with rankings_kept(KeptResults(tmp_path / "results.sqlite")):
        kept = ranking_of(Bm25(), QUESTIONS[0], messages)

    for i in range(3):
        assert (kept.scores[i], kept.reason(i), kept.words(i)) == (alone.scores[i], alone.reason(i), alone.words(i))
