"""`ctxlab search`: words in a workspace, a hit a line."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from ctxlab.cli.commands.build import print_json
from ctxlab.cli.output.terminal import Screen, complain, harmless, one_line
from ctxlab.display.short_texts import counted
from ctxlab.storage.search import SearchHit, Snippet
from ctxlab.storage.search.result import COUNTED, SearchResult
from ctxlab.storage.workspace import open_workspace

NOT_FOUND = 1


def print_hits(folder: str, query: str, *, limit: int, mode: str, as_json: bool, **filters: Any) -> int:
    """Two lines a hit, or all as JSON; 1 when nothing was found."""
    with open_workspace(folder, create=False) as workspace:
        result = workspace.search(query, limit=limit, mode=mode, progress=True, **filters)
        hits = list(result)
        for note in workspace.notes:
            if note.level != "info":
                complain(one_line(note.text))
        if as_json:
            print_json([_as_data(hit) for hit in hits])
        else:
            _print_text(Screen(), query, result)
            if not hits and mode == "and" and (words := workspace.search(query, mode="or", **filters).total()):
                found = f"more than {COUNTED:,} hits" if words > COUNTED else counted(words, "hit")
                complain(f"no message has all of the words; --mode or finds {found} with one of them")
        return 0 if hits else NOT_FOUND


def _as_data(hit: SearchHit) -> dict[str, Any]:
    matches = [
        {"where": match.field, "spans": [list(span) for span in match.spans], "words": match.snippet.text}
        for match in hit.matches
    ]
    return {**hit.row(), "name": hit.name, "path": list(hit.path()), "matches": matches}


def _print_text(screen: Screen, query: str, result: SearchResult) -> None:
    last = None
    for hit in result:
        if (hit.kind, hit.id) != last:
            last = (hit.kind, hit.id)
            name = hit.name if hit.name != hit.id else ""
            origin = f", from {', '.join(filter(None, (hit.program, hit.file)))}" if hit.program or hit.file else ""
            screen.line(
                (f"{one_line(hit.kind)} ", "label"),
                (one_line(hit.id), "strong"),
                (f"  {one_line(name)}{one_line(origin)}", "dim"),
            )
        screen.line("  ", (one_line(hit.key), "strong"), (f"  {_about(hit)}", "dim"), hang=4)
        screen.line("    ", _marked(hit.snippet), hang=4)
    if not result:
        screen.line(f"“{one_line(query, cells=60)}” is nowhere in the workspace, or not where the options look")
    else:
        screen.line((_extent(result), "strong"))


def _extent(result: SearchResult) -> str:
    """The number of hits that were printed, of how many, and the option that gives the others."""
    shown, total = len(list(result)), result.total(COUNTED + 1)
    if shown == total:
        return result.extent()
    more = f"--limit {total} for all" if total <= COUNTED else "--limit shows more"
    return f"{result.extent().replace(' hits', ' hits shown', 1)}; {more}"


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
