"""`ctxlab minimise`: the smallest context that keeps what is named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.api.what_if import minimise
from ctxlab.cli.commands.build import print_json
from ctxlab.cli.inputs.files import Inputs
from ctxlab.cli.output.run_text import head, losses
from ctxlab.cli.output.terminal import Column, Screen, columns, one_line
from ctxlab.display.short_texts import counted
from ctxlab.studies.what_if import Minimised

MOST_REMOVED = 30
WIDEST_WORDS, WIDEST_NAME = 60, 40


def print_minimised(inputs: Inputs, keeps: Sequence[str], *, as_json: bool) -> None:
    """Print the pieces that stay with what they are needed for, and those that were taken out."""
    found = minimise(inputs.trace(), keeps=keeps)
    inputs.announce()
    if as_json:
        print_json(_data(found))
        return
    screen = Screen()
    head(screen, found.before)
    losses(screen, inputs.losses)
    screen.blank()
    messages = counted(len(found.trace.result.drafts), "message")
    screen.line(
        (f"{messages} of {len(found.before.result.drafts):,}, ", "strong"),
        (f"{found.trace.tokens:,} of {counted(found.before.tokens, 'token')}", "strong"),
        f", found with {counted(found.runs, 'build')}",
    )
    screen.blank()
    rows = found.rows()
    _print_kept(screen, [row for row in rows if row["state"] == "kept"])
    _print_removed(screen, [row for row in rows if row["state"] == "removed"])


def _data(found: Minimised) -> dict[str, Any]:
    return {
        "keeps": list(found.keeps),
        "tokens": found.trace.tokens,
        "messages": len(found.trace.result.drafts),
        "tokens_before": found.before.tokens,
        "messages_before": len(found.before.result.drafts),
        "builds": found.runs,
        "pieces": found.rows(),
    }


def _print_kept(screen: Screen, rows: Sequence[dict[str, Any]]) -> None:
    titles = (Column("stays", style="step"), Column("tokens", right=True), Column("needed for"), Column("words"))
    shown = [
        (
            one_line(row["key"], cells=WIDEST_NAME),
            f"{row['tokens']:,}",
            one_line(row["needed_for"] or "", cells=WIDEST_NAME),
            one_line(row["words"], cells=WIDEST_WORDS),
        )
        for row in rows
    ]
    columns(screen, titles, shown)


def _print_removed(screen: Screen, rows: Sequence[dict[str, Any]]) -> None:
    screen.blank()
    if not rows:
        screen.line("nothing could be taken out")
        return
    titles = (Column("taken out", style="step"), Column("tokens", right=True), Column("words"))
    shown = [
        (one_line(row["key"], cells=WIDEST_NAME), f"{row['tokens']:,}", one_line(row["words"], cells=WIDEST_WORDS))
        for row in rows[:MOST_REMOVED]
    ]
    columns(screen, titles, shown)
    if len(rows) > MOST_REMOVED:
        screen.line((f"and {len(rows) - MOST_REMOVED:,} more; --format json has all", "dim"))
