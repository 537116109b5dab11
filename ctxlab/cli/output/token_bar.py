"""What the prompt is spent on: tokens by source, and the bar that shows them."""

from __future__ import annotations

from rich.text import Text

from ctxlab.cli.output.run_text import budget_of
from ctxlab.cli.output.terminal import Screen
from ctxlab.pipeline import Trace
from ctxlab.pipeline.explain.token_breakdown import spending

# In the order in which they stand in the bar; each has a block of its own, so that the bar reads without colour.
BLOCKS = {
    "preset": "█",
    "lore": "▙",
    "knowledge": "▟",
    "summary": "▒",
    "tools": "▚",
    "attachment": "▞",
    "overhead": "░",
    "history": "▓",
    "free": "·",
}
NAMES = {"preset": "system, presets", "attachment": "attachments", "overhead": "overhead, seams"}
# The sources of a budget that the bar draws as one.
DRAWN_AS = {
    "system": "preset",
    "presets": "preset",
    "profile": "preset",
    "summaries": "summary",
    "attachments": "attachment",
    "seams": "overhead",
}
WIDEST = 100


def spent(trace: Trace) -> dict[str, int]:
    """Tokens of the result as the bar draws them; they add up to `trace.tokens`."""
    found = dict.fromkeys(BLOCKS, 0)
    for source, tokens in spending(trace).tokens.items():
        if source not in ("reserve", "free"):
            found[DRAWN_AS.get(source, source)] += tokens
    return {kind: tokens for kind, tokens in found.items() if tokens > 0}


def bar(screen: Screen, trace: Trace) -> None:
    """The prompt as one row of blocks, free tokens at the end, and what each block stands for."""
    tokens = spent(trace)
    total = sum(tokens.values())
    budget = budget_of(trace)
    if budget is not None and budget > total:
        tokens["free"] = budget - total
    width = min(screen.width - 1, WIDEST)
    row = Text(end="")
    for kind, cells in _cells(tokens, width).items():
        row.append(BLOCKS[kind] * cells, f"source.{kind}")
    screen.line(row)
    legend = [
        Text.assemble((f"{BLOCKS[kind]} ", f"source.{kind}"), f"{NAMES.get(kind, kind)} ", (f"{n:,}", "strong"))
        for kind, n in tokens.items()
    ]
    screen.flow(legend, gap="  ")


def _cells(tokens: dict[str, int], width: int) -> dict[str, int]:
    """Cells of each kind, at least one each; the largest remainders get the rest, so that the width is filled."""
    total = sum(tokens.values())
    exact = {kind: n * width / total for kind, n in tokens.items()}
    cells = {kind: max(1, int(share)) for kind, share in exact.items()}
    while (left := width - sum(cells.values())) != 0:
        step = 1 if left > 0 else -1
        kind = max(cells, key=lambda kind: step * (exact[kind] - cells[kind]) if cells[kind] + step > 0 else -width)
        cells[kind] += step
    return cells
