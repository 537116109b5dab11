"""The runs behind the answers of a chat: those that were sent from here, and others rebuilt from the messages."""

from __future__ import annotations

from collections import OrderedDict

from ctxlab.api.answer import answer_run
from ctxlab.api.draft import was_answered
from ctxlab.chat.turn import Turn, TurnRequest
from ctxlab.documents import Session
from ctxlab.providers.payload import Payload
from ctxlab.studies.answer_run import AnswerRun, sent_run
from ctxlab_widgets.chat_panel.setup import ChatSetup

MOST_KEPT = 30
"""Runs of answers that are kept; older ones are rebuilt."""


class Answers:
    """Finds the run of an answer."""

    def __init__(self) -> None:
        self._sent: OrderedDict[str, tuple[str, TurnRequest]] = OrderedDict()
        self._rebuilt: tuple[Session, ChatSetup, AnswerRun] | None = None

    def record(self, turn: Turn) -> None:
        """Keep the requests of a turn by the replies that answered them."""
        replies = [node for node in turn.nodes if node.role == "assistant" and not node.is_summary]
        for node, request in zip(replies, turn.requests, strict=False):
            self._sent[node.id] = node.content, request
        while len(self._sent) > MOST_KEPT:
            self._sent.popitem(last=False)

    def run_of(self, session: Session, setup: ChatSetup, key: str) -> AnswerRun:
        """The run that gave an answer its prompt; raises CtxlabError for what is no answer."""
        node = session.node(key)
        known = self._sent.get(key)
        if known is not None:
            return sent_run(node, known[1].trace)
        kept = self._rebuilt
        if kept is None or kept[0] is not session or kept[1] is not setup or kept[2].node != key:
            found = answer_run(setup.source(session), key, setup.agent_source, tools=setup.tools, **setup.build())
            kept = self._rebuilt = (session, setup, found)
        return kept[2]

    def payload_of(self, key: str) -> Payload | None:
        """The request that was sent for an answer from here; None for others."""
        known = self._sent.get(key)
        return known[1].payload if known is not None else None

    def last_request(self, session: Session) -> Payload | None:
        """The last request of the active path that was sent from here, where the path's newest reply answered it."""
        replies = (node for node in reversed(session.path()) if node.role == "assistant" and not node.is_summary)
        newest = next(replies, None)
        known = self._sent.get(newest.id) if newest is not None and was_answered(newest) else None
        return known[1].payload if known is not None else None
