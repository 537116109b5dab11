"""Commands of the page that other parts of the chat carry out; until one is there, a sentence says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ctxlab.errors import CtxlabError

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

Handler = Callable[["ChatPanel", Mapping[str, Any]], None]


def _missing(what: str) -> Handler:
    def refuse(panel: ChatPanel, fields: Mapping[str, Any]) -> None:
        raise CtxlabError(f"{what} not part of this chat yet")

    return refuse


LATER: Mapping[str, Handler] = {
    "translate": _missing("translation is"),
    "show_translation": _missing("translation is"),
    "name_topic": _missing("naming the topic is"),
    "complete": _missing("completion is"),
    "quick": _missing("quick actions are"),
    "message_action": _missing("actions of plugins are"),
}
"""By command what carries it out; each gets the panel and the checked fields."""
