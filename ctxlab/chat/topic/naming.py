"""A name for a conversation: the question, its attempts, and the session that has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.aside.question import Answer, answer_of, asked_with, question_of
from ctxlab.chat.compression.visible_path import VisiblePath
from ctxlab.chat.model import ChatModel, VendorModel
from ctxlab.chat.topic.context import named_messages, topic_context
from ctxlab.chat.topic.request import structured_mode, title_parameters, topic_prompt
from ctxlab.chat.topic.settings import TopicSettings
from ctxlab.chat.topic.title import title_of
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import History, Note, Session
from ctxlab.errors import Refused
from ctxlab.lazy_dataclass import dataclass
from ctxlab.providers.payload import Payload

LABEL = "name_topic"


@dataclass(frozen=True, eq=False)
class TopicName:
    """A name for a conversation. `session` has it; with an `error` it has the name that it had.

    `requests` are those that were sent, the last one is that of the answer; `notes` say what failed before.
    """

    name: str
    original: Session = field(repr=False)
    requests: tuple[Payload, ...] = field(default=(), repr=False)
    notes: tuple[Note, ...] = field(default=(), repr=False)
    error: str | None = None

    def __repr__(self) -> str:
        if self.error is not None:
            return f"TopicName(stays {short(self.name, 60)!r}: {short(self.error, 120)})"
        return f"TopicName({short(self.name, 60)!r}, {counted(len(self.requests), 'request')})"

    def _repr_html_(self) -> str:
        rows = (("before", self.original.name), ("after", self.name))
        return heading(self) + html_table(("", "name"), rows) + lines([note.text for note in self.notes])

    @property
    def changes_nothing(self) -> bool:
        return self.error is not None or self.name == self.original.name

    @property
    def session(self) -> Session:
        """The conversation under its new name."""
        return self.original if self.changes_nothing else self.original.with_(name=self.name)

    @checked_arguments
    def applied(self, history: History | None = None) -> Session:
        """The session under its new name, recorded as a step of the history, so that it can be undone.

        Messages that came to the history since stay. Raises Refused where there is no name, where the history is of
        another session, and where that has been renamed in the meantime.
        """
        if self.error is not None:
            raise Refused(f"there is no name: {self.error}")
        if history is None:
            return self.session
        now = history.session
        if now.id != self.original.id:
            raise Refused(f"the history is of session {now.id!r}, and the name of session {self.original.id!r}")
        if now.name != self.original.name:
            raise Refused(f"the session was renamed to {short(now.name)!r} in the meantime")
        return history.record(now.with_(name=self.name), LABEL)


def topic_is_due(session: Session, settings: TopicSettings, leaf: str | None = None) -> bool:
    """Whether a conversation gets its name by itself now: it has none of its own, and the user has said enough."""
    name = session.name.strip()
    if not settings.enabled or (name and not name.startswith(tuple(each for each in settings.default_names if each))):
        return False
    said = [node for node in VisiblePath.of(session, leaf).nodes if node.role == "user"]
    return len(said) >= settings.auto_trigger_threshold


def name_of_topic(
    session: Session,
    model: ChatModel,
    settings: TopicSettings,
    *,
    leaf: str | None = None,
    notes: tuple[Note, ...] = (),
) -> TopicName:
    """The name that a model gives. Where one attempt fails or gives none, a plainer one follows."""
    context = topic_context(named_messages(session, settings.context_message_count, leaf))
    if not context:
        return TopicName(session.name, session, (), notes, "no message has words yet")
    prompt = [{"role": "user", "content": topic_prompt(context, settings)}]
    requests: list[Payload] = []
    said = list(notes)
    why = ""
    for parameters in _attempts(model, question_of(model, prompt), settings):
        asked = asked_with(model, parameters)
        answer = answer_of(asked, question_of(asked, prompt))
        requests += [answer.request] if answer.request is not None else []
        name = title_of(answer.text) if answer.error is None else None
        if name is not None:
            return TopicName(name, session, tuple(requests), tuple(said))
        why = _why(answer)
        said.append(Note("info", f"attempt {len(requests)} gave no name: {why}"))
        if answer.may_pass or answer.status in (401, 403):
            break
    return TopicName(session.name, session, tuple(requests), tuple(said), why)


def _attempts(model: ChatModel, plain: Payload, settings: TopicSettings) -> Iterator[Mapping[str, Any]]:
    """Parameters of one attempt after another: held to JSON where the vendor can, then as plain text."""
    if not isinstance(model, VendorModel):
        yield {}
        return
    facts = plain.model
    thinks = facts.known and (facts.thinks_always or facts.thinks_by_default)
    by_effort = thinks and "effort" in facts.thinking and "low" in facts.efforts
    mode = structured_mode(plain.provider.name, facts.name)
    if mode is not None:
        yield title_parameters(settings, structured=mode, thinks=thinks, by_effort=by_effort)
    yield title_parameters(settings, thinks=thinks, by_effort=by_effort)


def _why(answer: Answer) -> str:
    if answer.error is not None:
        return answer.error
    if answer.cut_short:
        return "the answer broke off at its longest length: raise maxTokens"
    if not answer.text.strip():
        return "the answer is empty"
    return f"the answer {short(' '.join(answer.text.split()), 60)!r} is no name"
