"""All that a workspace keeps: found, filtered, looked at, arranged, opened in any view, and books changed as tables."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import traitlets

import ctxlab
from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import Session, Worldbook
from ctxlab.documents.stored import Stored
from ctxlab.errors import ChangedMeanwhile, CtxlabError
from ctxlab.storage.kinds import KINDS, KindName
from ctxlab.storage.revisions import revision_of, with_revision
from ctxlab.storage.workspace import Order, Workspace
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.workspace_view.book_table import BookTable
from ctxlab_widgets.workspace_view.commands import carry_out
from ctxlab_widgets.workspace_view.dropped_files import added_as_data, knowledge_of, library_of
from ctxlab_widgets.workspace_view.files_out import exported
from ctxlab_widgets.workspace_view.found import Found, found_in
from ctxlab_widgets.workspace_view.list_json import conflict_data, list_head, page_of_rows
from ctxlab_widgets.workspace_view.listing import (
    NOTHING_CHOSEN,
    TRASH,
    Kept,
    Listing,
    ShownRows,
    kept_of,
    listing_of,
    placed,
    with_choices,
)
from ctxlab_widgets.workspace_view.new_session import begun
from ctxlab_widgets.workspace_view.preview import OPENS, preview_of
from ctxlab_widgets.workspace_view.unsaved import Unsaved, leave_session, saved_as

if TYPE_CHECKING:
    from ctxlab_widgets.workspace_view.workspace_page import WorkspacePage

PAGE = 100
"""Rows that the page gets at once, around the place that it is scrolled to."""
OnConflict = Literal["raise", "merge", "overwrite"]
Opened = tuple[str, Any, str]
NOTHING_OPENED: Opened = ("", None, "")


class WorkspaceView(Widget):
    """Lists the sessions, agents, books and all else of a workspace, and finds words in them.

    >>> WorkspaceView(ctxlab.open_workspace("chats"))  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    tab = traitlets.Enum(list(KINDS), "sessions").tag(sync=True)
    """The kind that is listed."""
    query = traitlets.Unicode("").tag(sync=True)
    """The words that are searched for; empty where nothing is."""
    mode = traitlets.Enum(("and", "or", "exact"), "and").tag(sync=True)
    """All words of the query, any of them, or the query as it is."""
    order = traitlets.Enum(("newest", "best"), "newest").tag(sync=True)
    """Which hits come first."""
    sort = traitlets.Unicode("").tag(sync=True)
    """Order of the list where nothing is searched for; empty for the one that the workspace keeps."""
    filters: traitlets.Dict[str, str] = traitlets.Dict(default_value=dict(NOTHING_CHOSEN)).tag(sync=True)
    """One choice for each facet; empty for all."""
    row = traitlets.Unicode("").tag(sync=True)
    """The id of the value that the side shows; empty when none."""
    listing = traitlets.Unicode("").tag(sync=True)
    """The head of the list as JSON: its sentence, the number of rows, the tabs and facets with their numbers."""
    rows = traitlets.Unicode("").tag(sync=True)
    """A page of rows as JSON, with the number of its first one."""
    preview = traitlets.Unicode("").tag(sync=True)
    """The side as JSON; empty where no row is chosen."""
    book = traitlets.Unicode("").tag(sync=True)
    """The head of the table of a book as JSON; empty where none is open."""
    book_rows = traitlets.Unicode("").tag(sync=True)
    """A page of entries as JSON."""
    imported = traitlets.Unicode("").tag(sync=True)
    """The outcome of the last import or export, as JSON; empty before."""
    conflict = traitlets.Unicode("").tag(sync=True)
    """The value that another saved meanwhile, as JSON; empty where nothing is in the way."""
    session = traitlets.Instance[Session | None](Session, allow_none=True)
    """The session that was opened last, as the view that it is open in has it."""
    opened = traitlets.Tuple(traitlets.Unicode(), traitlets.Any(), traitlets.Unicode(), default_value=NOTHING_OPENED)
    """The view that was asked for last, the value that it shows, and the id of the message of a hit."""

    _page: WorkspacePage | None = None

    @checked_arguments
    def __init__(self, workspace: Workspace | str | os.PathLike[str]) -> None:
        self.workspace = workspace if isinstance(workspace, Workspace) else ctxlab.open_workspace(workspace)
        self.table: BookTable | None = None
        self.asked: Mapping[str, Any] | None = None
        self._found: Found | None = None
        self._kept: Kept | None = None
        self._listed: Listing | None = None
        self._generation = 0
        self._on_open: Callable[[str, Any, str], object] | None = None
        self._saved_session: Session | None = None
        self._refused: tuple[str, ChangedMeanwhile] | None = None
        super().__init__()
        self.show()

    def __repr__(self) -> str:
        return f"WorkspaceView({self.workspace!r})"

    @property
    def page(self) -> WorkspacePage:
        """The list with a place below it, in which values are opened."""
        from ctxlab_widgets.workspace_view.workspace_page import WorkspacePage

        if self._page is None or self._page.is_closed:
            self._page = WorkspacePage(self)
        return self._page

    def _repr_mimebundle_(self, **options: Any) -> Any:
        if self._on_open is not None:
            return super()._repr_mimebundle_(**options)
        return self.page._repr_mimebundle_(**options)

    def on_open(self, callback: Callable[[str, Any, str], object]) -> None:
        """Call this with the name of a view, the value and the id of a message, whenever a value is to be opened."""
        self._on_open = callback

    # --- what is listed

    @checked_arguments
    def search(
        self,
        query: str,
        *,
        mode: Literal["and", "or", "exact"] | None = None,
        order: Literal["newest", "best"] | None = None,
    ) -> None:
        """List only what has these words, with the places; an empty query lists all."""
        self.query, self.mode, self.order = query, mode or self.mode, order or self.order
        self.refresh()

    @checked_arguments
    def show_tab(self, tab: KindName) -> None:
        """List another kind; filters begin anew."""
        self.tab, self.filters, self.row, self.sort = tab, dict(NOTHING_CHOSEN), "", ""
        self.refresh()

    @checked_arguments
    def filter(self, **choices: str) -> None:
        """List only what fits `place`, `agent`, `category`, `tag`, `time`, `part` or `problem`; an empty choice is all.

        Places are `favourites`, `trash` and `folder:` with a name.
        """
        was_trash = self.filters["place"] == TRASH
        self.filters = with_choices(self.filters, choices)
        if was_trash != (self.filters["place"] == TRASH):
            self.row = ""
        self._listed = None
        self.show()

    @checked_arguments
    def sort_by(self, order: Order) -> None:
        """List in another order, which the workspace keeps."""
        self.workspace.sort_by(order, kind=self._kind)
        self.sort = order
        self.refresh()

    def refresh(self) -> None:
        """Read the lists anew, also what other programs have changed."""
        query = self.query.strip()
        self._found = found_in(self.workspace, query, self.mode, self.order) if query else None
        self._kept = self._listed = None
        self.show()

    @checked_arguments
    def show_rows(self, start: int) -> None:
        """Give the page the rows around this one."""
        self.rows = as_json(page_of_rows(self._listing().rows, start, PAGE, self._generation))

    @checked_arguments
    def show_preview(self, id: str) -> None:
        """Show a value of this id at the side, or with an empty one nothing."""
        self.row = id
        self._show_preview()

    @property
    def shown(self) -> ShownRows:
        """The rows of the list, in order."""
        return ShownRows(self._listing().rows)

    @property
    def _kind(self) -> KindName:
        return cast("KindName", self.tab)

    def _listing(self) -> Listing:
        if self._listed is None:
            if self._kept is None:
                self._kept = kept_of(self.workspace, self._kind, self.sort)
            self._listed = listing_of(self._kept, self._kind, self.filters, self._found)
            self._generation += 1
        return self._listed

    # --- what is done with values

    @checked_arguments
    def open_value(self, id: str, view: str = "", *, node: str = "", unsaved: Unsaved = "raise") -> Any:
        """Open a value in a view, or in the first that its kind has, and give it.

        `node` is the message to begin at, in a knowledge base the key of a hit, such as `knowledge:3`. The session that
        is open already is opened as it is there. Another one that isn't saved is left only if `unsaved` says how:
        "save" or "drop".
        """
        kind = self._kind
        view = view or next(iter(OPENS.get(kind, ())), "")
        if view not in OPENS.get(kind, ()):
            raise CtxlabError(
                f"{KINDS[kind].nouns[1]} open in {', '.join(OPENS.get(kind, ())) or 'no view'}, not in {view[:40]!r}"
            )
        if kind != "sessions":
            value = self.workspace.load(id, kind=kind)
        elif self.is_unsaved and self.session is not None and self.session.id == id and unsaved != "drop":
            value = self.session
        else:
            leave_session(self, {"command": "open", "id": id, "view": view, "node": node}, unsaved)
            value = self._saved_session = self.workspace.open_session(id)
        if isinstance(value, Worldbook) and view == "table":
            self.table = BookTable(value)
            self.show()
            return value
        if self._on_open is not None:
            self._on_open(view, value, node)
        if isinstance(value, Session):
            self.session = value
        self.opened = NOTHING_OPENED
        self.opened = (view, value, node)
        return value

    @checked_arguments
    def favour(self, id: str, *, favourite: bool = True) -> None:
        """Make a value a favourite, or no longer one."""
        self.workspace.favour(id, favourite=favourite, kind=self._kind)
        self._show_placed(id)

    @checked_arguments
    def move_to_folder(self, id: str, folder: str) -> None:
        """Put a value into a folder; an empty name takes it out."""
        self.workspace.move_to_folder(id, folder.strip() or None, kind=self._kind)
        self._show_placed(id)

    @checked_arguments
    def tag(self, id: str, tags: list[str]) -> None:
        """Give a value these tags."""
        self.workspace.tag(id, [tag.strip() for tag in tags if tag.strip()], kind=self._kind)
        self._show_placed(id)

    def _show_placed(self, id: str) -> None:
        """Show where a value is in the lists now; no file is read for it."""
        row = self.workspace.row(id, kind=self._kind)
        if self._kept is None or row is None:
            self._reread()
            return
        self._kept, self._listed = placed(self._kept, row), None
        self.show()

    @checked_arguments
    def delete(self, id: str) -> None:
        """Move a value into the trash."""
        name = self._listing().row(id).name
        self.workspace.delete(id, kind=self._kind)
        self.row = ""
        self._reread()
        self.effect = {"label": name, "text": "is in the trash, with what belongs to it.", "id": id}

    @checked_arguments
    def restore(self, key: str) -> None:
        """Put an entry of the trash back."""
        self.workspace.restore(key, kind=self._kind)
        self._taken_back()

    def empty_trash(self) -> None:
        """Remove all that is in the trash, of every kind, for good."""
        self.workspace.empty_trash()
        self._taken_back()

    def _taken_back(self) -> None:
        self.row, self.effect = "", {}
        self._reread()

    @checked_arguments
    def add(self, name: str, data: bytes) -> None:
        """Read a file of any format that is known, and keep what is in it; what came of it is in `imported`.

        Where knowledge bases are listed, the text of any file becomes one.
        """
        library = (knowledge_of if self.tab == "knowledge_bases" else library_of)(name, data)
        added = self.workspace.add(library)
        self.imported = as_json(added_as_data(name, added, library))
        self._reread()

    @checked_arguments
    def new_session(self, agent: str = "", *, unsaved: Unsaved = "raise") -> Session:
        """Begin a session, with the greetings of the agent of this id, keep it and open it as a chat."""
        leave_session(self, {"command": "new_session", "agent": agent}, unsaved)
        with_agent = self.workspace.load(agent, kind="agents") if agent else None
        saved = self.workspace.save(begun(with_agent))
        if self.tab != "sessions":
            self.show_tab("sessions")
        self._reread()
        return self.open_value(saved.id, "chat", unsaved="drop")

    @checked_arguments
    def export(self, id: str, format: str) -> bytes:
        """The bytes of a file of a value in the format of this name, which the page saves; losses are in `imported`."""
        value = self.workspace.load(id, kind=self._kind)
        name, data, came = exported(value, self._kind, self._listing().row(id).name, format)
        self.imported = as_json(came)
        self.send({"file": name}, [data])
        return data

    # --- saving

    @checked_arguments
    def save(self, *, on_conflict: OnConflict = "raise") -> None:
        """Save the book that is open as a table, else the session that is open in a view.

        Where another saved it meanwhile, nothing is written, and the page offers what can be done.
        """
        table = self.table
        if table is not None:
            saved = self._saved(table.book, "book", on_conflict)
            if isinstance(saved, Worldbook):
                table.saved_as(saved)
                table.last_change = "saved"
            self._reread()
        else:
            self.save_session(on_conflict=on_conflict)

    @checked_arguments
    def save_session(self, *, on_conflict: OnConflict = "raise") -> None:
        """Save the session that is open in a view, as `save` does."""
        if not self.is_unsaved or self.session is None:
            raise CtxlabError("nothing is open that has changed")
        base = None if self._saved_session is None else revision_of(self._saved_session)
        saved = self._saved(with_revision(self.session, base) if base else self.session, "session", on_conflict)
        if isinstance(saved, Session):
            self._saved_session = self.session = saved
            self.asked = None
        self._reread()

    def _saved(self, value: Stored, what: str, on_conflict: OnConflict) -> Stored | None:
        """The value as it was saved; None where that was refused."""
        try:
            saved = self.workspace.save(value, on_conflict=on_conflict)
        except ChangedMeanwhile as problem:
            self._refused = (what, problem)
            return None
        self._refused = None
        return saved

    @property
    def is_unsaved(self) -> bool:
        """Whether the open session is another one than was read or saved last."""
        return self.session is not None and self.session != self._saved_session

    def take_theirs(self) -> None:
        """Go on with what the other saved; what was changed here is dropped."""
        if self._refused is None:
            raise CtxlabError("nobody else has saved what is open")
        (what, problem), self._refused = self._refused, None
        if what == "book" and self.table is not None:
            self.table.saved_as(problem.theirs)
        elif what == "session":
            self._saved_session = self.session = problem.theirs
        self._reread()

    def close_book(self) -> None:
        """Leave the table of the book."""
        if self.table is not None and self.table.is_changed:
            raise CtxlabError("the book has changes that are not saved: save them, or take them back")
        self.table = None
        self._refused = None

    # --- what the page gets

    def _handle(self, message: Mapping[str, Any]) -> None:
        if not carry_out(self, message):
            raise self._wrong_command(message)

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        match content:
            case {"command": "add", "name": str(name)} if len(buffers) == 1:
                super()._on_message(_, {"command": "add", "name": name, "data": bytes(buffers[0])}, ())
            case _:
                super()._on_message(_, content, buffers)

    def _reread(self) -> None:
        self._kept = self._listed = None
        if self._found is not None:
            self.refresh()
        else:
            self.show()

    @traitlets.observe("session")
    def _on_session(self, _: Any) -> None:
        if self._saved_session is None:
            self._saved_session = saved_as(self.workspace, self.session)
        if self._generation:
            self._show_head()

    def show(self) -> None:
        """Fill the synced traits from the workspace and from what is open."""
        with self.hold_sync():
            generation = self._generation
            self._listing()
            self._show_head()
            if generation != self._generation:
                self.show_rows(0)
                self._show_preview()
            self._show_book()

    def _show_head(self) -> None:
        self.listing = as_json(list_head(self, self._listing(), self._found, self._generation))
        self.conflict = "" if self._refused is None else as_json(conflict_data(*self._refused))

    def _show_preview(self) -> None:
        row = next((row for row in self._listing().rows if row.id == self.row), None) if self.row else None
        self.preview = "" if row is None else as_json(preview_of(self.workspace, self._kind, row))

    def _show_book(self, start: int | None = None) -> None:
        table = self.table
        if table is None:
            self.book = self.book_rows = ""
            return
        self.book = as_json(table.as_data(table.book.book_id))
        self.show_entries(self._entries_from if start is None else start)

    _entries_from = 0

    @checked_arguments
    def show_entries(self, start: int) -> None:
        """Give the page the entries around this one."""
        if self.table is None:
            raise CtxlabError("no book is open as a table")
        self._entries_from = start
        first = max(0, start - PAGE // 4)
        self.book_rows = as_json({"start": first, "rows": self.table.rows(first, PAGE)})
