"""Rankers and embedders that other packages bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ctxlab
from ctxlab.engines.ranking import Candidate
from ctxlab.engines.tokens import Tokenizer
from ctxlab.errors import WrongSetting
from ctxlab.knowledge.embedders import embedder_named, embedders
from ctxlab.knowledge.ranker_registry import ranker_named, rankers

MODULE = """
import numpy as np

def longest(question, messages):
    return [len(each.text) for each in messages]

class Shortest:
    name = "shortest"
    def rank(self, question, messages):
        from ctxlab.engines.ranking import Ranking
        scores = [-len(each.text) for each in messages]
        return Ranking(scores, lambda i: f"has {-scores[i]} characters")

class Taken(Shortest):
    name = "bm25"

class Raises:
    def __init__(self):
        raise RuntimeError("no licence\\nfound")

class Vowels:
    name, version = "vowels", "1"
    def embed(self, texts):
        return np.array([[text.count(vowel) + 0.1 for vowel in "aeiou"] for text in texts])

class Nameless(Vowels):
    name = ""

number = 7
"""

Installed = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installed]:
    """`installed("group", "a = acme_ranks:Name", ...)`: a package with these, as an installer leaves it."""

    def install(group: str, *points: str) -> None:
        (tmp_path / "acme_ranks.py").write_text(MODULE)
        about = tmp_path / "acme_ranks-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-ranks\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join([f"[{group}]", *points, ""]))
        monkeypatch.syspath_prepend(str(tmp_path))
        forget()

    def forget() -> None:
        rankers.cache_clear()
        embedders.cache_clear()

    yield install
    monkeypatch.undo()
    forget()


TALK = ["a", "a message of more words than all the others have", "two words", "three words now"]


def cut_by(ranker: str) -> ctxlab.Trace:
    messages = [{"role": "user" if n % 2 == 0 else "assistant", "content": text} for n, text in enumerate(TALK)]
    session = ctxlab.read_data([*messages, {"role": "user", "content": "and the question"}]).pick()
    settings = {
        "token-limiter.strategy": "relevant",
        "token-limiter.ranker": ranker,
        "token-limiter.overhead_tokens": 0,
    }
    counter = Tokenizer.counting("words", lambda text: len(text.split()))
    return ctxlab.build(session, budget_tokens=13, settings=settings, tokenizer=counter)


def kept(trace: ctxlab.Trace) -> list[str]:
    return [str(draft.text) for draft in trace.step("token-limiter").after.drafts[:-1]]


def test_a_ranker_of_another_package_is_a_function_or_a_class(installed: Installed) -> None:
    installed("ctxlab.rankers", "longest = acme_ranks:longest", "shortest = acme_ranks:Shortest")

    assert kept(cut_by("longest")) == [TALK[1]]
    trace = cut_by("shortest")
    assert kept(trace) == [TALK[0], TALK[2], TALK[3]]
    assert str(trace.cuts().reason[0]).endswith(f"; it has {len(TALK[1])} characters")


def test_rankers_that_cannot_be_used_are_left_out_with_their_cause(installed: Installed) -> None:
    installed("ctxlab.rankers", "taken = acme_ranks:Taken", "raises = acme_ranks:Raises", "number = acme_ranks:number")

    assert list(rankers().by_name) == ["bm25", "worth", "coverage", "adaptive", "embeddings", "hybrid"]
    taken, raises, number = sorted(rankers().problems, key=lambda line: ["aken", "aise", "numb"].index(_which(line)))
    assert "there is a ranker 'bm25' already" in taken
    assert "no licence" in raises
    assert "is no ranker" in number
    with pytest.raises(WrongSetting, match=r"there is no ranker 'acme'.*acme-ranks"):
        ranker_named("acme")


def _which(line: str) -> str:
    return next(part for part in ("aken", "aise", "numb") if part in line)


def test_an_embedder_of_another_package_is_there_by_name(installed: Installed) -> None:
    installed("ctxlab.embedders", "vowels = acme_ranks:Vowels")

    ranker = ctxlab.EmbeddingsRanker("vowels")
    ranking = ranker.rank("a a a", [Candidate("e e"), Candidate("u u", talk=1), Candidate("a", talk=2)])

    assert ranking.order()[0] == 2
    assert "by vowels" in ranking.reason(2)


def test_embedders_that_cannot_be_used_are_left_out_with_their_cause(installed: Installed) -> None:
    installed("ctxlab.embedders", "nameless = acme_ranks:Nameless", "raises = acme_ranks:Raises")

    assert len(embedders().problems) == 2
    assert any("no licence" in line for line in embedders().problems)
    with pytest.raises(WrongSetting, match="acme-ranks"):
        embedder_named("acme")
