"""How the benchmarks measure: CPU time, medians of 5, the works of a round in a row."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from time import process_time
from typing import Any

from ctxlab.engines.tokens.bpe_counter import exact_counter

ROUNDS = 5
ENCODING = "o200k_base"


def forget_counts() -> None:
    """Counts empty, encoder loaded."""
    exact_counter(ENCODING).counts.clear()
    exact_counter(ENCODING)._pieces.clear()  # pyright: ignore[reportPrivateUsage]


def load_encoder() -> None:
    """So much counted that the fastest encoder at hand is loaded, and nothing of it remembered."""
    for start in range(0, 700_000, 350):
        exact_counter(ENCODING).measure(" ".join(f"{number} lamps" for number in range(start, start + 350)))
    forget_counts()


@dataclass(frozen=True)
class Work:
    """Something to time; `before` is done first and not counted."""

    do: Callable[[], Any]
    before: Callable[[], Any] = lambda: None


def timed(works: dict[str, Work], *, rounds: int = ROUNDS) -> dict[str, float]:
    """Median CPU seconds of each work; all works of a round in a row, so that a busy machine hits all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        gc.collect()
        for name, work in works.items():
            work.before()
            started = process_time()
            result = work.do()
            seconds[name].append(process_time() - started)
            del result  # taking it apart is not part of the work
    return {name: median(values) for name, values in seconds.items()}


def ms(seconds: float) -> str:
    return f"{seconds * 1e3:.1f} ms"
