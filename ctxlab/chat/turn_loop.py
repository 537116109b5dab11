"""The steps of a turn as a generator of its events: build, post, read, call tools, and again."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Protocol

from ctxlab.chat.compression import compression_if_needed, compression_settings
from ctxlab.chat.compression.summariser import Summariser
from ctxlab.chat.compression.trigger import Moment
from ctxlab.chat.continuation import ContinuedText
from ctxlab.chat.endings import ending_notes
from ctxlab.chat.events import (
    AttemptFailed,
    CallAdded,
    Compressed,
    Data,
    FileUploaded,
    NotesAdded,
    ReplyFinished,
    RequestSent,
    TextAdded,
    ThoughtAdded,
    TurnCancelled,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from ctxlab.chat.fold import CUT_SHORT, FUNCTION, Folding, open_calls
from ctxlab.chat.model import ChatModel, FunctionModel
from ctxlab.chat.prefill import PrefillPlan
from ctxlab.chat.reading_thread import AttemptBegun, AttemptEnded, Item, ReadingThread, interruptible
from ctxlab.chat.snapshots import counted_tokens, sent_parameters
from ctxlab.chat.tools import Runner, calls_of_reply, requested
from ctxlab.chat.turn import TurnRequest
from ctxlab.chat.turn_summariser import turn_summariser
from ctxlab.chat.uploads import files_to_upload, uploaded_files, uploaded_step
from ctxlab.context import Pending, Variables
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import MessageNode, Note, Session
from ctxlab.documents.agent.tool_call_config import ToolCallConfig
from ctxlab.errors import CtxlabError, SendFailed
from ctxlab.formats.requests.replies import ReplyMessage
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Processor, Trace
from ctxlab.providers.payload import Payload
from ctxlab.providers.sending.deltas import CallDelta, TextDelta, ThoughtDelta


class Clock(Protocol):
    """The times of a turn."""

    def now(self) -> str | None:
        """The time as ISO 8601; None where no message is to have one."""
        ...

    def seconds(self) -> float | None:
        """Seconds from any moment on; None where nothing is to be measured."""
        ...

    def wait(self, seconds: float, cancelled: threading.Event) -> None:
        """Let so many seconds go by, or less where the turn is cancelled meanwhile."""
        ...


class Builder(Protocol):
    """Builds the contexts of a turn."""

    def build(
        self,
        session: Session,
        leaf: str | None,
        *,
        pending: Pending | None = None,
        steps: Sequence[Processor] = (),
        variables: Variables | None = None,
        tasks: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Trace:
        """The context of a leaf."""
        ...

    def kept_file(self, attachment: Data) -> Data:
        """A file of a reply as the conversation keeps it: inside the message, or in the store of files."""
        ...

    def usage_notes(self, traces: Sequence[Trace], usage: Data) -> Sequence[Note]:
        """Notes on a vendor's count of the last request of a turn, where it isn't the expected one."""
        ...

    def waits(self, session: Session, leaf: str | None) -> bool:
        """Whether there is something for which `prepare` may have to wait."""
        ...

    def prepare(self, session: Session, leaf: str | None) -> None:
        """Wait for what a build needs, such as the texts of files."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TurnPlan:
    """All that a turn needs to know before it begins.

    `leaf` is the message at which the first build's path ends; by default the parent of the reply. `prefill` says how
    the reply goes on from `prefix`, the text that it begins with, `pending` what is said to the model and not kept.
    """

    started: TurnStarted
    builder: Builder
    model: ChatModel
    clock: Clock
    leaf: str | None = None
    pending: Pending | None = None
    variables: Variables | None = None
    prefill: PrefillPlan | None = None
    prefix: str = ""
    tools: Runner | None = None
    compresses: bool = True
    summariser: Summariser | None = None


class Cancelled(Exception):
    """The turn was cancelled."""


