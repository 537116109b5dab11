"""Recall and mean reciprocal rank of each engine on labelled questions: Chinese ones of our own, English of LoCoMo.

Each conversation is a base, each message a chunk; the evidence are the messages that answer. Run by
`python -m tests.bench.knowledge_recall`; it needs the data sets in the folder that `CTXLAB_SHARED` names.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import ctxlab
from ctxlab.context.knowledge_hit import KnowledgeAnswer, QueryPart
from ctxlab.studies.cases.locomo import locomo_cases, with_captions
from ctxlab.studies.study.case import Case

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared")) / "data"
CHINESE = DATA / "memorybank" / "memory_bank_cn.json"
ENGLISH = DATA / "locomo" / "locomo_first5.json"
OWN = ROOT / "datasets" / "memorybank_cn_questions.json"
ENGINES = ("keyword", "vector", "hybrid")
BEST = 5
CHUNK_CHARACTERS = 2_000


class Question(NamedTuple):
    """A question over a base, with the ids of the messages that answer it."""

    base: str
    text: str
    evidence: tuple[str, ...]


class Asked(NamedTuple):
    """Questions with the retrievers of their bases, by the base's id."""

    questions: tuple[Question, ...]
    retrievers: dict[str, ctxlab.KnowledgeRetriever]


def chinese() -> Asked:
    sessions = ctxlab.read(CHINESE).sessions
    listed: list[dict[str, Any]] = json.loads(OWN.read_text(encoding="utf-8"))
    questions = [Question(each["person"], each["question"], tuple(each["evidence"])) for each in listed]
    return Asked(tuple(questions), _retrievers(sessions))


def english(count: int) -> Asked:
    """As many questions of LoCoMo, drawn at random with a fixed seed."""
    sessions = ctxlab.read(ENGLISH).sessions
    cases = [case for session in sessions for case in locomo_cases(session) if isinstance(case, Case)]
    drawn = Random(1).sample(cases, count)
    questions = [Question(case.conversation, case.question, case.evidence) for case in drawn]
    return Asked(tuple(questions), _retrievers([with_captions(session) for session in sessions]))


def _retrievers(sessions: Sequence[ctxlab.Session]) -> dict[str, ctxlab.KnowledgeRetriever]:
    return {
        session.id: ctxlab.KnowledgeRetriever(
            ctxlab.knowledge_base(session.id, session, chunk_characters=CHUNK_CHARACTERS)
        )
        for session in sessions
    }


def answers(asked: Asked, engine: str, limit: int = 50) -> Iterator[tuple[Question, KnowledgeAnswer]]:
    for question in asked.questions:
        yield question, asked.retrievers[question.base].search([QueryPart(question.text)], engine=engine, limit=limit)


def found(question: Question, places: Sequence[str]) -> tuple[float, float]:
    """The share of the evidence among the first five, and 1 / the rank of the first evidence, 0 where there is none."""
    ranks = [places.index(each) + 1 for each in question.evidence if each in places]
    recall = sum(rank <= BEST for rank in ranks) / len(question.evidence)
    return recall, 1 / min(ranks) if ranks else 0.0


def measured(asked: Asked, engine: str) -> tuple[float, float]:
    """Recall@5 and mean reciprocal rank of an engine, both in [0, 1]."""
    rows = [
        found(question, list(dict.fromkeys(hit.place for hit in answer.hits)))
        for question, answer in answers(asked, engine)
    ]
    return sum(recall for recall, _ in rows) / len(rows), sum(rank for _, rank in rows) / len(rows)


def main() -> None:
    own = chinese()
    print("\n| questions | engine | recall@5 | MRR |\n|---|---|--:|--:|")
    for name, asked in (("Chinese", own), ("English", english(len(own.questions)))):
        for engine in ENGINES:
            recall, mrr = measured(asked, engine)
            print(f"| {len(asked.questions)} {name} | {engine} | {recall:.3f} | {mrr:.3f} |")


if __name__ == "__main__":
    main()
