"""Names of conversations by a model, asked for or by themselves; a name is a step of the history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import ctxlab
from ctxlab.chat.aside.settings import read_settings
from ctxlab.chat.topic.naming import TopicName
from ctxlab.chat.topic.settings import TopicSettings
from ctxlab.chat.turn import Turn
from ctxlab.documents import Session
from ctxlab.errors import CtxlabError
from ctxlab_widgets.chat_panel.model_beside import NoModel, options_beside

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

JOB = "name topic"


class TopicNaming:
    """Names the conversation of one chat."""

    def __init__(self, panel: ChatPanel, settings: Any) -> None:
        self._panel = panel
        self.settings, self.notes = read_settings(TopicSettings, settings, "topicNaming")
        self._failed: set[str] = set()

    def name(self) -> None:
        """Begin to ask for a name; raises CtxlabError where there is nobody to ask."""
        panel, settings = self._panel, self.settings
        session = panel.history.session
        options = options_beside(panel.setup, settings.model_identifier)
        panel.jobs.begin(
            JOB,
            lambda _: ctxlab.name_topic(session, settings=settings, **options),
            self._came,
            label="Looking for a name for the topic",
        )

    def after(self, turn: Turn, session: Session) -> None:
        """Ask for a name by itself where one is due after a turn that ended well.

        Where that failed once it isn't tried again without being asked to.
        """
        ended_well = not turn.cancelled and turn.error is None
        if not ended_well or session.id in self._failed or not ctxlab.topic_due(session, self.settings):
            return
        try:
            self.name()
        except NoModel:
            return
        except CtxlabError as problem:
            self._came(problem)

    def _came(self, made: TopicName | CtxlabError) -> None:
        panel = self._panel
        with panel.lock:
            try:
                if isinstance(made, CtxlabError):
                    raise made
                made.applied(panel.history)
            except CtxlabError as problem:
                self._failed.add(panel.history.session.id)
                panel.error = f"the conversation has no new name: {problem}"[:600]
                return
        panel.refresh()
