"""The token bar: the prompt as one row of blocks, a colour and a block for each source of text."""

from __future__ import annotations

from rich.text import Text

from ctxlab.cli.output.run_text import budget_of
from ctxlab.cli.output.terminal import Screen
from ctxlab.display.source_styles import BY_NAME, OF_PART, ROOM, SOURCES
from ctxlab.pipeline import Trace

# Each source has a block of its own, so that the bar reads without colour.
BLOCKS = {**{source.name: source.block for source in SOURCES}, "free": "·"}
WIDEST_BAR = 100


def spent(trace: Trace) -> dict[str, int]:
    """Tokens of the result as the bar draws them; they add up to `trace.tokens`."""
    found = dict.fromkeys(BLOCKS, 0)
    for source, tokens in trace.prompt.tokens_by_source.items():
        if source not in ROOM:
            found[OF_PART[source]] += tokens
    return {kind: tokens for kind, tokens in found.items() if tokens > 0}


def bar(screen: Screen, trace: Trace) -> None:
    """The prompt as one row of blocks, free tokens at the end, with the name of each block."""
    tokens = spent(trace)
    total = sum(tokens.values())
    budget = budget_of(trace)
    if budget is not None and budget > total:
        tokens["free"] = budget - total
    width = min(screen.width - 1, WIDEST_BAR)
    row = Text(end="")
    for kind, cells in _cells(tokens, width).items():
        row.append(BLOCKS[kind] * cells, f"source.{kind}")
    screen.line(row)
    legend = [
        Text.assemble((f"{BLOCKS[kind]} ", f"source.{kind}"), f"{_title(kind)} ", (f"{n:,}", "strong"))
        for kind, n in tokens.items()
    ]
    screen.flow(legend, gap="  ")


def _title(kind: str) -> str:
    return BY_NAME[kind].title if kind in BY_NAME else kind


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
