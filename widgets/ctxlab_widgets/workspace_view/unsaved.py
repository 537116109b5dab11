"""The question that comes before an open session with unsaved changes makes room for another one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from ctxlab.storage.revisions import revision_of
from ctxlab.storage.workspace import Workspace

if TYPE_CHECKING:
    from ctxlab_widgets.workspace_view import WorkspaceView

Unsaved: TypeAlias = Literal["raise", "save", "drop"]
"""The way in which an open session that isn't saved is left: not at all, saved before, or without its changes."""


def saved_as(workspace: Workspace, session: Session | None) -> Session | None:
    """A session that comes from elsewhere on a page as the workspace has it; None for another state, or for none."""
    if session is None or workspace.row(session.id) is None:
        return None
    try:
        saved = workspace.session(session.id)
    except CtxlabError:
        return None
    return saved if revision_of(saved) == revision_of(session) else None


def leave_session(view: WorkspaceView, asked: Mapping[str, Any], unsaved: Unsaved) -> None:
    """Make room for another session; `asked` is the command that the page sends again with an answer.

    Raises CtxlabError where the session is not saved, and nobody has said that it may go.
    """
    view.asked = None
    if not view.is_unsaved or view.session is None or unsaved == "drop":
        return
    name = view.session.name or view.session.id
    if unsaved == "raise":
        view.asked = asked
        view.show()
        raise CtxlabError(f"{name!r} is not saved as it is now: open the other with unsaved='save' or unsaved='drop'")
    view.save_session()
    if view.is_unsaved:
        raise CtxlabError(f"{name!r} was saved by another meanwhile, and stays open: choose what is kept")
