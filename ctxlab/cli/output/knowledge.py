"""Pieces of knowledge as text: found by what, with which scores, sent or cut, and what would bring each in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import Any

from ctxlab.cli.output.run_text import short_key
from ctxlab.cli.output.terminal import Screen, harmless, one_line, quoted
from ctxlab.context.step_report import Row
from ctxlab.display.short_texts import counted, nearest_name
from ctxlab.errors import CtxlabError
from ctxlab.knowledge.policy.report import KnowledgeReport
from ctxlab.pipeline import Trace
from ctxlab.pipeline.changes_in_budget import rows_in_budget

NAMES = ("key", "title", "entry", "chunk", "base", "base_name", "placeholder")
"""Columns by which a row may be asked for."""
WORDS_CELLS = 76


def pieces_named(trace: Trace, name: str) -> Sequence[Row]:
    """The rows that a name means, as it is written or in other case; raises CtxlabError, naming what is near."""
    report = trace.result.report(KnowledgeReport)
    if report is None:
        raise CtxlabError(
            "no knowledge was asked for: it goes to placeholders such as 【kb::name】, and --knowledge takes a base"
        )
    wanted = name.strip().casefold()
    rows = report.rows()
    found = [row for row in rows if wanted and any(str(row[column] or "").casefold() == wanted for column in NAMES)]
    if not found:
        known = {str(row[column]): () for row in rows for column in NAMES if row[column]}
        raise CtxlabError(f"there is no piece of knowledge {name!r}{nearest_name(name, known)}")
    return rows_in_budget(trace, found)


def pieces(screen: Screen, rows: Sequence[Row]) -> None:
    """A few lines for each row, under the placeholder and the query that found it."""
    asked = None
    for row in rows:
        if (row["where"], row["placeholder"]) != asked:
            asked = row["where"], row["placeholder"]
            screen.line(
                (one_line(row["placeholder"]), "strong"),
                (f"  in {short_key(row['where'])}, {_asked(row)}", "dim"),
                hang=2,
            )
        _piece(screen, row)


def _asked(row: Row) -> str:
    by = f" by {row['engine']}" if row["engine"] else ""
    return f"asked{by}: {quoted(row['query'], WORDS_CELLS)}" if row["query"] else "not asked"


def _piece(screen: Screen, row: Row) -> None:
    sent = row["sent"]
    style = "came" if sent else "warn"
    title = row["title"] or row["chunk"] or row["base_name"] or "nothing"
    place = ", ".join(filter(None, (row["base_name"], row["place"], row["chunk"])))
    screen.line(
        (f"{'✓' if sent else '⊘'} ", style), (one_line(title), "strong"), (f"  {one_line(place)}", "dim"), hang=2
    )
    lines = [*_scores(row), ("sent", f"as piece {row['sent_rank']}") if sent else ("cut", harmless(row["reason"]))]
    if row["remedy"]:
        lines.append(("nearest", harmless(f"{row['remedy']}{_typed(row['nearest'])}")))
    for label, words in lines:
        last = label == lines[-1][0]
        screen.line(("└─ " if last else "├─ ", "dim"), (f"{label:<7}  ", "label"), words, hang=12)


def _typed(settings: Mapping[str, Any]) -> str:
    """The options that make a change; empty where there are none."""
    values = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in settings.items()]
    return f" ({' '.join([f'--set {quote(value)}' for value in values])})" if values else ""


def _scores(row: Row) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if row["rank"]:
        scores = ", ".join(f"{name} {score:.3f}" for name, score in row["scores"].items())
        found.append(("found", f"rank {row['rank']} of {row['engine'] or 'all'}; {scores}" if scores else "by its id"))
    if row["words"]:
        found.append(("words", one_line(row["words"], cells=WORDS_CELLS)))
    if row["content"]:
        found.append(("text", f"{quoted(row['content'], WORDS_CELLS)}, {counted(row['characters'], 'character')}"))
    return found
