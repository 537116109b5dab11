"""LoCoMo's retention under two plain cuts, straight from the file; it shares no code with ctxlab."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

Count = Callable[[str], int]


def quarter_of_characters(text: str) -> int:
    return max(1, -(-len(text) // 4)) + 4


def conversations(file: Path) -> list[tuple[list[tuple[str, str]], list[list[str]]]]:
    """Each conversation's turns (id, text) in order, and the evidence of each of its questions."""
    found = []
    for sample in json.loads(file.read_text()):
        talks = {int(m[1]): v for k, v in sample["conversation"].items() if (m := re.fullmatch(r"session_(\d+)", k))}
        turns = [(turn["dia_id"], with_picture(turn)) for number in sorted(talks) for turn in talks[number]]
        found.append((turns, list(evidence(sample["qa"], {turn for turn, _ in turns}))))
    return found


def with_picture(turn: dict) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shared an image: {caption}]" if caption else turn["text"]


def evidence(questions: list[dict], ids: set[str]):
    for question in questions:
        named = [part for each in question.get("evidence", []) for part in re.split(r"[;,\s]+", each) if part]
        if question["category"] != 5 and named and ids.issuperset(named):
            yield list(dict.fromkeys(named))


def newest_first(costs: list[int], budget: int) -> set[int]:
    kept: set[int] = set()
    for i in reversed(range(len(costs))):
        if costs[i] > budget:
            break
        kept.add(i)
        budget -= costs[i]
    return kept


def head_and_tail(costs: list[int], budget: int) -> set[int]:
    """The oldest turns in half of the budget, the newest in what is left of all of it."""
    kept: set[int] = set()
    left = budget // 2
    for i, cost in enumerate(costs):
        if cost > left:
            break
        kept.add(i)
        left -= cost
    spent = budget // 2 - left
    return kept | newest_first(costs, budget - spent)


def retention(file: Path, cut: Callable[[list[int], int], set[int]], budget: int, count: Count) -> list[float]:
    """For each question whether all of its evidence is kept."""
    scores = []
    for turns, questions in conversations(file):
        kept = {turns[i][0] for i in cut([count(text) for _, text in turns], budget)}
        scores += [float(kept.issuperset(each)) for each in questions]
    return scores
