"""Weights of the scores that rankers add up."""

from __future__ import annotations

from ctxlab.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Factors of the scores; `meaning` is for the likeness in standard deviations over the messages.

    `most_words` is a sum of the weights of a question's words, ln(1 + texts without / texts with) for each: where it is
    larger, the scores by words are scaled down to it, so that in a long question words don't outweigh all else.
    """

    own: float
    around: float
    of_talk: float
    by_speaker: float
    meaning: float = 0.0
    most_words: float = 15.0


# Chosen on LoCoMo's first two conversations alone (231 questions): the most likely weights where the messages of
# evidence are drawn by the softmax of their scores, rounded. Weights of other conversations are within a quarter of
# these and keep as much evidence, to a point. `most_words` was chosen there and on the questions about the first seven
# people of MemoryBank's Chinese half: from 12 to 22 it hardly matters there.
# LoCoMo's questions name their speakers. For "I" and "you" the weight was tried on all 195 questions about MemoryBank's
# Chinese half: at 64, 128 and 256 tokens all evidence stays for 76, 90 and 95 % of them with 0, 82, 92 and 96 % with 2,
# 82, 94 and 96 % with 3, 83, 94 and 97 % with 6. bfcl-eval's memory set has messages of the user alone.
BY_WORDS = Weights(own=0.2, around=0.5, of_talk=0.45, by_speaker=3.0)
BY_WORDS_AND_MEANING = Weights(own=0.2, around=0.5, of_talk=0.45, by_speaker=3.0, meaning=0.7)
# Chosen on ten conversations of BEAM, with the share of pins, so that LoCoMo and MemoryBank lose no more
# than a point; from 0.2 to 0.4 the weight of a message's own words moves all evidence at 4,096 tokens by two points.
BY_WORTH = Weights(own=0.4, around=0.5, of_talk=0.45, by_speaker=3.0)
