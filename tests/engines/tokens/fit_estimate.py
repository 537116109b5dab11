# ruff: noqa: E501
"""Fits the prices of `estimate_by_kind` and prints the table of errors.

`python -m tests.engines.tokens.fit_estimate FOLDER` takes every `tokenizer.json` and `tekken*.json` below FOLDER, texts of
the folder that CTXLAB_SHARED names, and texts made by seeds. It prints MEAN and SAFE, and the table of docs/tokens.md.
"""

from __future__ import annotations

import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import linprog, nnls

from ctxlab.engines.tokens import estimate_tokens
from ctxlab.engines.tokens.estimate_by_kind import features_of
from ctxlab.local_models import local_model

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).resolve().parents[4] / "shared"))
RUSSIAN = (
    "смотритель маяка записал что дождь начался ночью и лампа погасла корабль ушёл в море утром вернулся без груза"
)
OTHER_SCRIPTS = {
    "Japanese": "灯台守 は 夜 に 雨 が 降り始めた と 書いた 。 ランプ は 消えて いて 、 船 は 海 へ 出た カタカナ の メモ も ある",
    "Korean": "등대지기는 밤에 비가 내리기 시작했다고 적었다 램프는 꺼졌고 배는 아침에 바다로 나갔다 화물 없이 돌아왔다",
    "Greek": "ο φύλακας του φάρου έγραψε ότι η βροχή άρχισε τη νύχτα και η λάμπα έσβησε το πλοίο βγήκε στη θάλασσα",
    "Arabic": "كتب حارس المنارة أن المطر بدأ في الليل وانطفأ المصباح وخرجت السفينة إلى البحر في الصباح وعادت بلا حمولة",
    "Hebrew": "שומר המגדלור כתב שהגשם התחיל בלילה והמנורה כבתה הספינה יצאה לים בבוקר וחזרה בלי מטען",
    "Hindi": "प्रकाशस्तंभ के रखवाले ने लिखा कि रात को बारिश शुरू हुई और दीपक बुझ गया",
    "Thai": "ผู้ดูแลประภาคาร เขียนว่า ฝนเริ่มตก ตอนกลางคืน",
    "French, German": "le gardien a écrit que la pluie était arrivée à la tombée de la nuit, früh am Morgen wäre das Schiff zurück größer",
    "emoji": "🙂 🫠 🚢 ⛵ 🌧️ 🌊 ✨ 👍🏽 🇫🇷 → ✓ ★ ░ █ ∑ ≤",
}
WORDS = (
    "def return self for in if not value index items result None True print open path len str import class raise try"
)


def made(seed: int = 7) -> Iterator[tuple[str, str]]:
    """Texts made by a seed, each with its kind."""
    dice = random.Random(seed)
    for _ in range(60):
        rows = dice.randrange(3, 40)
        yield (
            "numbers",
            "\n".join(
                ",".join(f"{dice.uniform(-1000, 1000):.{dice.randrange(1, 6)}f}" for _ in range(6)) for _ in range(rows)
            ),
        )
        yield "hexadecimal", " ".join(f"{dice.getrandbits(256):064x}" for _ in range(rows))
        yield (
            "instrument log",
            "\n".join(
                f"2026-11-{dice.randrange(1, 30):02d}T{dice.randrange(24):02d}:{dice.randrange(60):02d}:07.{dice.randrange(1000):03d}Z "
                f"sensor={dice.randrange(9)} t={dice.uniform(-20, 40):.3f} p={dice.uniform(900, 1100):.2f} id={dice.getrandbits(32):08x}"
                for _ in range(rows)
            ),
        )
        for kind, source in {"Russian": RUSSIAN, **OTHER_SCRIPTS}.items():
            words = source.split()
            gap = "" if kind == "Japanese" else " "
            yield kind, gap.join(dice.choice(words) + dice.choice(["", "", "", ",", "."]) for _ in range(rows))
        yield (
            "code",
            "\n".join(
                "    " * dice.randrange(4)
                + f"{dice.choice(WORDS.split())} {dice.choice(WORDS.split())}_{dice.choice(WORDS.split())}"
                + dice.choice(["(self):", " = []", "[i] += 1", "(x, y)", " == None:", "().strip()"])
                for _ in range(rows)
            ),
        )


