"""Writes the table and the pictures of docs/truncation_study.md anew from the cells of a study.

python -m tests.bench.truncation_study CELLS.parquet [--tokenizer NAME] [--page FILE] [--left-out SENTENCE]...
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pandas as pd

import ctxlab
from ctxlab.display.theme import ThemeName

PAGE = Path(__file__).parents[2] / "docs" / "truncation_study.md"
PLACE = r"(<!-- {kind}: (?P<score>\w+) -->\n).*?(<!-- end -->)"
TO_SVG = "({data, layout}) => Plotly.toImage({data, layout}, {format: 'svg', width: 960, height: 480})"


def filled(page: str, frame: pd.DataFrame, *, tokenizer: str, left_out: Sequence[str] = (), pictures: str) -> str:
    """The page with the table of each score in its place, and the pictures named in theirs."""

    def table(match: re.Match[str]) -> str:
        made = ctxlab.study_table(frame, match["score"], tokenizer=tokenizer, left_out=left_out)
        return f"{match[1]}{made.markdown()}{match[3]}"

    def figure(match: re.Match[str]) -> str:
        name = f"{pictures}/truncation_study-{match['score']}"
        dark = f'<source media="(prefers-color-scheme: dark)" srcset="{name}-dark.svg">'
        image = f'<img src="{name}-light.svg" alt="{match["score"]} by budget, with intervals" width="960">'
        return f"{match[1]}<picture>{dark}{image}</picture>\n{match[3]}"

    page = re.sub(PLACE.format(kind="table"), table, page, flags=re.DOTALL)
    return re.sub(PLACE.format(kind="figure"), figure, page, flags=re.DOTALL)


def scores_with_figures(page: str) -> list[str]:
    return [match["score"] for match in re.finditer(PLACE.format(kind="figure"), page, flags=re.DOTALL)]


def figure_as_svg(figure: Callable[[ThemeName], Any], folder: Path, name: str) -> None:
    """A figure as SVG, light and dark, drawn by a browser that reaches nothing."""
    from plotly.offline import get_plotlyjs

    from tests.gallery.pages import browsing

    folder.mkdir(parents=True, exist_ok=True)
    themes: tuple[ThemeName, ...] = ("light", "dark")
    with browsing() as browser:
        tab = browser.new_page()
        tab.add_script_tag(content=get_plotlyjs())
        for theme in themes:
            url = str(tab.evaluate(TO_SVG, json.loads(figure(theme).to_json())))
            (folder / f"{name}-{theme}.svg").write_text(unquote(url.partition(",")[2]))


def draw(frame: pd.DataFrame, scores: Sequence[str], folder: Path) -> None:
    """The figure of each score."""
    for score in scores:
        table = ctxlab.study_table(frame, score)
        figure_as_svg(lambda theme, made=table: made.figure(theme=theme), folder, f"truncation_study-{score}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", type=Path)
    parser.add_argument("--tokenizer", default="chars4+4")
    parser.add_argument("--left-out", action="append", default=[])
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    frame = pd.read_parquet(given.cells)
    page = given.page.read_text()
    draw(frame, scores_with_figures(page), given.page.parent / "pictures")
    text = filled(page, frame, tokenizer=given.tokenizer, left_out=given.left_out, pictures="pictures")
    given.page.write_text(text)
    print(f"{given.page}: {len(frame):,} cells")


if __name__ == "__main__":
    main()