@dataclass(slots=True, eq=False)
class TurnLoop:
    """A turn that runs: `events()` gives its events one after the other, each folded in before it is given."""

    plan: TurnPlan
    folding: Folding
    cancelled: threading.Event = field(default_factory=threading.Event)
    requests: list[TurnRequest] = field(default_factory=list[TurnRequest])
    exception: BaseException | None = None
    is_running: bool = False
    _reading: ReadingThread | None = None
    _begun: float | None = None
    _ended: float | None = None
    _noted: set[str] = field(default_factory=set[str])

    def cancel(self) -> None:
        """End the turn soon, from any thread."""
        self.cancelled.set()
        if (reading := self._reading) is not None:
            reading.close()

    def events(self) -> Generator[TurnEvent]:
        for event in self._all():
            self.folding.add(event)
            self.is_running = not isinstance(event, TurnCancelled | TurnFailed | TurnFinished)
            yield event

    def _all(self) -> Iterator[TurnEvent]:
        yield self.plan.started
        try:
            yield from self._rounds()
        except Cancelled:
            yield self.cancel_event()
        except SendFailed as failure:
            self.exception = failure
            if self._reading is not None:
                yield from self._noted_once([Note("warning", text) for text in self._reading.notes])
            yield self._failed(str(failure), failure.status)
        except CtxlabError as error:
            self.exception = error
            yield self._failed(" ".join(str(error).split()))
        except Exception as error:  # the user's message stays, whatever breaks
            self.exception = error
            yield self._failed(_sentence(error))
        else:
            yield TurnFinished(self.plan.clock.now())
        finally:
            if self._reading is not None:
                self._reading.close()

    def cancel_event(self) -> TurnCancelled:
        return TurnCancelled(self.plan.clock.now())

    def interrupt_event(self, error: BaseException) -> TurnCancelled | TurnFailed:
        """The end of a turn that something from outside its steps broke off."""
        if isinstance(error, KeyboardInterrupt):
            return self.cancel_event()
        self.exception = error
        return self._failed(_sentence(error))

    def _failed(self, text: str, status: int | None = None) -> TurnFailed:
        return TurnFailed(text, status, self.plan.clock.now())

    # --- requests and replies

    def _rounds(self) -> Iterator[TurnEvent]:
        tools = self.plan.tools
        most = tools.config.max_iterations + 1 if tools is not None else 1
        for number in range(1, most + 1):
            if number > 1 and tools is not None:
                self._keep_interval(tools.config)
            reason = yield from self._round(number)
            if tools is None or not open_calls(self.folding.session):
                yield from self._compressed("after request", self.requests[-1].trace)
                return
            if number == most:
                raise CtxlabError(
                    f"the model still calls tools after {counted(most - 1, 'round')} of them; maxIterations of the "
                    "agent's toolCallConfig allows more"
                )
            yield from self._call_tools(tools, last_is_cut=reason in CUT_SHORT)

    def _round(self, number: int) -> Generator[TurnEvent, None, str]:
        """One request and its reply; gives the reason for which the reply ended."""
        trace = self._built(number)
        if number == 1:
            agent = trace.start.input.agent
            problems = ToolCallConfig.of(agent.tool_call_config).problems if agent is not None else ()
            yield from self._noted_once(problems)
            session = self.folding.session
            yield from self._compressed("before request", trace)
            trace = self._built(number) if self.folding.session is not session else trace
        self._stop_if_cancelled()
        trace, request = yield from self._with_uploads(trace, number)
        self.requests.append(TurnRequest(trace, request))
        refused = self.plan.model.refused(request)
        if refused is not None:
            raise CtxlabError(refused)
        joined = self._joined() if number == 1 and self.plan.prefix else None
        reading = self._reading = ReadingThread(
            lambda begun, ended: self.plan.model.open(request, lambda number: begun(self._attempt(number)), ended)
        )
        self._stop_if_cancelled()
        for item in reading:
            yield from self._of_item(item, request, number, joined)
            self._stop_if_cancelled()
        self._stop_if_cancelled()
        held = joined.end() if joined is not None else ""
        if held:
            yield TextAdded(held, self._seconds())
        self._ended = self.plan.clock.seconds()
        reply = self.plan.model.read(reading.reply(), request)
        finished = self._finished(reply, trace, joined)
        endings = ending_notes(reply, request, by_vendor=not isinstance(self.plan.model, FunctionModel))
        yield replace(finished, notes=(*reading.notes, *endings))
        built = [each.trace for each in self.requests]
        yield from self._noted_once(self.plan.builder.usage_notes(built, reply.usage or {}))
        return finished.finish_reason

    def _with_uploads(self, trace: Trace, number: int) -> Generator[TurnEvent, None, tuple[Trace, Payload]]:
        """The request of a run that names files which its vendor has, after uploads of those that it is to have."""
        model = self.plan.model
        after = self.requests[-1].payload if self.requests else None
        request = model.request(trace, after=after)
        if model.uploads is False:
            return trace, request
        address, now = model.address(request), self.plan.clock.now()
        if (step := uploaded_files(request, address, now)) is not None:
            trace = self._built(number, step)
            request = model.request(trace, after=after)
        files = files_to_upload(request, self.folding.session, model.uploads)
        for file in files:
            given: list[FileUploaded] = []
            interruptible(lambda file=file, given=given: given.append(model.upload(file, request)), self.cancelled)
            self._stop_if_cancelled()
            yield from given
        if files:
            trace = self._built(number, uploaded_step(request, address, now))
            request = model.request(trace, after=after)
        return trace, request

    def _keep_interval(self, config: ToolCallConfig) -> None:
        """Wait until the next request may go out, so long after the last one began, or after its reply ended."""
        since = self._ended if config.rate_limit_enabled else self._begun
        now = self.plan.clock.seconds()
        gone = now - since if now is not None and since is not None else 0.0
        if gone < config.rate_limit_interval_seconds:
            self.plan.clock.wait(config.rate_limit_interval_seconds - gone, self.cancelled)
        self._stop_if_cancelled()

    def _joined(self) -> ContinuedText:
        prefill = self.plan.prefill
        if prefill is None:
            return ContinuedText(self.plan.prefix)
        return ContinuedText(self.plan.prefix, prefill.sent, goes_on=prefill.way != "instruct")

    def _built(self, number: int, *more: Processor) -> Trace:
        plan = self.plan
        session = self.folding.session
        first = number == 1
        reply = session.nodes[plan.started.reply_id]
        leaf = (plan.leaf or reply.parent_id) if first else session.active_leaf_id
        if plan.builder.waits(session, leaf):
            interruptible(lambda: plan.builder.prepare(session, leaf), self.cancelled)
        self._stop_if_cancelled()
        return self._build(session, leaf, *more, is_first=first)

    def _build(self, session: Session, leaf: str | None, *more: Processor, is_first: bool) -> Trace:
        plan = self.plan
        steps = (*(plan.prefill.steps if plan.prefill is not None and is_first else ()), *more)
        pending = plan.pending if is_first else None
        tasks = plan.tools.states() if plan.tools is not None else None
        return plan.builder.build(session, leaf, pending=pending, steps=steps, variables=plan.variables, tasks=tasks)

    def _compressed(self, moment: Moment, trace: Trace) -> Iterator[Compressed | NotesAdded]:
        """Old messages replaced by a summary, where the agent or the session wants that now."""
        session = self.folding.session
        if not self.plan.compresses:
            return
        settings, notes = compression_settings(trace.start.input.agent, session)
        if not settings.enabled:
            yield from self._noted_once(notes)
            return
        before_request = moment == "before request"
        if not before_request:
            trace = self.plan.builder.build(session, session.active_leaf_id)

        def rebuild(changed: Session, leaf: str | None) -> Trace:
            if before_request:
                return self._build(changed, leaf, is_first=True)
            return self.plan.builder.build(changed, leaf)

        model = self.plan.model
        request = self.requests[-1].payload if self.requests else model.request(trace)
        chosen = turn_summariser(settings, self.plan.summariser, model, request)
        made = compression_if_needed(
            trace,
            rebuild,
            settings=settings,
            moment=moment,
            summariser=chosen.summariser,
            timestamp=self.plan.clock.now(),
            clock=self.plan.clock.seconds,
        )
        if made is None:
            yield from self._noted_once(notes)
            return
        if made.error is not None:
            notes = (*notes, Note("warning", f"nothing was compressed {moment}: {made.error}"))
        notes = (*notes, *(chosen.notes if made.summariser else ()), *made.notes)
        if made.changes_nothing:
            yield from self._noted_once(notes)
            return
        before, after = made.uncut_before_tokens, made.uncut_after_tokens
        *copies, last = made.nodes
        yield from (Compressed(node, before, after) for node in copies)
        yield Compressed(last, before, after, self._new_notes(notes))

    def _noted_once(self, notes: Sequence[Note]) -> Iterator[NotesAdded]:
        """The event of the notes that the turn doesn't have yet, if there are any."""
        if new := self._new_notes(notes):
            yield NotesAdded(new)

    def _new_notes(self, notes: Sequence[Note]) -> tuple[Data, ...]:
        new = {note.text: note for note in notes if note.text not in self._noted}
        self._noted |= set(new)
        return tuple(_frozen({"level": note.level, "text": note.text}) for note in new.values())

    def _of_item(self, item: Item, request: Payload, number: int, joined: ContinuedText | None) -> Iterator[TurnEvent]:
        seconds = self._seconds()
        match item:
            case AttemptBegun():
                yield self._sent(request, number, item.number)
            case AttemptEnded():
                yield AttemptFailed(str(item.failure), item.failure.status, item.retry_in_seconds)
            case TextDelta():
                text = item.text if joined is None else joined.add(item.text)
                if text:
                    yield TextAdded(text, seconds)
            case ThoughtDelta():
                yield ThoughtAdded(item.text, seconds)
            case CallDelta():
                yield CallAdded(item.index, item.id, item.name, item.arguments, seconds)

    def _attempt(self, number: int) -> int:
        """The number of an attempt, which begins now, in the thread that makes it."""
        self._begun = self.plan.clock.seconds()
        return number

    def _sent(self, request: Payload, number: int, attempt: int) -> RequestSent:
        model, now = request.model.name, self.plan.clock.now()
        if isinstance(self.plan.model, FunctionModel):
            return RequestSent(number, attempt, model, FUNCTION, timestamp=now)
        size, parameters = request.size or 0, sent_parameters(request)
        return RequestSent(number, attempt, model, request.provider.name, request.url, size, now, parameters)

    def _seconds(self) -> float | None:
        now = self.plan.clock.seconds()
        return None if now is None or self._begun is None else round(now - self._begun, 6)

    def _finished(self, reply: ReplyMessage, trace: Trace, joined: ContinuedText | None) -> ReplyFinished:
        nodes = [dict(node) for node in reply.nodes]
        if joined is not None:
            said = [node for node in nodes if node.get("content")]
            for node in said[1:]:  # what the pieces of all of them joined to is the first one's
                node["content"] = ""
            (said or nodes)[0]["content"] = joined.whole
        self._put_calls_of_text(nodes, after=len(joined.prefix) if joined is not None else 0)
        for node in nodes:
            if files := node.get("attachments"):
                node["attachments"] = [self.plan.builder.kept_file(file) for file in files]
            metadata = dict(node.get("metadata") or {})
            if node.get("content"):
                metadata |= counted_tokens(trace, str(node["content"]))
            node["metadata"] = metadata
        seconds, now = self._seconds(), self.plan.clock.now()
        return ReplyFinished(tuple(map(_frozen, nodes)), reply.finish_reason, seconds, now)

    def _put_calls_of_text(self, nodes: Sequence[dict[str, Any]], *, after: int) -> None:
        """Put the calls that stand in the text of a reply where calls are, if its agent has them written so.

        Those that end within the first `after` characters were made by the reply that goes on.
        """
        tools = self.plan.tools
        if tools is None or not tools.config.in_text:
            return
        whole = MessageNode.model_validate({**nodes[-1], "id": f"{self.plan.started.reply_id}-{len(self.requests)}"})
        if not whole.tool_calls and (calls := calls_of_reply(whole, tools.config, after=after)):
            nodes[-1]["metadata"] = {**(nodes[-1].get("metadata") or {}), "toolCallsRequested": requested(calls)}

    # --- tools

    def _call_tools(self, tools: Runner, *, last_is_cut: bool) -> Iterator[TurnEvent]:
        calls = open_calls(self.folding.session)
        # A call in the text that can be read has its end; one of the vendor's form may lack any part of its arguments.
        yield from tools.run(
            calls, is_cancelled=self.cancelled.is_set, last_is_cut=last_is_cut and not tools.config.in_text
        )
        self._stop_if_cancelled()

    def _stop_if_cancelled(self) -> None:
        if self.cancelled.is_set():
            raise Cancelled


def _sentence(error: BaseException) -> str:
    said = short(" ".join(str(error).split()), 300)
    return f"{type(error).__name__}{f': {said}' if said else ''}"


def _frozen(node: dict[str, Any]) -> Data:
    from ctxlab.documents.frozen_json import frozen

    return frozen(node)
