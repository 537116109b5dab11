"""Commands that the page may give to the view of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ctxlab.errors import CtxlabError
from ctxlab_widgets.workspace_view.book_table import BookTable
from ctxlab_widgets.workspace_view.dropped_files import pasted_name

if TYPE_CHECKING:
    from ctxlab_widgets.workspace_view import WorkspaceView

MOST_QUERY = 2000
"""Characters of a query."""


def carry_out(view: WorkspaceView, message: Mapping[str, Any]) -> bool:
    """Do what a message asks for; False where it is no command."""
    return _of_list(view, message) or _of_values(view, message) or _of_book(view, message)


def _of_list(view: WorkspaceView, message: Mapping[str, Any]) -> bool:
    match message:
        case {
            "command": "search",
            "query": str(query),
            "mode": "and" | "or" | "exact" as mode,
            "order": "newest" | "best" as order,
        }:
            view.search(query[:MOST_QUERY], mode=mode, order=order)
        case {"command": "tab", "tab": str(tab)}:
            view.show_tab(tab)  # pyright: ignore[reportArgumentType]
        case {"command": "filter", "facet": str(facet), "choice": str(choice)}:
            view.filter(**{facet: choice})
        case {"command": "sort", "order": str(order)}:
            view.sort_by(order)  # pyright: ignore[reportArgumentType]
        case {"command": "rows", "start": int(start)}:
            view.show_rows(start)
        case {"command": "preview", "id": str(id)}:
            view.show_preview(id)
        case {"command": "refresh"}:
            view.refresh()
        case _:
            return False
    return True


def _of_values(view: WorkspaceView, message: Mapping[str, Any]) -> bool:
    match message:
        case {"command": "open", "id": str(id), "view": str(name), "node": str(node)}:
            view.open_value(id, name, node=node, unsaved=message.get("unsaved", "raise"))
        case {"command": "favour", "id": str(id), "favourite": bool(favourite)}:
            view.favour(id, favourite=favourite)
        case {"command": "folder", "id": str(id), "folder": str(folder)}:
            view.move_to_folder(id, folder)
        case {"command": "tags", "id": str(id), "tags": [*tags]} if all(isinstance(tag, str) for tag in tags):
            view.tag(id, tags)
        case {"command": "new_session", "agent": str(agent)}:
            view.new_session(agent, unsaved=message.get("unsaved", "raise"))
        case {"command": "export", "id": str(id), "format": str(name)}:
            view.export(id, name)
        case {"command": "delete", "id": str(id)}:
            view.delete(id)
        case {"command": "restore", "id": str(id)}:
            view.restore(id)
        case {"command": "empty_trash"}:
            view.empty_trash()
        case {"command": "add", "name": str(name), "data": bytes(data)}:
            view.add(name, data)
        case {"command": "paste", "text": str(text)}:
            view.add(pasted_name(text), text.encode("utf-8", "surrogatepass"))
        case {"command": "save", "on_conflict": "raise" | "merge" | "overwrite" as on_conflict}:
            view.save(on_conflict=on_conflict)
        case {"command": "take_theirs"}:
            view.take_theirs()
        case _:
            return False
    return True


def _of_book(view: WorkspaceView, message: Mapping[str, Any]) -> bool:
    match message:
        case {"command": "entries", "start": int(start)}:
            view.show_entries(start)
        case {"command": "filter_entries", "group": str(group), "position": str(position), "find": str(find)}:
            _table(view).filter(group=group, position=position, find=find)
        case {"command": "pick_entries", "keys": [*keys], "on": bool(on)} if all(isinstance(key, str) for key in keys):
            _table(view).pick(keys, on=on)
        case {"command": "pick_all", "on": bool(on)}:
            table = _table(view)
            table.pick(table.keys(), on=on)
        case {"command": "change_entries", "field": str(field), "value": value}:
            _table(view).change(field, value)
        case {"command": "undo_entries"}:
            _table(view).undo()
        case {"command": "close_book"}:
            view.close_book()
        case _:
            return False
    return True


def _table(view: WorkspaceView) -> BookTable:
    if view.table is None:
        raise CtxlabError("no book is open as a table")
    return view.table
