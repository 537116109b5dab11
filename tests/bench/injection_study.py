"""Writes the tables and pictures of docs/injection_study.md anew from the cells of a grid.

python -m tests.bench.injection_study CELLS.parquet --corpus locomo|bundled [--page FILE]
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

import ctxlab
from ctxlab.studies.statistics import MeanScore, PairedDifference
from tests.bench.truncation_study import figure_as_svg

PAGE = Path(__file__).parents[2] / "docs" / "injection_study.md"
PLACE = re.compile(r"(<!-- (?P<corpus>\w+) (?P<kind>\w+)(?: (?P<budget>\d+))? -->\n).*?(<!-- end -->)", re.DOTALL)
AXES = ("place", "eviction", "lore")
BASES = {"place": "top", "eviction": "sliding", "lore": "moving"}
ORDERS = {
    "place": ("top", "depth 10", "depth 4", "depth 1", "end"),
    "eviction": ("sliding", "block", "middle-out", "head-and-tail", "relevant"),
    "lore": ("moving", "frozen"),
}
SCORES = {
    "all_evidence": "all evidence, %",
    "prefix_share": "prefix reused, %",
    "openai_input_usd": "GPT-5.2, $ per 1,000 turns",
    "anthropic_input_usd": "Claude Sonnet 4.5, $ per 1,000 turns",
}
BETTER: dict[str, Any] = {"all_evidence": "higher", "prefix_share": "higher"}
COST = "$ per 1,000 turns, GPT-5.2"


def scored(frame: pd.DataFrame, score: str) -> pd.DataFrame:
    return frame[frame[score].notna()]


def shown(score: str, found: MeanScore) -> str:
    factor, digits = (100, 1) if score in BETTER else (1000, 2)
    ends = [found.interval.low, found.interval.high] if found.interval else []
    between = f" ({' to '.join([f'{factor * end:.{digits}f}' for end in ends])})" if ends else ""
    return f"{factor * found.mean:.{digits}f}{between}"


def grid_table(frame: pd.DataFrame, budget: int) -> str:
    """Every variant at a budget, with each score and its interval."""
    at = frame[frame["budget"] == budget]
    rows = [["eviction", "place", "lore", *SCORES.values()], ["---"] * 3 + ["---:"] * len(SCORES)]
    for eviction in ORDERS["eviction"]:
        for place in ORDERS["place"]:
            for lore in ORDERS["lore"]:
                one = at[(at["eviction"] == eviction) & (at["place"] == place) & (at["lore"] == lore)]
                cells = [shown(score, ctxlab.mean_score(scored(one, score), score)) for score in SCORES]
                rows.append([eviction, place, lore, *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def effects(frame: pd.DataFrame, budget: int) -> Iterator[tuple[str, str, str, PairedDifference]]:
    """Each row of an axis against the axis's first, over all that is otherwise equal; of lore by place too."""
    at = frame[frame["budget"] == budget]
    for axis in AXES:
        for value in ORDERS[axis][1:]:
            for score in SCORES:
                yield axis, value, score, _difference(at, axis, value, score)


def _difference(frame: pd.DataFrame, axis: str, value: str, score: str) -> PairedDifference:
    """The paired difference of two rows of an axis, in which cells of the other axes are cases of their own."""
    others = [name for name in AXES if name != axis]
    cases = frame["case"] + " " + frame[others[0]] + " " + frame[others[1]]
    found = scored(frame.assign(variant=frame[axis], case=cases), score)
    better = BETTER.get(score, "lower")
    return ctxlab.paired_difference(found, value, BASES[axis], score=score, better=better)


def effects_table(frame: pd.DataFrame, budget: int) -> str:
    rows = [["axis", "", *SCORES.values()], ["---"] * 2 + ["---:"] * len(SCORES)]
    found = list(effects(frame, budget))
    for axis in AXES:
        for value in ORDERS[axis][1:]:
            cells = [_effect(score, one) for a, v, score, one in found if (a, v) == (axis, value)]
            rows.append([axis, f"{value} less {BASES[axis]}", *cells])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def _effect(score: str, one: PairedDifference) -> str:
    factor, digits = (100, 1) if score in BETTER else (1000, 2)
    between = ""
    if one.interval is not None:
        between = f" ({factor * one.interval.low:+.{digits}f} to {factor * one.interval.high:+.{digits}f})"
    return f"{factor * one.mean:+.{digits}f}{between}"


