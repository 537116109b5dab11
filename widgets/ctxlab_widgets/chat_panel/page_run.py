"""Participants of a chat, and the run of its page with those that were chosen or edited there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ctxlab
from ctxlab.api.resolve import books_in_force
from ctxlab.documents import Library, Session, Worldbook
from ctxlab.pipeline import Trace
from ctxlab_widgets._shared.shared_state import SharedState
from ctxlab_widgets.chat_panel.setup import ChatSetup, model_id, setup_of_run

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel


def take_part(panel: ChatPanel, setup: ChatSetup, *, session: Session | None = None) -> None:
    """Let others take part in a chat, and in all views of its page; `session` is the one that they begin with.

    Raises CtxlabError, and changes nothing, where the page's run can't be built with them.
    """
    state = panel.state
    made = None
    if state is not None:
        made = run_with(state.run, panel.setup, setup, library=state.library, session=session)
    if session is not None:
        panel.history.record(session, "greet")
    panel.use(setup)
    if state is not None and made is not None:
        with state.changing(panel, continues=False):
            state.answer_with(setup.model, made)
    if session is not None:
        panel.refresh()


def setup_of_page(state: SharedState, before: ChatSetup) -> ChatSetup:
    """The setup whose turns are built as the run of a page is, with the model that answers there."""
    return setup_of_run(state.run, before, model=state.model, library=state.library)


def run_with(
    run: Trace, before: ChatSetup, after: ChatSetup, *, library: Library, session: Session | None = None
) -> Trace:
    """The run again with what is another one in a setup: agent, user, model, settings of steps, and the conversation.

    Books of a library that only the agent or the user before named go, and those that the new ones name come. The very
    run where nothing is another one, or where a function answers from now on.
    """
    changes: dict[str, Any] = {"session": session} if session is not None else {}
    if after.agent is not None and after.agent is not before.agent:
        changes["agent"] = after.agent
    if after.user is not None and after.user is not before.user:
        changes["user"] = after.user
    if "agent" in changes or "user" in changes:
        changes["books"] = _books(run, after, library)
    model = _model(run, before, after)
    if model is not None:
        changes["model"] = model
    settings = after.options.get("settings") or {}
    if settings != (before.options.get("settings") or {}):
        changes["settings"] = settings
    return ctxlab.rebuild(run, **changes) if changes else run


def _model(run: Trace, before: ChatSetup, after: ChatSetup) -> Any:
    """The model that is chosen by name; else that of a new agent where the run has that of the one before."""
    chosen = after.named_model
    if chosen is not None and model_id(chosen) != model_id(before.model):
        return chosen
    own, was, now = run.start.input.model, before.agent, after.agent
    if chosen is not None or was is None or now is None or now.model_id is None or own is None:
        return None
    is_of_agent = own.id == was.model_id and now.model_id != was.model_id
    return now.model_id if is_of_agent else None


def _books(run: Trace, after: ChatSetup, library: Library) -> tuple[Worldbook, ...]:
    """The books of a run but those of a library that somebody names, then those that the new participants name."""
    named = {id for speaker in (*library.agents, *library.users) for id in speaker.worldbook_ids}
    of_somebody = [book for book in library.books if book.book_id in named]
    given = [book for book in run.start.input.books if book not in of_somebody]
    return books_in_force(given, after.agent, after.user, library=library, brought=Library())
