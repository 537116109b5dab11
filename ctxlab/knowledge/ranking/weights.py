"""Weights of the scores that the ranker `hybrid` adds up."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """Factors of the scores; `meaning` is for the likeness in standard deviations over the messages."""

    own: float
    around: float
    of_talk: float
    by_speaker: float
    meaning: float


# Chosen on LoCoMo's first two conversations alone (231 questions): the most likely weights where the messages of
# evidence are drawn by the softmax of their scores, rounded. Weights of other conversations are within a quarter of
# these and keep as much evidence, to a point.
WEIGHTS = Weights(own=0.15, around=0.45, of_talk=0.45, by_speaker=3.0, meaning=0.7)
