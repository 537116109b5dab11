"""The run behind one answer, and from what it was rebuilt, in a sentence that is true of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session
from ctxlab.documents.moments import moment_of
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace

NAME = 60


@dataclass(frozen=True, slots=True, eq=False)
class AnswerRun:
    """The run that gave an answer its prompt: `trace`, for the reply `node`.

    `sentence` says whether it is the very run that was sent or one that was rebuilt, and from what; `notes` what may
    differ from the one that was sent, one sentence each.
    """

    node: str
    trace: Trace
    sentence: str
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"AnswerRun({self.node!r}, {self.trace!r})"

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import heading, lines

        return heading(self) + lines([self.sentence, *self.notes])


def sent_run(reply: MessageNode, trace: Trace) -> AnswerRun:
    """The very run whose request was sent for an answer."""
    return AnswerRun(reply.id, trace, "This is the very run whose request was sent.")


def rebuilt_run(
    session: Session, reply: MessageNode, trace: Trace, *, switched_off: Sequence[str] = (), user_named: bool = False
) -> AnswerRun:
    """A run that was built again for an answer; `switched_off` are younger summaries that it was built without.

    `user_named` says whether the message that is answered names its user profile.
    """
    kept, taken = _participants(reply, trace, user_named=user_named)
    words = [
        f"with {_joined(kept)}, which the messages name" if kept else "",
        f"with {_joined(taken)}" if taken else "",
    ]
    named = ", and ".join(word for word in words if word) or "without an agent and a model"
    sentence = (
        f"Rebuilt from the messages above it {named}; what these say, the lore, the settings and the "
        "budget are those of now."
    )
    return AnswerRun(reply.id, trace, sentence, tuple(_notes(session, reply, trace, switched_off)))


def _participants(reply: MessageNode, trace: Trace, *, user_named: bool) -> tuple[list[str], list[str]]:
    """Those that the messages name, and those that were taken because they name none or another."""
    start = trace.start.input
    kept: list[str] = []
    taken: list[str] = []
    if start.agent is not None:
        own = start.agent.id == reply.agent_id
        (kept if own else taken).append(f"the agent {_shown(start.agent.shown_name or start.agent.id)}")
    if start.model is not None:
        model = reply.meta("modelId")
        own = isinstance(model, str) and model in (start.model.id, start.model.name)
        (kept if own else taken).append(f"the model {_shown(start.model.id or start.model.name or '')}")
    if start.user is not None:
        (kept if user_named else taken).append(f"the user {_shown(start.user.shown_name or start.user.id)}")
    return kept, taken


def _notes(session: Session, reply: MessageNode, trace: Trace, switched_off: Sequence[str]) -> list[str]:
    found: list[str] = []
    agent = trace.start.input.agent
    if reply.agent_id and (agent is None or agent.id != reply.agent_id):
        found.append(f"The agent {_shown(reply.agent_id)} that the answer names is not at hand.")
    name = reply.meta("agentName")
    if agent is not None and agent.id == reply.agent_id and isinstance(name, str) and name != agent.name:
        found.append(f"The agent was called {_shown(name)} then: it was changed since.")
    if not isinstance(reply.meta("modelId"), str):
        own = reply.meta("modelName")
        words = f" but the function {_shown(own)}" if isinstance(own, str) and own else ""
        found.append(f"The answer names no model{words}.")
    edited = [node.id for node in session.path(reply.parent_id) if _is_later(node.updated_at, reply.timestamp)]
    if edited:
        found.append(f"{counted(len(edited), 'message')} above it {_were(edited)} edited after it was written.")
    if switched_off:
        found.append(
            f"{counted(len(switched_off), 'summary', 'summaries')} made after it {_were(switched_off)} left out."
        )
    if reply.meta("isContinuation"):
        found.append("It went on from a text that was sent with the request and isn't in this run.")
    usage: Any = reply.meta("usage")
    sent = usage.get("promptTokens") if isinstance(usage, dict) else None
    if isinstance(sent, int) and sent != trace.tokens:
        found.append(f"The vendor counted {sent:,} tokens of prompt then, this run counts {trace.tokens:,}.")
    return found


def later_summaries(session: Session, reply: MessageNode) -> tuple[str, ...]:
    """Ids of the summaries above a reply that are younger than it, which it can't have had."""
    above = session.path(reply.parent_id) if reply.parent_id is not None else ()
    return tuple(
        node.id for node in above if node.is_summary and node.enabled and _is_later(node.timestamp, reply.timestamp)
    )


def _is_later(one: str | None, other: str | None) -> bool:
    first, second = moment_of(one), moment_of(other)
    return first is not None and second is not None and first > second


def _shown(name: str) -> str:
    return plain(name, NAME)


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _were(things: Sequence[str]) -> str:
    return "was" if len(things) == 1 else "were"
