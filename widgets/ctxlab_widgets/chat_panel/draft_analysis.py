"""The preview of what is typed, made in a thread once typing stops; the newest text wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ctxlab.api.draft import draft_run, goes_where, preview_between, previous_request
from ctxlab.chat.tools import tools_of
from ctxlab.display.short_texts import short
from ctxlab.documents import Asset, Session
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.providers.payload import Payload
from ctxlab.studies.draft_preview import Preview, preview_of
from ctxlab_widgets.chat_panel.latest_worker import LatestWorker
from ctxlab_widgets.chat_panel.setup import ChatSetup

WAIT_SECONDS = 0.2
"""Seconds without another key after which a draft is looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class DraftJob:
    """A typed text with its files, and all that its request depends on."""

    text: str
    files: tuple[Asset, ...]
    session: Session
    setup: ChatSetup
    previous: Payload | None = None


class DraftAnalysis:
    """Looks at drafts; `deliver` gets each with its preview, or the sentence on why there is none."""

    def __init__(
        self, deliver: Callable[[DraftJob, Preview | str], object], *, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        self._worker: LatestWorker[DraftJob, Preview | str] = LatestWorker(
            self._analysed, deliver, wait_seconds=wait_seconds
        )
        self._without: tuple[Session, ChatSetup, Trace] | None = None
        self._before: tuple[Trace, Payload | None, Payload | None] | None = None

    def ask(self, job: DraftJob) -> None:
        self._worker.ask(job)

    def rest(self, timeout: float | None = None) -> bool:
        return self._worker.rest(timeout)

    def close(self) -> None:
        self._worker.close()

    def _analysed(self, job: DraftJob) -> Preview | str:
        try:
            return self._preview(job)
        except CtxlabError as problem:
            return str(problem)
        except Exception as error:  # a step or a plugin that breaks: the chat goes on, and says so
            return f"{type(error).__name__}: {short(' '.join(str(error).split()), 300)}"

    def _preview(self, job: DraftJob) -> Preview:
        options: Any = job.setup.build()
        source = job.setup.source(job.session)
        agent, tools = job.setup.agent_source, tools_of(job.setup.tools)
        kept = self._without
        if kept is not None and kept[0] is job.session and kept[1] is job.setup:
            without = kept[2]
        else:
            without = draft_run(source, "", agent, (), options, tools)
            self._without = job.session, job.setup, without
        is_empty = not job.text.strip() and not job.files
        trace = without if is_empty else draft_run(source, job.text, agent, job.files, options, tools)
        previous = self._request_before(without, job)
        if previous is None:
            return preview_of(job.text, trace, without)
        return preview_between(job.text, trace, without, previous=previous)

    def _request_before(self, without: Trace, job: DraftJob) -> Payload | None:
        """The request before, found once for all drafts on one conversation.

        None where no vendor is asked, or where it went to another than the next one goes to.
        """
        setup, sent = job.setup, job.previous
        if setup.asks_nobody:
            return None
        kept = self._before
        if kept is None or kept[0] is not without or kept[1] is not sent:
            if sent is None:
                found = previous_request(without, setup.provider)
            else:
                found = sent if goes_where(without, setup.provider, sent) else None
            kept = self._before = without, sent, found
        return kept[2]
