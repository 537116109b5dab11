"""Studies: one more budget in a folder of cells, and a study in two processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from tempfile import TemporaryDirectory
from typing import Any
from zlib import crc32

import ctxlab

BUDGETS = (512, 1_024, 2_048, 4_096)
VARIANTS = ("sliding", "middle-out", "bm25", "recent-and-relevant", "hybrid")
CONVERSATIONS, QUESTIONS, MESSAGES = 3, 20, 300


class SlowVectors:
    """Vectors of words that are hashed again and again: about what a model takes for a text, and the same anywhere."""

    name, version = "slow-vectors", "1"

    def embed(self, texts: Sequence[str]) -> Any:
        import numpy as np

        found = np.zeros((len(texts), 256), np.float32)
        for row, text in zip(found, texts, strict=True):
            for turn in range(40):
                for word in text.split():
                    row[crc32(word.encode(), turn) % 256] += 1
        return found / np.linalg.norm(found, axis=1, keepdims=True).clip(1e-9)


def _study(budgets: Sequence[int]) -> ctxlab.Study:
    from ctxlab.testing import generated_session

    cases: list[ctxlab.Case] = []
    for talk in range(CONVERSATIONS):
        session = ctxlab.read_data(generated_session(MESSAGES, seed=talk)).pick()
        cases += [
            ctxlab.Case(f"c{talk}q{i}", f"c{talk}", session, question=f"What did we say about the plan {i}?")
            for i in range(QUESTIONS)
        ]
    options = {"rankers": [ctxlab.HybridRanker(SlowVectors())]}
    return ctxlab.Study(cases, VARIANTS, budgets, tokenizer="chars4+4", budget_of="history", options=options)


def first_run() -> Iterator[None]:
    """A study of 1,200 cells with an embedder, into a new folder"""
    with TemporaryDirectory() as folder:
        study = _study(BUDGETS)
        yield
        study.run(folder, progress=False)


def one_more_budget() -> Iterator[None]:
    """300 cells more in that folder: another budget, asked for by another process than the first run's"""
    import subprocess
    import sys

    with TemporaryDirectory() as folder:
        code = f"from tests.bench.scenarios import studies as s; s._study(s.BUDGETS).run({folder!r}, progress=False)"
        subprocess.run([sys.executable, "-P", "-c", code], check=True)
        study = _study((*BUDGETS, 3_000))
        yield
        study.run(folder, progress=False)


def in_two_processes() -> Iterator[None]:
    """2,500 cells in two processes, their start with it"""
    from ctxlab.studies.study import run_study
    from tests.bench import studies

    studies.CONVERSATIONS, studies.QUESTIONS = 4, 25
    with TemporaryDirectory() as folder:
        yield
        run_study(studies.plan(), studies.cases, path=folder, processes=2, progress=False)
        from joblib.externals.loky import get_reusable_executor

        get_reusable_executor().shutdown()