def recorded(seed: int = 7, each: int = 60) -> Iterator[tuple[str, str]]:
    """Stretches of the real texts, each with its kind."""
    dice = random.Random(seed)
    sources = {
        "English chat": ["locomo/locomo_first5.json", "memorybank/memory_bank_en.json"],
        "Chinese chat": ["memorybank/memory_bank_cn.json"],
        "agents' logs": ["recordings", "claude-code-log", "tau-bench", "swe-agent"],
        "mixed languages": ["oasst", "sharegpt"],
    }
    for kind, names in sources.items():
        for name in names:
            whole = SHARED / "data" / name
            files = sorted(whole.rglob("*.json*")) if whole.is_dir() else [whole]
            texts = [text for file in files[:12] for text in strings_of(file)]
            for _ in range(each if texts else 0):
                text = dice.choice(texts)
                at = dice.randrange(max(1, len(text) - 2_000))
                yield kind, text[at : at + 2_000]


def strings_of(path: Path) -> list[str]:
    """The texts of a file of JSON or of lines of it, those with something to count."""
    data = path.read_text("utf-8", "replace")[:3_000_000]
    try:
        values = [json.loads(data)]
    except ValueError:
        values = []
        for line in data.splitlines()[:400]:
            try:
                values.append(json.loads(line))
            except ValueError:
                continue
    found: list[str] = []
    while values:
        value = values.pop()
        if isinstance(value, str):
            if len(value) > 40:
                found.append(value)
        elif isinstance(value, dict):
            values.extend(value.values())
        elif isinstance(value, list):
            values.extend(value)
    return found


def counters(folder: Path) -> dict[str, Callable[[str], int]]:
    paths = [*sorted(folder.rglob("tokenizer.json")), *sorted(folder.rglob("tekken*.json"))]
    found: dict[str, Callable[[str], int]] = {}
    for path in paths:
        vocabulary = local_model(path).vocabulary
        assert vocabulary is not None
        found[str(path.relative_to(folder))] = vocabulary.count
    return found


def main(folder: Path) -> None:
    texts = [(kind, text) for kind, text in [*made(), *recorded()] if len(text) > 20]
    dice = random.Random(1)
    texts += [("mixed kinds", "\n\n".join(text[:300] for _, text in dice.sample(texts, 4))) for _ in range(120)]
    dice.shuffle(texts)
    count = counters(folder)
    true = np.array([[each(text) for each in count.values()] for _, text in texts], float)
    features = [features_of(text) for _, text in texts]
    names = sorted({name for each in features for name in each})
    table = np.array([[each.get(name, 0) for name in names] for each in features], float)
    learn = np.arange(len(texts)) % 2 == 0  # the other half is what the table of errors is of
    fitted: dict[str, np.ndarray] = {}
    for side, target in (("MEAN", true.mean(1)), ("SAFE", true.max(1))):
        rows = table[learn] / target[learn, None]
        if side == "MEAN":
            prices = nnls(rows, np.ones(len(rows)))[0]
        else:  # the least prices with which no text that is fitted is under
            prices = linprog(rows.sum(0), A_ub=-rows, b_ub=-np.ones(len(rows))).x
            prices[names.index("others")] = 3
        fitted[side] = prices = np.ceil(prices * 1000) / 1000
        print(f"{side}: Final[Mapping[str, float]] = {{")
        for name, price in zip(names, prices, strict=True):
            if price:
                print(f'    "{name}": {price:g},')
        print("}")
    print(f"{learn.sum()} texts fitted, {(~learn).sum()} in the table; vocabularies: {', '.join(count)}")
    old = np.array([estimate_tokens(text) for _, text in texts], float)
    kinds = np.array([kind for kind, _ in texts])
    print(
        "| kind | before, lowest and highest | mean, lowest and highest | safe, lowest and highest |\n|---|--:|--:|--:|"
    )
    for kind in dict.fromkeys(sorted(kinds)):
        rows = (kinds == kind) & ~learn
        cells = []
        for estimate in (old, np.ceil(table @ fitted["MEAN"]), np.ceil(table @ fitted["SAFE"])):
            shares = estimate[rows, None].sum() / true[rows].sum(0)
            cells.append(f"{shares.min():.2f} to {shares.max():.2f}")
        print(f"| {kind} | {' | '.join(cells)} |")
    rest = ~learn
    under = np.ceil(table @ fitted["SAFE"])[rest, None] / true[rest]
    print(f"safe under some vocabulary: {(under.min(1) < 1).mean():.1%} of texts, at worst {under.min():.2f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