def by_place_and_lore(frame: pd.DataFrame, budget: int, score: str = "prefix_share") -> str:
    """The mean of a score by place and lore, for each way of eviction."""
    at = scored(frame[frame["budget"] == budget], score)
    means = at.groupby(["eviction", "lore", "place"])[score].mean()
    rows = [["eviction", "lore", *ORDERS["place"]], ["---"] * 2 + ["---:"] * len(ORDERS["place"])]
    for eviction in ORDERS["eviction"]:
        for lore in ORDERS["lore"]:
            rows.append([eviction, lore, *[f"{100 * means[eviction, lore, place]:.0f}" for place in ORDERS["place"]]])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows) + "\n"


def with_price(frame: pd.DataFrame) -> pd.DataFrame:
    """Questions with the price of their conversation, which is one for all questions of it."""
    key = ["conversation", "variant", "budget"]
    price = (1000 * frame[frame["kind"] == "conversation"].set_index(key)["openai_input_usd"]).rename(COST)
    return frame[frame["kind"] != "conversation"].join(price, on=key)


def basis(frame: pd.DataFrame, tokenizer: str) -> str:
    questions = frame[frame["kind"] != "conversation"]
    cases, conversations = questions["case"].nunique(), frame["conversation"].nunique()
    errors = int(frame["error"].notna().sum())
    failed = f"; {errors:,} cells ended in an error and are in no mean" if errors else "; no cell ended in an error"
    least = ctxlab.paired_difference(
        scored(frame, "prefix_share").assign(variant=frame["lore"], case=frame["variant"].str.rpartition(", ")[0]),
        "frozen",
        "moving",
        score="prefix_share",
        budget=int(frame["budget"].max()),
    )
    return (
        f"{cases:,} questions of {conversations} conversations, {frame['variant'].nunique()} variants, budgets "
        f"{', '.join(f'{budget:,}' for budget in sorted(frame['budget'].unique()))}: {len(frame):,} cells; tokens "
        f"counted with {tokenizer}{failed}. With {conversations} conversations no p can be below "
        f"{2 / 2**least.conversations:.3g}.\n"
    )


def filled(page: str, frame: pd.DataFrame, corpus: str, tokenizer: str) -> str:
    """The page with the parts of one corpus made anew."""

    def part(match: re.Match[str]) -> str:
        if match["corpus"] != corpus:
            return match[0]
        budget = int(match["budget"] or 0)
        made = {
            "basis": lambda: basis(frame, tokenizer),
            "grid": lambda: grid_table(frame, budget),
            "effects": lambda: effects_table(frame, budget),
            "prefix": lambda: by_place_and_lore(frame, budget),
            "pareto": lambda: _picture(corpus, budget),
        }[match["kind"]]()
        return f"{match[1]}{made}{match[5]}"

    return PLACE.sub(part, page)


def _picture(corpus: str, budget: int) -> str:
    name = f"pictures/injection_study-{corpus}"
    dark = f'<source media="(prefers-color-scheme: dark)" srcset="{name}-dark.svg">'
    words = f"All evidence against {COST}, at {budget:,} tokens"
    return f'<picture>{dark}<img src="{name}-light.svg" alt="{words}" width="960"></picture>\n'


def pareto_budgets(page: str, corpus: str) -> Sequence[int]:
    return [
        int(found["budget"]) for found in PLACE.finditer(page) if (found["corpus"], found["kind"]) == (corpus, "pareto")
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", type=Path)
    parser.add_argument("--corpus", default="locomo", choices=("locomo", "bundled"))
    parser.add_argument("--tokenizer", default="o200k_base")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    frame = pd.read_parquet(given.cells)
    page = given.page.read_text()
    for budget in pareto_budgets(page, given.corpus):
        table = ctxlab.study_table(
            with_price(frame), "all_evidence", budget=budget, baseline="top, sliding, moving", also=[COST]
        )
        folder = given.page.parent / "pictures"
        figure_as_svg(
            lambda theme, made=table: made.pareto(cost=COST, theme=theme), folder, f"injection_study-{given.corpus}"
        )
    given.page.write_text(filled(page, frame, given.corpus, given.tokenizer))
    print(f"{given.page}: {len(frame):,} cells")


if __name__ == "__main__":
    main()
