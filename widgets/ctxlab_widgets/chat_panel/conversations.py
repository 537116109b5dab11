"""The conversations that a chat shows one after the other, each with its own history and its own draft."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ctxlab.documents import History, Session
from ctxlab_widgets.chat_panel.draft_store import DraftStore
from ctxlab_widgets.chat_panel.drafts import Draft, Drafts
from ctxlab_widgets.chat_panel.turn_thread import QueuedMessage

if TYPE_CHECKING:
    from ctxlab.storage.workspace import Workspace
    from ctxlab_widgets.chat_panel import ChatPanel

STOPPED = "the answer was stopped: what came of it, and what waited, stays in conversation"
ELSEWHERE = "the conversation was changed in another place, and is shown as it is now"


class Conversations:
    """Goes over from one conversation of a chat to another; a workspace keeps drafts, a file has them beside it."""

    def __init__(self, panel: ChatPanel, source: object, workspace: Workspace | None = None) -> None:
        self._panel = panel
        self._left: dict[str, tuple[Session, History]] = {}
        self.drafts = Drafts(workspace.drafts if workspace is not None else _beside(source))

    def show(self, session: Session) -> list[str]:
        """Go over to another conversation; a running turn ends in its own. Returns sentences on what that did."""
        panel = self._panel
        left = panel.history.session
        told: list[str] = []
        if panel.turns.running is not None:
            panel.turns.stop()
            told.append(f"{STOPPED} {left.id!r}")
        problem = self.drafts.leave(left.id, Draft(panel.input, panel.waiting.assets))
        self._left[left.id] = left, panel.history
        panel.history = self._history_of(session)
        panel.input, panel.waiting.assets = self.drafts.take(session.id)
        return [*told, *([problem] if problem else [])]

    def _history_of(self, session: Session) -> History:
        """The history that a conversation was left with, which may have got the rest of a turn since; else a new one.

        Where the conversation is none of those that were left, that is a step of its history.
        """
        before, history = self._left.pop(session.id, (session, None))
        if history is None:
            return History(session)
        if before is not session and history.session is not session:
            history.record(session, "changed elsewhere")
        return history

    def give_back(self, queued: list[QueuedMessage]) -> None:
        """Put messages that aren't sent back into the drafts of their conversations."""
        panel = self._panel
        for conversation in dict.fromkeys(each.conversation for each in queued):
            own = [each for each in queued if each.conversation == conversation]
            is_shown = conversation == panel.conversation
            before = Draft(panel.input, panel.waiting.assets) if is_shown else self.drafts.take(conversation)
            draft = before.behind([each.text for each in own], [file for each in own for file in each.files])
            if is_shown:
                panel.input, panel.waiting.assets = draft
            else:
                self.drafts.leave(conversation, draft)

    def follow(self) -> list[str]:
        """Show what others did to the history. Returns a sentence on that, where it was no work of this chat."""
        panel = self._panel
        if panel.history.session is panel.session:
            return []
        is_own = panel.turns.running is not None or panel.jobs.is_busy
        panel.refresh()
        return [] if is_own else [ELSEWHERE]


def _beside(source: object) -> DraftStore | None:
    """The store beside a session's file; None where the session is given in another way."""
    return DraftStore.beside(Path(source).expanduser()) if isinstance(source, str | Path) else None
