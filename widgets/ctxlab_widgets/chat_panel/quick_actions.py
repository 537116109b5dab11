"""Quick actions of a chat: the buttons over the input, and what they do to the draft."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ctxlab
from ctxlab.api.options import InputOptions
from ctxlab.display.one_line import plain
from ctxlab.documents import QuickAction
from ctxlab.documents.quick_actions_for import ShownQuickAction, ShownQuickActions
from ctxlab.errors import CtxlabError, did_you_mean
from ctxlab_widgets._shared.json_values import list_as_json
from ctxlab_widgets._shared.widget import brief
from ctxlab_widgets.chat_panel.setup import ChatSetup
from ctxlab_widgets.chat_panel.utf16 import characters_before

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

NAME = 60
WORDS = 200
OF_INPUT = frozenset(InputOptions.__annotations__)


class QuickActions:
    """The quick actions of the agent, the user and everyone; they are looked up anew when others take part."""

    def __init__(self) -> None:
        self._of: ChatSetup | None = None
        self._shown: dict[str, ShownQuickAction] = {}
        self._json = ""
        self.notes: tuple[Any, ...] = ()

    def json(self, setup: ChatSetup) -> str:
        """The buttons as the page gets them; empty where there are none."""
        self._look(setup)
        return self._json

    def action(self, setup: ChatSetup, id: str) -> QuickAction:
        """The action of a button; raises CtxlabError where there is none."""
        self._look(setup)
        if id not in self._shown:
            raise CtxlabError(f"there is no quick action {id[:80]!r}{did_you_mean(id, list(self._shown))}")
        return self._shown[id].action

    def _look(self, setup: ChatSetup) -> None:
        if self._of is setup:
            return
        found = ctxlab.quick_actions_for(setup.agent, setup.user, setup.library)
        self._of, self.notes, self._shown = setup, found.notes, _by_id(found)
        rows = [_row(id, each, setup) for id, each in self._shown.items()]
        self._json = list_as_json(rows) if rows else ""


def _by_id(found: ShownQuickActions) -> dict[str, ShownQuickAction]:
    """The actions by ids that no two of them have."""
    known: dict[str, ShownQuickAction] = {}
    for each in found:
        id = base = f"{each.set.id}/{each.action.id or each.action.label}"
        number = 1
        while id in known:
            number += 1
            id = f"{base}/{number}"
        known[id] = each
    return known


def _row(id: str, each: ShownQuickAction, setup: ChatSetup) -> dict[str, Any]:
    action = each.action
    people = {
        "agent": f"of agent {setup.agent.shown_name}" if setup.agent is not None else "",
        "user": f"of user {setup.user.shown_name}" if setup.user is not None else "",
    }
    whose = people.get(each.origin) or "for everyone"
    return {
        "id": id,
        "label": plain(action.label or action.content, NAME),
        "description": plain(action.description or action.content, WORDS),
        "hotkey": "+".join(key.capitalize() for key in each.keys),
        "from": plain(f"{each.set.shown_name}, {whose}" if each.set.shown_name else whose, NAME * 2),
        "sends": action.auto_send,
    }


def press(panel: ChatPanel, id: str, start: int, end: int) -> None:
    """Apply an action to what is selected of the draft, in UTF-16 units, and send it where the action says so."""
    action, text = panel.quick_actions.action(panel.setup, id), panel.input
    selection = characters_before(text, min(start, end)), characters_before(text, max(start, end))
    setup = panel.setup
    options: Any = {name: value for name, value in setup.build().items() if name in OF_INPUT}
    session = panel.history.session
    made = ctxlab.apply_quick_action(action, text, selection, setup.source(session), setup.agent_source, **options)
    panel.input = made.text
    if made.send:
        panel.send_message(made.text)
    panel.error = brief("; ".join(dict.fromkeys(note.text for note in made.notes)))
