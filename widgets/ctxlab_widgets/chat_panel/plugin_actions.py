"""Actions on messages that other packages bring, as buttons of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ctxlab.chat.message_actions import (
    MessageAction,
    known_message_actions,
    message_actions,
    run_message_action,
)
from ctxlab.display.one_line import plain
from ctxlab.documents import Note, Session

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

NAME, WORDS = 60, 200


class PluginActions:
    """The actions on messages of one chat: of packages, and those that it was made with.

    `problems` are sentences on what can't be used, each once.
    """

    def __init__(self, actions: Sequence[MessageAction] = ()) -> None:
        self._given = tuple(actions)
        known = known_message_actions(self._given)
        self._known = known.actions
        self._problems: dict[str, None] = {}
        self._told: set[str] = set()
        self._take(known.notes)

    @property
    def choices(self) -> list[dict[str, str]]:
        """All of them for the page, whichever messages they are for."""
        return [
            {
                "id": each.id,
                "label": plain(each.label, NAME),
                "hint": plain(each.description, WORDS),
                "question": plain(each.question, WORDS),
            }
            for each in self._known
        ]

    def of(self, session: Session, key: str) -> Sequence[str]:
        """Ids of the actions on a message, as it is when its row is made."""
        if not self._known:
            return ()
        found = message_actions(session, key, actions=self._given)
        self._take(found.notes)
        return [each.id for each in found]

    def news(self) -> list[str]:
        """The problems that weren't told yet."""
        found = [each for each in self._problems if each not in self._told]
        self._told.update(found)
        return found

    def run(self, panel: ChatPanel, key: str, id: str) -> None:
        """Run an action: another session is a step of the history, a text is shown as its effect.

        Raises CtxlabError where it is none of this message's, or fails.
        """
        session = panel.history.session
        action = message_actions(session, key, actions=self._given).action(id)
        made = run_message_action(action, session, key, settings=panel.plugin_settings)
        panel.effect = {"label": plain(action.label, NAME), "text": made.text} if made.text else {}
        if made.session is not session:
            panel.history.record(made.session, action.label, target=key)
            panel.refresh()

    def _take(self, notes: Sequence[Note] | Sequence[Any]) -> None:
        self._problems |= dict.fromkeys(note.text for note in notes)
