"""Frames as a study gives them, of conversations whose cases resemble one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

SKILL = {"sliding": 0.15, "middle-out": 0.16, "lexical": 0.5, "summary-and-relevant": 0.7, "oracle": 0.97}


def study_frame(
    *,
    variants: Mapping[str, float] = SKILL,
    budgets: Sequence[int | None] = (512, 2048),
    conversations: int = 10,
    cases: int = 20,
    seed: int = 1,
    words: str = "",
) -> pd.DataFrame:
    """A tidy frame: every case of a conversation is about as hard as the conversation. `words` end the names."""
    dice = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    for number in range(conversations):
        hardness = dice.normal(0, 0.1)
        for i in range(cases + number):
            luck = dice.uniform()
            for variant, skill in variants.items():
                for budget in budgets:
                    share = min(0.99, max(0.01, (skill + hardness) * (0.7 if budget == 512 else 1)))
                    rows.append(
                        {
                            "case": f"q{i}{words[:40]}",
                            "conversation": f"talk-{number}{words[:40]}",
                            "kind": ("single", "multi")[i % 2],
                            "variant": f"{variant}{words}",
                            "budget": budget,
                            "seed": 0,
                            "tokens": int((budget or 900) * (0.6 + 0.4 * skill)),
                            "messages": 9,
                            "cut_messages": 30,
                            "error": None,
                            "all_evidence": float(luck < share),
                            "share_of_evidence": (float(luck < share) + share) / 2,
                        }
                    )
    return pd.DataFrame(rows)
