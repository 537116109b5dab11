"""Full-text search over generated conversations, half of them Chinese: making the index, searching, adding a message.

`python -m tests.bench.search 1_000_000 [folder]` does it for a million messages, and holds 60 queries against a scan.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import numpy as np

import ctxlab
from ctxlab.storage.search import SearchIndex
from ctxlab.storage.search.folding import folded
from ctxlab.storage.search.tokens import class_of

SIZE = 20_000
PER_SESSION = 100
LONG_SESSION = 10_000
QUERIES = 400
LETTERS = "etaoinshrdlucmfwypvbgk"
START = datetime(2024, 1, 1, tzinfo=UTC)


class Words:
    """Words of a language whose frequencies fall with their rank, as in talk."""

    def __init__(self, words: list[str]) -> None:
        self.words = np.array(words, object)
        weights = 1 / (np.arange(len(words)) + 2.7)
        self._ends = np.cumsum(weights / weights.sum())

    def some(self, n: int, rng: np.random.Generator) -> list[str]:
        return self.words[np.searchsorted(self._ends, rng.random(n)).clip(0, len(self.words) - 1)].tolist()


def english(rng: random.Random, n: int = 60_000) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < n:
        length = min(14, 2 + int(len(found) ** 0.5) // 25 + rng.randrange(6))
        found["".join(rng.choices(LETTERS, range(len(LETTERS), 0, -1), k=length))] = None
    return list(found)


def chinese(rng: random.Random, n: int = 40_000) -> list[str]:
    characters = [chr(0x4E00 + i) for i in rng.sample(range(20_000), 3_500)]
    weights = [1 / (i + 12) for i in range(len(characters))]
    found: dict[str, None] = {}
    while len(found) < n:
        found["".join(rng.choices(characters, weights, k=1 if len(found) < 60 else rng.choice((2, 2, 2, 3, 4))))] = None
    return list(found)


class Talk:
    """A source of sessions that are made when they are asked for, always the same."""

    def __init__(self, messages: int) -> None:
        rng = random.Random(1)
        self.languages = (Words(english(rng)), Words(chinese(rng)))
        self.sessions = messages // PER_SESSION

    def stamps(self) -> Mapping[tuple[str, str], str]:
        return {("session", f"s{i}"): "1" for i in range(self.sessions)}

    def load(self, kind: str, id: str) -> ctxlab.Session:
        number = int(id[1:])
        return ctxlab.Session.model_validate(self.session(number, PER_SESSION))

    def session(self, number: int, messages: int) -> dict[str, object]:
        is_chinese = number % 2
        words, dice = self.languages[is_chinese], np.random.default_rng(number)
        rng = random.Random(number)
        time = START + timedelta(minutes=rng.randrange(500_000))
        nodes: dict[str, object] = {"root": {"id": "root", "role": "system", "content": ""}}
        above = "root"
        for i in range(messages):
            time += timedelta(seconds=20 + rng.randrange(100))
            some = words.some(10 + rng.randrange(50), dice)
            text = (
                "".join(f"{w}{'，' if j % 9 == 8 else ''}" for j, w in enumerate(some))
                if is_chinese
                else " ".join(some)
            )
            role = ("user", "assistant")[i % 2]
            nodes[f"n{i}"] = {
                "id": f"n{i}", "parentId": above, "role": role, "content": text, "timestamp": time.isoformat(),
                "metadata": {"agentId": f"a{number % 30}", "modelId": f"m{number % 7}"},
            }  # fmt: skip
            above = f"n{i}"
        name = " ".join(words.some(3, dice))
        return {"id": f"s{number}", "name": name, "rootNodeId": "root", "activeLeafId": above, "nodes": nodes}

    def contents(self) -> Iterator[tuple[str, str, str]]:
        for i in range(self.sessions):
            session = self.load("session", f"s{i}")
            yield session.id, "name", session.name
            yield from ((session.id, f"node:{node.id}", node.content) for node in session.nodes.values())


def queries(talk: Talk, mode: str, n: int, seed: int) -> list[str]:
    """Words that were said; for `exact` pieces of messages, cut anywhere."""
    rng = random.Random(seed)
    found: list[str] = []
    while len(found) < n:
        session = talk.session(rng.randrange(talk.sessions), 3)
        text: str = session["nodes"]["n1"]["content"]  # type: ignore[index]
        if mode == "exact":
            length = rng.choice((2, 3, 4, 6, 10, 20))
            at = rng.randrange(max(1, len(text) - length))
            found.append(text[at : at + length])
        else:
            picked = text.split() if " " in text else [text[i : i + 2] for i in range(0, len(text) - 1, 2)]
            found.append(" ".join(rng.sample(picked, min(len(picked), rng.choice((1, 2, 2, 3))))))
    return found


def times_of(index: SearchIndex, asked: Iterable[str], mode: str, order: str) -> list[float]:
    """Milliseconds of CPU for the first 20 hits of each query, sorted."""
    found: list[float] = []
    for query in asked:
        started = process_time()
        list(index.search(query, mode=mode, order=order, limit=20))  # type: ignore[arg-type]
        found.append((process_time() - started) * 1e3)
    return sorted(found)


def scan(texts: list[tuple[str, str, str]], query: str, mode: str) -> set[tuple[str, str]]:
    """Hits by looking at each text, written apart from the index; `texts` are folded."""

    def has(text: str, word: str) -> bool:
        at = text.find(word)
        while at >= 0:
            ends = ((at - 1, at), (at + len(word) - 1, at + len(word)))
            if not any(a >= 0 and b < len(text) and class_of(text[a]) == class_of(text[b]) == "w" for a, b in ends):
                return True
            at = text.find(word, at + 1)
        return False

    if mode == "exact":
        return {(s, k) for s, k, text in texts if folded(query) in text}
    words = folded(query).split()
    want = all if mode == "and" else any
    return {(s, k) for s, k, text in texts if want(has(text, word) for word in words)}


def hits(index: SearchIndex, query: str, mode: str, order: str) -> set[tuple[str, str]]:
    return {(hit.id, hit.key) for hit in index.search(query, mode=mode, order=order, limit=None)}  # type: ignore[arg-type]


def adding(index: SearchIndex, talk: Talk) -> list[float]:
    """Milliseconds of each of 50 messages put at the end of a long session."""
    session = ctxlab.Session.model_validate({**talk.session(0, LONG_SESSION), "id": "long"})
    index.put("session", session, "0")
    found: list[float] = []
    for i in range(1, 51):
        session = session.append(f"message {i} 新消息", timestamp=(START + timedelta(days=900, minutes=i)).isoformat())
        started = process_time()
        index.put("session", session, str(i))
        found.append((process_time() - started) * 1e3)
    return sorted(found)


def p(sorted_times: list[float], share: float) -> str:
    return f"{sorted_times[min(len(sorted_times) - 1, int(len(sorted_times) * share))]:.2f} ms"


def measure(messages: int, folder: Path, *, compare: int = 0) -> None:
    talk = Talk(messages)
    path = folder / "search.db"
    index = SearchIndex(path)
    started = process_time()

    def show(done: int, total: int) -> None:
        if compare:
            print(f"{done:,} of {total:,} sessions, {process_time() - started:.0f} s", flush=True)

    index.catch_up(talk, progress=show)
    size = path.stat().st_size / 1e6
    print(f"- {messages:,} messages into the index, made on the way: {process_time() - started:.0f} s, {size:,.0f} MB")
    for mode in ("exact", "and", "or"):
        asked = queries(talk, mode, QUERIES, 7)
        times_of(index, asked[:20], mode, "newest")
        newest = times_of(index, asked, mode, "newest")
        best = times_of(index, asked, mode, "best")
        print(f"- {mode}: newest first p50 {p(newest, 0.5)}, p99 {p(newest, 0.99)}, longest {newest[-1]:.1f} ms;"
              f" best first p50 {p(best, 0.5)}, p90 {p(best, 0.9)}, p99 {p(best, 0.99)}", flush=True)  # fmt: skip
    added = adding(index, talk)
    print(
        f"- a message added to {LONG_SESSION:,}: median {median(added):.2f} ms, longest {added[-1]:.2f} ms", flush=True
    )
    index.remove("session", "long")
    if compare:
        texts = [(s, k, folded(text)) for s, k, text in talk.contents()]
        for mode in ("exact", "and", "or"):
            asked = queries(talk, mode, compare, 11)
            expected = [scan(texts, query, mode) for query in asked]
            same = {
                order: sum(
                    hits(index, query, mode, order) == those for query, those in zip(asked, expected, strict=True)
                )
                for order in ("newest", "best")
            }
            print(f"- {mode}: of {compare} queries with {sum(map(len, expected)):,} hits, as a scan of all texts: "
                  + ", ".join(f"{number} {order} first" for order, number in same.items()), flush=True)  # fmt: skip


def main() -> None:
    print("\nfull-text search")
    with TemporaryDirectory() as folder:
        measure(SIZE, Path(folder))


if __name__ == "__main__":
    size = int(sys.argv[1]) if len(sys.argv) > 1 else SIZE
    if len(sys.argv) > 2:
        measure(size, Path(sys.argv[2]), compare=20)
    else:
        with TemporaryDirectory() as made:
            measure(size, Path(made), compare=20)
