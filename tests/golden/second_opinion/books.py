"""Books, presets and chats of the languages' common part, made from numbers: the same in every run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from tests.golden.second_opinion.case import Case, Data

WORDS = ("dragon", "Tower", "sea", "moon", "Rose", "灯塔", "守塔人", "雾")
FILLERS = ("the", "old", "of", "走向", "again,", "light", "没有", "quiet.")
POSITIONS = (0, 0, 1, 1, 4, 4, 4)
ROLES = ("user", "assistant")


def plain(seed: int) -> Data:
    rng = random.Random(seed)
    count = rng.randint(1, 8)
    split = rng.choice([count, rng.randint(0, count)])
    made = [_entry(rng, number) for number in range(count)]
    halves = [made[:split], made[split:]]
    return {
        "books": [{"entries": {str(entry["uid"]): entry for entry in half}} for half in halves if half],
        "chat": [{"role": ROLES[n % 2], "text": _line(rng)} for n in range(rng.randint(1, 6))],
        "preset": preset(rng),
        "depth": rng.randint(1, 4),
        "names": {"user": "Kim", "char": "Nova"},
    }


def _entry(rng: random.Random, number: int) -> Data:
    position = rng.choice(POSITIONS)
    talks = rng.random() < 0.5
    return {
        "uid": number,
        "comment": f"entry {number}",
        "key": [_cased(rng, word) for word in rng.sample(WORDS, rng.randint(1, 2))],
        "keysecondary": [_cased(rng, word) for word in rng.sample(WORDS, rng.choice([0, 0, 1, 2]))],
        "content": f"Fact {number}." + (f" {_line(rng)}" if talks else ""),
        "constant": rng.random() < 0.1,
        "selective": True,
        "selectiveLogic": rng.randrange(4),
        "order": rng.choice([10, 50, 100, 100, 200]),
        "position": position,
        "depth": rng.randrange(6),
        "role": rng.randrange(3) if position == 4 else None,
        "disable": rng.random() < 0.1,
        "probability": rng.choice([100, 100, 100, 0]),
        "useProbability": True,
        "caseSensitive": rng.choice([None, None, False, True]),
        "excludeRecursion": rng.random() < 0.15,
        "preventRecursion": rng.random() < 0.15,
    }


def _line(rng: random.Random) -> str:
    return " ".join(
        _cased(rng, rng.choice(WORDS)) if rng.random() < 0.35 else rng.choice(FILLERS) for _ in range(rng.randint(2, 6))
    )


def _cased(rng: random.Random, word: str) -> str:
    return rng.choice([word, word, word.lower(), word.upper()])


def prompt(identifier: str, content: str = "", **fields: Any) -> Data:
    return {"identifier": identifier, "name": identifier, "role": "system", "content": content, **fields}


def preset(rng: random.Random) -> Data:
    prompts = [prompt("main", "You are {{char}}; {{user}} is there.")]
    prompts += [prompt(name, marker=True) for name in ("worldInfoBefore", "charDescription", "worldInfoAfter")]
    prompts += [prompt("chatHistory", marker=True), prompt("jailbreak", "Stay in the story.")]
    if rng.random() < 0.5:
        place = {"injection_depth": rng.randrange(4), "injection_order": rng.choice([50, 100])}
        prompts.append(prompt("deep", "Remember the weather.", injection_position=1, **place))
    order = [{"identifier": one["identifier"], "enabled": True} for one in prompts]
    return {"prompts": prompts, "prompt_order": [{"character_id": 100001, "order": order}]}


# --- chats as files


def chats() -> Iterator[Case]:
    head = {"user_name": "Kim", "character_name": "Nova", "create_date": "2025-1-5@10h00m00s", "chat_metadata": {}}
    for seed in range(12):
        rng = random.Random(seed)
        lines = [
            _said(rng, n, is_system=n > 0 and seed % 3 == 2 and rng.random() < 0.7) for n in range(rng.randint(1, 6))
        ]
        yield Case("chat", f"chat {seed}", {"lines": [head, *lines] if seed % 2 else lines})


def _said(rng: random.Random, number: int, *, is_system: bool) -> Data:
    is_user = number % 2 == 0
    swipes = [_line(rng) for _ in range(1 if is_user else 2)]
    chosen = rng.randrange(len(swipes))
    line = {"name": "Kim" if is_user else "Nova", "is_user": is_user, "is_system": is_system, "mes": swipes[chosen]}
    date = f"January 5, 2025 10:{number:02}am"
    return line | {"send_date": date} | ({} if is_user else {"swipes": swipes, "swipe_id": chosen})
