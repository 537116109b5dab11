"""Fits the prices of each open vocabulary, and prints how far its count of a text may be from them.

`python -m tests.engines.tokens.fit_vocabularies FOLDER` takes from FOLDER the ranks of Qwen (`qwen-3.tiktoken`) and
Llama (`llama-3.tiktoken`, `llama-4.tiktoken`), as their vendors publish them in repositories, and `tekken*.json`;
gpt-oss has o200k. Texts are those of `fit_estimate`, and long numbers. It prints the rows of `PRICES`.
"""

from __future__ import annotations

import base64
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from scipy.optimize import nnls
from tiktoken import Encoding

from ctxlab.engines.tokens import encoding
from ctxlab.engines.tokens.estimate_by_kind import features_of
from ctxlab.engines.tokens.open_vocabularies import MARGIN, VOCABULARIES
from ctxlab.local_models import local_model
from ctxlab.local_models.tokenizer_files import PATTERNS
from tests.engines.tokens.fit_estimate import made, recorded

Count = Callable[[str], int]
RANKS = {"Qwen 3": ("qwen-3", "qwen2"), "Llama 3": ("llama-3", "llama-bpe"), "Llama 4": ("llama-4", "gpt-4o")}


def vocabularies(folder: Path) -> dict[str, Count]:
    """The counts of those of the open vocabularies that are at hand, by name; o200k's always is."""
    found: dict[str, Count] = {"gpt-oss": lambda text: len(encoding("o200k_base").encode_ordinary(text))}
    for name, (stem, family) in RANKS.items():
        if (path := folder / f"{stem}.tiktoken").is_file():
            found[name] = _of_ranks(path, PATTERNS[family][0])
    for path in sorted(folder.rglob("tekken*.json"))[:1]:
        vocabulary = local_model(path).vocabulary
        assert vocabulary is not None
        found["Mistral"] = vocabulary.count
    return {name: found[name] for name in VOCABULARIES if name in found}


def _of_ranks(path: Path, pattern: str) -> Count:
    words = path.read_bytes().split()
    ranks = {base64.b64decode(word): int(rank) for word, rank in zip(words[::2], words[1::2], strict=True)}
    found = Encoding(path.stem, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return lambda text: len(found.encode_ordinary(text))


def long_numbers(seed: int = 3) -> Iterator[tuple[str, str]]:
    """Numbers of one digit to thirty, which vocabularies take one by one or by threes."""
    dice = random.Random(seed)
    for _ in range(60):
        numbers = (str(dice.randrange(10 ** dice.randrange(1, 30))) for _ in range(dice.randrange(3, 40)))
        yield "long numbers", dice.choice([", ", "\n", "\t"]).join(numbers)


def texts_by_kind() -> list[tuple[str, str]]:
    """Every text with its kind, in an order by which the even ones are fitted and the others tried."""
    texts = [(kind, text) for kind, text in [*made(), *recorded(), *long_numbers()] if len(text) > 20]
    dice = random.Random(1)
    texts += [("mixed kinds", "\n\n".join(text[:300] for _, text in dice.sample(texts, 4))) for _ in range(120)]
    dice.shuffle(texts)
    return texts


def main(folder: Path) -> None:
    texts, counts = texts_by_kind(), vocabularies(folder)
    assert tuple(counts) == VOCABULARIES, "a vocabulary isn't in the folder"
    true = np.array([[count(text) for count in counts.values()] for _, text in texts], float)
    features = [features_of(text) for _, text in texts]
    names = sorted({name for each in features for name in each})
    table = np.array([[each.get(name, 0) for name in names] for each in features], float)
    learn = np.arange(len(texts)) % 2 == 0
    prices = np.array([nnls(table[learn] / each[learn, None], np.ones(learn.sum()))[0] for each in true.T]).round(3)
    for name, row in zip(names, prices.T, strict=True):
        if row.any():
            print(f'    "{name}": ({", ".join(f"{price:g}" for price in row)}),')
    found, kinds = table @ prices.T, np.array([kind for kind, _ in texts])
    low, high = found.min(1, keepdims=True) * (1 - MARGIN), found.max(1, keepdims=True) * (1 + MARGIN)
    inside = (low <= true) & (true <= high)
    rest = ~learn
    print(f"{rest.sum()} texts that were not fitted: {inside[rest].mean():.1%} of counts are in the range")
    for kind in sorted(set(kinds)):
        rows = rest & (kinds == kind)
        off = found[rows].sum(0) / true[rows].sum(0)
        print(f"{kind:18} {off.round(2)} within {inside[rows].mean():.0%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
