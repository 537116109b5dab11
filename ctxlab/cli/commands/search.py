"""`ctxlab search`: words in a workspace, a hit a line."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.text import Text

from ctxlab.cli.commands.build import print_json
from ctxlab.cli.output.terminal import Screen, complain, harmless, one_line
from ctxlab.display.short_texts import counted
from ctxlab.storage.search import SearchHit, Snippet
from ctxlab.storage.workspace import open_workspace

NOT_FOUND = 1
COUNTED = 1_000
"""Hits that are counted; of more it is said that there are more."""


def print_hits(folder: str, query: str, *, limit: int, as_json: bool, **filters: Any) -> int:
    """Two lines a hit, or all as JSON; 1 when nothing was found."""
    with open_workspace(folder, create=False) as workspace:
        result = workspace.search(query, limit=limit, progress=True, **filters)
        hits = list(result)
        for note in workspace.notes:
            if note.level != "info":
                complain(one_line(note.text))
        if as_json:
            print_json([_as_data(hit) for hit in hits])
        else:
            total = result.total(COUNTED + 1) if len(hits) == limit else len(hits)
            _print_text(Screen(), query, hits, total)
        return 0 if hits else NOT_FOUND


def _as_data(hit: SearchHit) -> dict[str, Any]:
    matches = [
        {"where": match.field, "spans": [list(span) for span in match.spans], "words": match.snippet.text}
        for match in hit.matches
    ]
    return {**hit.row(), "name": hit.name, "path": list(hit.path()), "matches": matches}


def _print_text(screen: Screen, query: str, hits: Iterable[SearchHit], total: int) -> None:
    last = None
    for hit in hits:
        if (hit.kind, hit.id) != last:
            last = (hit.kind, hit.id)
            name = hit.name if hit.name != hit.id else ""
            screen.line(
                (f"{one_line(hit.kind)} ", "label"), (one_line(hit.id), "strong"), (f"  {one_line(name)}", "dim")
            )
        screen.line("  ", (one_line(hit.key), "strong"), (f"  {_about(hit)}", "dim"), hang=4)
        screen.line("    ", _marked(hit.snippet), hang=4)
    if not total:
        screen.line(f"“{one_line(query, cells=60)}” is nowhere in the workspace, or not where the options look")
    else:
        words = f"more than {COUNTED:,} hits" if total > COUNTED else counted(total, "hit")
        screen.line((words, "strong"))


def _about(hit: SearchHit) -> str:
    parts = (
        hit.role,
        hit.field if hit.field != "content" else None,
        (hit.time or "")[:16].replace("T", " "),
        None if hit.enabled else "switched off",
        None if hit.on_active_path else "on another branch",
    )
    return one_line(", ".join([part for part in parts if part]))


def _marked(snippet: Snippet) -> Text:
    """The words around a match, which stands between ‹ and ›."""
    line, at = Text(end=""), 0
    for start, end in snippet.spans:
        line.append(harmless(snippet.text[at:start]))
        line.append(harmless(f"‹{snippet.text[start:end]}›"), "cause")
        at = end
    line.append(harmless(snippet.text[at:]))
    return line
