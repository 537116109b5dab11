"""The list of a workspace as the page gets it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.display.short_texts import counted
from ctxlab.errors import ChangedMeanwhile
from ctxlab.storage.kinds import KINDS
from ctxlab_widgets.workspace_view.found import SNIPPETS, Found, row_snippet_json
from ctxlab_widgets.workspace_view.listing import TRASH, Listing, Row

if TYPE_CHECKING:
    from ctxlab_widgets.workspace_view import WorkspaceView


def list_head(view: WorkspaceView, listing: Listing, found: Found | None, generation: int) -> dict[str, Any]:
    """The sentence, the number of rows, the tabs, and the facets, all with their numbers."""
    workspace = view.workspace
    return {
        "generation": generation,
        "place": workspace.place,
        "count": len(listing.rows),
        "answer": _answer(view.tab, listing, found, in_trash=view.filters["place"] == TRASH),
        "tabs": [
            {"name": name, "label": name.replace("_", " ").capitalize(), "count": listing.counts[name]}
            for name in KINDS
        ],
        "facets": {name: [list(each) for each in choices] for name, choices in listing.facets.items()},
        "notes": [note.text for note in workspace.notes if note.level != "info"][:20],
        "unsaved": view.session.name if view.is_unsaved and view.session is not None else "",
        "is_unsaved": view.is_unsaved,
        "asked": view.asked if view.is_unsaved else None,
    }


def _answer(kind: str, listing: Listing, found: Found | None, *, in_trash: bool) -> str:
    one, several = KINDS[kind].nouns
    if in_trash:
        return f"{counted(len(listing.rows), one, several)} in the trash."
    total = f" of {listing.total:,}" if listing.total != len(listing.rows) else ""
    if found is None:
        return (
            f"{counted(len(listing.rows), one, several) if not total else f'{len(listing.rows):,}{total} {several}'}."
        )
    more = " The first hits are listed: there are more." if found.is_more else ""
    return f"{counted(listing.hits, 'hit')} in {len(listing.rows):,} of {counted(listing.total, one, several)}.{more}"


def page_of_rows(rows: Sequence[Row], start: int, most: int, generation: int) -> dict[str, Any]:
    """Some rows around one, with the number of the first of them."""
    first = max(0, min(start, len(rows) - 1) - most // 4)
    return {"generation": generation, "start": first, "rows": [row_data(row) for row in rows[first : first + most]]}


def row_data(row: Row) -> dict[str, Any]:
    """One row; what is empty is left out."""
    data: dict[str, Any] = {
        "id": row.id,
        "name": row.name,
        "sub": row.agent_name or row.category or row.why,
        "parts": row.parts,
        "branches": row.branches,
        "date": row.updated[:16].replace("T", " "),
        "tags": list(row.tags[:4]),
        "folder": row.folder,
        "favourite": row.favourite,
        "problem": ", ".join(row.problems),
        "lengths": list(row.lengths),
        "hits": len(row.hits),
        "snippets": [row_snippet_json(hit) for hit in row.hits[:SNIPPETS]],
    }
    return {name: value for name, value in data.items() if value not in (None, "", 0, [], False)} | {"id": row.id}


def conflict_data(what: str, problem: ChangedMeanwhile) -> dict[str, Any]:
    """The changes that another made, and whether both can be kept."""
    return {"what": what, "text": str(problem), "can_merge": problem.merged is not None}
