"""`ctxlab compare`: strategies and budgets side by side."""

from __future__ import annotations

from itertools import groupby

from ctxlab.cli.inputs.files import Inputs
from ctxlab.cli.output.run_text import head, losses, short_key
from ctxlab.cli.output.terminal import Column, Screen, columns, one_line
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import BudgetTooSmall, OverBudget, Trace
from ctxlab.processors import TokenLimiter
from ctxlab.studies.comparison import SIGNS, Comparison, ComparisonLine, compare

MEANINGS = "= kept  … shortened  ≠ rewritten  ↔ moved  + only here  × cut  - never there"


def print_comparison(inputs: Inputs, *, strategies: tuple[str, ...], budgets: tuple[int, ...]) -> None:
    """Every strategy at every budget: totals, then the messages that they treat differently."""
    screen = Screen()
    traces, refused = _runs(inputs, strategies, budgets)
    if not traces:
        raise CtxlabError(refused[0] if refused else "there is nothing to compare; name strategies or budgets")
    inputs.announce()
    head(screen, next(iter(traces.values())))
    losses(screen, inputs.losses)
    for text in refused:
        screen.line(("! ", "warn"), text, hang=2)
    screen.blank()
    found = compare(traces)
    _totals(screen, found)
    screen.blank()
    if not found:
        screen.line("they all send the same messages")
        return
    _messages(screen, found)
    screen.line((MEANINGS, "dim"), hang=2)


def _runs(inputs: Inputs, strategies: tuple[str, ...], budgets: tuple[int, ...]) -> tuple[dict[str, Trace], list[str]]:
    """One run a strategy and budget, each from the first one's steps; those whose budget is too small are told."""
    first = inputs.uncut()
    traces: dict[str, Trace] = {}
    refused: list[str] = []
    for strategy in strategies or ("",):
        for budget in budgets or (None,):
            name = " ".join(part for part in (strategy, f"{budget:,}" if budget else "") if part) or "as it is"
            settings: dict[str, object] = {f"{TokenLimiter.id}.enabled": True}
            if strategy:
                settings[f"{TokenLimiter.id}.strategy"] = strategy
            if budget is not None:
                settings[f"{TokenLimiter.id}.budget_tokens"] = budget
            try:
                traces[name] = first.rerun(settings)
            except (BudgetTooSmall, OverBudget) as problem:
                refused.append(f"{name}: {problem}".replace("Raise budget_tokens", "Raise --budgets"))
    return traces, refused


def _totals(screen: Screen, found: Comparison) -> None:
    titles = [Column("run", style="step"), *(Column(t, right=True) for t in ("messages", "tokens", "cut", "shortened"))]
    rows = [
        (name, str(row["messages"]), f"{row['tokens']:,}", str(row["cut_messages"]), str(row["shortened_messages"]))
        for name, row in zip(found.traces, found.total_rows(), strict=True)
    ]
    columns(screen, titles, rows)


def _messages(screen: Screen, found: Comparison) -> None:
    """One line a message that differs, a sign a run; neighbours that are alike in all runs fold into one line."""
    titles = [
        *(Column(str(i + 1)) for i in range(len(found.traces))),
        Column("message", style="label"),
        Column("words"),
    ]
    rows: list[tuple[str, ...]] = []
    for differs, group in groupby(found.lines, key=lambda line: line.differs):
        lines = list(group)
        if differs:
            rows.extend(_line(line) for line in lines)
        else:
            signs = tuple(SIGNS[cell.state] for cell in lines[0].cells)
            rows.append((*signs, "…", f"{len(lines)} messages alike in all runs"))
    for i, name in enumerate(found.traces):
        screen.line((f"{i + 1} ", "label"), name)
    columns(screen, titles, rows)


def _line(line: ComparisonLine) -> tuple[str, ...]:
    signs = tuple(SIGNS[cell.state] for cell in line.cells)
    return (*signs, short_key(line.key), one_line(line.words, cells=60))
