"""A study as one page of HTML that opens anywhere and asks nobody for anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from ctxlab.display.html_table import html_table, lines, title
from ctxlab.studies.study_table.table_text import table_rows_html

if TYPE_CHECKING:
    from ctxlab.studies.study.study_result import StudyResult

MOST_ROWS, MOST_ERRORS = 2_000, 50
STYLE = """body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1100px;background:#fff;color:#222}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:2px 8px;border-bottom:1px solid #ddd}"""


def study_page(result: StudyResult) -> str:
    """The figure of the first score and the frontier, a table with notes for each score, what was left out, errors."""
    scores = [column for column in result.columns if column.unit != "text"]
    parts = [title(repr(result)), *_figures(result)]
    for column in scores:
        parts += [f"<h2>{escape(column.title)}</h2>", table_rows_html(result.table(column.name), most=MOST_ROWS)]
    out = [f"left out: {count:,} {reason}" for reason, count in result.left_out.items()]
    if out or result.notes:
        parts += ["<h2>Notes</h2>", lines([*out, *result.notes], cells=600, most=200)]
    parts += _errors(result)
    head = f"<meta charset='utf-8'><title>{escape(repr(result))}</title><style>{STYLE}</style>"
    return f"<!doctype html><html lang='en'><head>{head}</head><body>{''.join(parts)}</body></html>\n"


def _figures(result: StudyResult) -> Iterator[str]:
    """The figure of the first score, and that of it against tokens; what draws them comes with the first."""
    figures = [result.figure()]
    if any(column.unit != "text" for column in result.columns):
        figures.append(result.pareto())
    for number, figure in enumerate(figures):
        yield figure.to_html(full_html=False, include_plotlyjs=number == 0, div_id=f"figure-{number}")


def _errors(result: StudyResult) -> Iterator[str]:
    """Every error that cells ended in, the most frequent first, with their number."""
    counts = Counter(error for error in result.cell_table.columns["error"] if error is not None)
    if counts:
        yield "<h2>Errors</h2>"
        rows = ((count, error) for error, count in counts.most_common())
        yield html_table(("cells", "error"), rows, cells=600, of="errors", most=MOST_ERRORS)
