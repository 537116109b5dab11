"""Gates of lorebooks."""

from __future__ import annotations

from _ext.reference.markdown import code, page, plain, table
from ctxlab.engines.worldbook.gates import GATES

INTRO = """An entry is sent when a key of it is found and no gate is closed. `trace.table("lore")` names the gate
that kept an entry out, and `nearest`, the smallest change that opens it; `ctxlab.lore_scan(book,
text).with_change(key)`
tries it."""


def gates() -> str:
    """The page."""
    return page(
        "Lorebook gates", INTRO, table(["gate", "closed when"], ([code(n), plain(t)] for n, t in GATES.items()))
    )
