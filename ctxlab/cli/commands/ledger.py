"""`ctxlab ledger`: where every token went."""

from __future__ import annotations

from itertools import groupby

from ctxlab.cli.inputs.files import Inputs
from ctxlab.cli.output.run_text import head, losses
from ctxlab.cli.output.terminal import Column, Screen, columns
from ctxlab.cli.output.token_bar import bar
from ctxlab.pipeline.explain.ledger import ledger_rows

FIGURES = ("in", "added", "kept", "cut", "rewritten", "merged", "seams", "out")


def print_ledger(inputs: Inputs) -> None:
    """One line a step and rule, sums under each step, and the bar."""
    trace = inputs.trace()
    inputs.announce()
    screen = Screen()
    head(screen, trace)
    losses(screen, inputs.losses)
    screen.blank()
    rows: list[tuple[str, ...]] = []
    for step, group in groupby(ledger_rows(trace), key=lambda row: row.step):
        booked = [row.as_data() for row in group]
        for place, row in enumerate(booked):
            rule = row["rule"] or "unchanged"
            rows.append(("" if place else step, rule, *(f"{row[name]:,}" if row[name] else "·" for name in FIGURES)))
        sums = {name: sum(row[name] for row in booked) for name in FIGURES}
        rows.append(("", "= all", *(f"{sums[name]:,}" if sums[name] else "·" for name in FIGURES)))
    titles = (Column("step", style="step"), Column("rule"), *(Column(name, right=True) for name in FIGURES))
    columns(screen, titles, rows)
    screen.blank()
    screen.line(("in + added = kept + cut + rewritten + merged + seams;  out = kept + merged", "dim"))
    screen.blank()
    bar(screen, trace)
