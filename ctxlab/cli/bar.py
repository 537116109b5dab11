"""What the prompt is spent on: tokens by source, and the bar that shows them."""

from __future__ import annotations

from rich.text import Text

from ctxlab.cli.show import budget_of
from ctxlab.cli.terminal import Screen
from ctxlab.context import Draft
from ctxlab.pipeline import Tokenizer, Trace

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
NAMES = {"preset": "system, presets", "attachment": "attachments"}
KINDS = {
    "preset": "preset",
    "macro": "preset",
    "profile": "preset",
    "lore": "lore",
    "worldbook": "lore",
    "kb": "knowledge",
    "knowledge": "knowledge",
    "summary": "summary",
    "separator": "overhead",
    "notice": "overhead",
    "made": "overhead",
}
WIDEST = 100


def spent(trace: Trace) -> dict[str, int]:
    """Tokens of the result by kind of source; they add up to `trace.tokens`."""
    counter = trace.services.tokenizer
    agent = trace.start.request.agent
    found = dict.fromkeys(BLOCKS, 0)
    found["overhead"] += counter.request_tokens
    found["tools"] += counter.count_tools(agent.tools) if agent and agent.tools else 0
    for draft in trace.result.drafts:
        for kind, tokens in _of_message(draft, counter).items():
            found[kind] += tokens
    return {kind: tokens for kind, tokens in found.items() if tokens}


def _of_message(draft: Draft, counter: Tokenizer) -> dict[str, int]:
    """Tokens of one message by kind: its words by who wrote them, then calls and files, the rest is overhead."""
    words = _by_kind(draft)
    found = {kind: counter.count(text) for kind, text in words.items()}
    said = counter.count(str(draft.text))
    if found:
        # Counts of parts don't add up exactly; the largest part takes the difference.
        largest = max(found, key=lambda kind: found[kind])
        found[largest] += said - sum(found.values())
    rest = counter.count_draft(draft) - said - counter.message_tokens
    beside = "tools" if draft.calls or draft.role == "tool" else "attachment" if draft.assets else "overhead"
    found["overhead"] = found.get("overhead", 0) + counter.message_tokens
    found[beside] = found.get(beside, 0) + rest
    return found


def _by_kind(draft: Draft) -> dict[str, str]:
    if draft.role == "tool":
        return {"tools": str(draft.text)} if draft.text else {}
    words: dict[str, str] = {}
    for span in draft.text.spans:
        kind = KINDS.get(span.origin.kind, "history")
        words[kind] = words.get(kind, "") + span.text
    return words


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
