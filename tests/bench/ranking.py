"""What a build with a strategy that looks at the question costs beside one with sliding, at 10,000 messages.

Words, sentences and vectors of old messages are there. Each build has a budget of its own; a question is the same in
all of them, or each conversation is an answer and a new question longer than the last.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from zlib import crc32

import numpy as np

import ctxlab
from ctxlab.engines.compression.sentence_terms import sentences_of
from ctxlab.testing import generated_agent, generated_session
from tests.bench.timing import ROUNDS, Work, ms, timed

SIZE = 10_000
BUDGETS = (8_000, 128_000)
STRATEGIES = ("sliding", "bm25", "recent-and-relevant", "hybrid", "summary-and-relevant")


class AnyVectors:
    """Vectors without a model: a build with vectors that are there costs the same with any embedder."""

    name, version = "any-vectors", "1"

    def embed(self, texts: Sequence[str]) -> Any:
        return np.stack([np.random.default_rng(crc32(text.encode())).standard_normal(512) for text in texts])


def grown(session: ctxlab.Session, asked: Sequence[str]) -> Iterator[ctxlab.Session]:
    """The conversation, each time an answer and a question longer."""
    for n, text in enumerate(asked):
        answer = session.append(f"An answer about the plan, number {n}.", role="assistant")
        session = answer.append(f"And what did you say of part {n}: {text[:80]}?")
        yield session


def main() -> None:
    session = ctxlab.read_data(generated_session(SIZE, seed=1)).pick()
    agent = ctxlab.read_data(generated_agent()).agents[0]
    path = session.path()[1:]
    rankers = [ctxlab.HybridRanker(AnyVectors())]
    sentences_of([node.content for node in path])

    def build(name: str, talk: ctxlab.Session, budget: int) -> ctxlab.Trace:
        settings = {"token-limiter.strategy": name}
        return ctxlab.build(talk, agent, budget_tokens=budget, settings=settings, rankers=rankers)

    for name in STRATEGIES:
        build(name, session, max(BUDGETS) + 1)
    print("\n| build of 10,000 messages, warm | same question, 8k | | new question, 8k | | same question, 128k | |"
          " new question, 128k | |\n|---|" + "--:|" * 8)  # fmt: skip
    cells: dict[str, list[str]] = {name: [] for name in STRATEGIES}
    questions = [node.content for node in path if node.role == "user"][: 2 * ROUNDS * len(BUDGETS)]
    for i, budget in enumerate(BUDGETS):
        talks = grown(session, questions[i * ROUNDS : (i + 1) * ROUNDS])
        for rows in (_times(build, [session] * ROUNDS, budget), _times(build, list(talks), budget)):
            for name, seconds in rows.items():
                cells[name] += [ms(seconds), f"{seconds / rows['sliding']:.2f}x"]
    for name, row in cells.items():
        print(f"| {name} | {' | '.join(row)} |")


def _times(build: Any, talks: Sequence[ctxlab.Session], budget: int) -> dict[str, float]:
    turns = {name: iter(enumerate(talks)) for name in STRATEGIES}

    def work(name: str) -> Work:
        def do() -> ctxlab.Trace:
            n, talk = next(turns[name])
            return build(name, talk, budget + 37 * (n + 1))

        return Work(do)

    for talk in talks:
        talk.path()
    return timed({name: work(name) for name in STRATEGIES}, rounds=len(talks))


if __name__ == "__main__":
    main()
