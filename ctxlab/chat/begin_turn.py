"""The beginnings of turns: a message that is sent, a reply written again, a reply that goes on, a user's turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final, Protocol

from ctxlab.chat.compression.summariser import Summariser
from ctxlab.chat.events import TurnStarted, Verb
from ctxlab.chat.fold import STRUCTURE, Folding
from ctxlab.chat.model import ChatModel, FunctionModel
from ctxlab.chat.placed_turns import words_above
from ctxlab.chat.prefill import is_chinese, prefill_plan
from ctxlab.chat.snapshots import question_metadata, reply_metadata
from ctxlab.chat.tools import Runner
from ctxlab.chat.turn_loop import Builder, Clock, TurnLoop, TurnPlan
from ctxlab.context import BuildInput, Pending, Variables
from ctxlab.documents import Asset, MessageNode, Session
from ctxlab.documents.frozen_json import frozen
from ctxlab.engines.macros import Expansion
from ctxlab.errors import Refused, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace

AS_USER: Final = (
    "[Write the next message of this conversation in the place of {user}: in their words, from their point of view, "
    "and nothing but the message.]"
)
AS_USER_FROM: Final = "[It begins like this, go on from there without repeating it: {text}]"
AS_USER_CHINESE: Final = "[请代替{user}写出这段对话的下一条消息：用其口吻和视角，只写消息本身。]"
AS_USER_FROM_CHINESE: Final = "[消息的开头如下，请接着写下去，不要重复：{text}]"


class TurnBuilder(Builder, Protocol):
    """Builds the contexts of a turn, and says who takes part."""

    def start(self, session: Session, leaf: str | None) -> Trace:
        """The start of a run for a leaf: no step done yet."""
        ...

    def expand(self, text: str, build_input: BuildInput) -> Expansion:
        """A user's text with its macros expanded as they are when it is sent."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class TurnStarter:
    """Begins turns with one model; each verb gives the loop of a turn of which nothing has happened yet."""

    builder: TurnBuilder
    model: ChatModel
    clock: Clock
    tools: Runner | None = None
    summariser: Summariser | None = None

    def send(
        self, session: Session, text: str | None, *, parent: str | None = None, attachments: Sequence[Asset] = ()
    ) -> TurnLoop:
        """A user's message and its reply; without a text the reply to the message that is there."""
        above = parent if parent is not None else session.active_leaf_id
        if above is not None:
            session.node(above)
        if text is None and not attachments:
            return self._answer(session, above)
        build_input = self.builder.start(session, above).start.input
        expansion = self.builder.expand(text or "", build_input)
        metadata = question_metadata(build_input)
        fields: dict[str, Any] = {"attachments": tuple(attachments)} if attachments else {}
        fields |= {"metadata": metadata} if metadata else {}
        made = session.append_pair(str(expansion), parent=above, **fields)
        question, reply = made.path()[-2:]
        started = self._started("send", build_input, above, reply.id)
        started = replace(started, question_id=question.id, question=_fields(question))
        return self._loop(session, started, variables=expansion.variables)

    def regenerate(self, session: Session, node_id: str) -> TurnLoop:
        """Another reply beside one, or below a user's message."""
        node = session.node(node_id)
        above = node.parent_id if node.role == "assistant" else node_id
        answers_result = node.role == "assistant" and above is not None and session.node(above).role == "tool"
        made = session.append("", role="assistant", parent=above) if answers_result else session.regenerate(node_id)
        reply = made.leaf_node
        assert reply is not None
        build_input = self.builder.start(session, reply.parent_id).start.input
        started = self._started("regenerate", build_input, reply.parent_id, reply.id)
        return self._loop(session, replace(started, of_node=node_id))

    def continue_reply(self, session: Session, node_id: str) -> TurnLoop:
        """A reply beside one that begins with its text and goes on from there."""
        made = session.continue_from(node_id)
        reply = made.leaf_node
        assert reply is not None
        start = self.builder.start(made, reply.id)
        started = self._started("continue", start.start.input, reply.parent_id, reply.id)
        own = _fields(reply)
        metadata = {**own.get("metadata", {}), **started.reply.get("metadata", {})}
        started = replace(started, of_node=node_id, reply=frozen({**own, "metadata": metadata}))
        if not reply.content.strip():
            return self._loop(session, started)
        request = None if isinstance(self.model, FunctionModel) else self.model.request(start)
        plan = prefill_plan(reply.id, reply.content, request)
        return self._loop(session, started, leaf=reply.id, prefill=plan, pending=plan.pending)

    def relay(self, session: Session, *, text: str = "", parent: str | None = None) -> TurnLoop:
        """The user's next message, written by the model; it goes on from `text`, if there is any."""
        above = parent if parent is not None else session.active_leaf_id
        build_input = self.builder.start(session, above).start.input
        made = session.append(text, role="user", parent=above, status="generating")
        reply = made.leaf_node
        assert reply is not None
        marks: dict[str, Any] = {**question_metadata(build_input), "isRelayed": True}
        if text:
            marks |= {"isContinuation": True, "continuationPrefix": text}
        started = self._started("relay", build_input, above, reply.id)
        who = {"role": "user", "content": text, "metadata": {**started.reply.get("metadata", {}), **marks}}
        started = replace(started, reply=frozen(who))
        user = build_input.user.shown_name if build_input.user is not None else ""
        pending = Pending(_asking_as_user(session, above, text, user))
        return self._loop(session, started, leaf=above, pending=pending, prefix=text)

    # --- the parts

    def _answer(self, session: Session, above: str | None) -> TurnLoop:
        node = session.nodes.get(above) if above is not None else None
        if node is None or node.role not in ("user", "tool"):
            raise WrongArgument("text is missing: there is no message of the user that waits for its reply")
        made = session.append("", role="assistant", parent=above)
        assert made.leaf_node is not None
        build_input = self.builder.start(session, above).start.input
        return self._loop(session, self._started("send", build_input, above, made.leaf_node.id))

    def _started(self, verb: Verb, build_input: BuildInput, parent: str | None, reply_id: str) -> TurnStarted:
        metadata = reply_metadata(build_input)
        reply = {"metadata": metadata} if metadata else {}
        return TurnStarted(verb, parent, reply_id, reply=frozen(reply), timestamp=self.clock.now())

    def _loop(
        self,
        session: Session,
        started: TurnStarted,
        *,
        leaf: str | None = None,
        prefill: Any = None,
        pending: Pending | None = None,
        variables: Variables | None = None,
        prefix: str = "",
    ) -> TurnLoop:
        words = words_above(session, started.parent)
        plan = TurnPlan(
            replace(started, session_id=session.id, parent_words=words),
            self.builder,
            self.model,
            self.clock,
            leaf=leaf,
            pending=pending,
            variables=variables,
            prefill=prefill,
            prefix=prefill.prefix if prefill is not None else prefix,
            tools=self.tools if started.verb != "relay" else None,
            compresses=started.verb != "relay",
            summariser=self.summariser,
        )
        return TurnLoop(plan, Folding(session))


def _fields(node: MessageNode) -> Any:
    """The fields of a node in the file's names, without its place in the tree."""
    return frozen({name: value for name, value in node.to_data().items() if name not in (*STRUCTURE, "status")})


def _asking_as_user(session: Session, leaf: str | None, text: str, user: str) -> str:
    """The words that ask a model to write the user's message, in Chinese where the conversation is."""
    if leaf is None:
        raise Refused(f"session {session.id!r} has no message yet from which the user's turn could be written")
    newest = "\n".join(node.content for node in session.path(leaf)[-4:]) + text
    chinese = is_chinese(newest)
    asking, going_on = (AS_USER_CHINESE, AS_USER_FROM_CHINESE) if chinese else (AS_USER, AS_USER_FROM)
    words = asking.replace("{user}", user or ("用户" if chinese else "the user"))
    return f"{words}\n{going_on.replace('{text}', text)}" if text else words
