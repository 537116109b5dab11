"""The cost of a search in 100,000 chunks in memory, alone and while chunks are added."""

from __future__ import annotations

import threading
from random import Random
from statistics import median
from time import perf_counter

import ctxlab
from ctxlab.context.knowledge_hit import QueryPart
from tests.bench.ranking import AnyVectors
from tests.bench.timing import ms

CHUNKS = 100_000
MORE = 30_000
QUERIES = 30
RARE = 20_000
COMMON = 300
HAN = "港口灯塔潮汐帆船缆绳海图罗盘雾笛船长水手码头锚链"


def texts(count: int, seed: int) -> list[str]:
    """Texts of 40 words, few of them common ones, every other with Chinese."""
    random = Random(seed)
    found: list[str] = []
    for number in range(count):
        common = [f"common{random.randrange(COMMON)}" for _ in range(10)]
        rare = [f"word{int(RARE * random.random() ** 2)}" for _ in range(30)]
        found.append(" ".join([*common, *rare, "".join(random.choices(HAN, k=12)) if number % 2 else ""]))
    return found


def base(found: list[str]) -> ctxlab.KnowledgeBase:
    entries = tuple([ctxlab.KnowledgeEntry(id=str(i), content=text) for i, text in enumerate(found)])
    return ctxlab.KnowledgeBase(id="base", entries=entries)


def queries(seed: int) -> list[str]:
    random = Random(seed)
    return [
        f"common{random.randrange(COMMON)} word{random.randrange(RARE)} word{random.randrange(99)} 灯塔 "
        f"{random.choice(HAN)}{random.choice(HAN)} {number}"
        for number in range(QUERIES)
    ]


def p50(retriever: ctxlab.KnowledgeRetriever, engine: str, seed: int) -> float:
    times: list[float] = []
    for text in queries(seed):
        started = perf_counter()
        retriever.search([QueryPart(text)], engine=engine, limit=10)
        times.append(perf_counter() - started)
    return median(times)


def main() -> None:
    held = texts(CHUNKS, 1)
    retriever = ctxlab.KnowledgeRetriever([], embedder=AnyVectors())
    started = perf_counter()
    retriever.update(base(held))
    retriever.search([QueryPart("a")], engine="keyword")
    words = perf_counter() - started
    retriever.search([QueryPart("a")], engine="hybrid")
    print(f"\n{CHUNKS:,} chunks: words indexed in {words:.0f} s\n\n| engine | p50 | p50 while adding |\n|---|--:|--:|")
    alone = {engine: p50(retriever, engine, 2) for engine in ("keyword", "vector", "hybrid")}
    adding = threading.Thread(target=retriever.update, args=(base([*held, *texts(MORE, 3)]),))
    adding.start()
    busy = {engine: p50(retriever, engine, 4) for engine in alone if adding.is_alive()}
    adding.join()
    for engine, seconds in alone.items():
        print(f"| {engine} | {ms(seconds)} | {ms(busy[engine]) if engine in busy else ''} |")


if __name__ == "__main__":
    main()
