"""Turns of a conversation: send, stream, regenerate, continue, relay. The very context that `build` shows is sent."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeAlias, Unpack, cast

from ctxlab.api.options import BuildOptions, TurnOptions, listed
from ctxlab.api.resolve import expanded, resolve, start_of
from ctxlab.api.sources import NodeSource, SessionSource, node_id_of, session_or_library
from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.assets.attachment import attachment
from ctxlab.chat.begin_turn import TurnStarter
from ctxlab.chat.event_log import EventLog
from ctxlab.chat.model import ChatModel, FunctionModel, VendorModel, check_function
from ctxlab.chat.system_clock import StoppedClock, SystemClock
from ctxlab.chat.tools import Runner, ToolCallConfig, agent_with_tools, tools_of
from ctxlab.chat.turn import Turn
from ctxlab.chat.turn_loop import TurnLoop
from ctxlab.chat.turn_stream import TurnStream
from ctxlab.context import BuildInput, Context, Pending, Variables
from ctxlab.documents import Asset, History, InlineFile, Library, ModelProfile, Session
from ctxlab.engines.macros import Expansion
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Processor, Trace

ConversationSource: TypeAlias = SessionSource | History
"""A session as `build` takes it, or a history, which then records the turn."""
AttachmentSources: TypeAlias = Annotated[Sequence[Any], "attachments: files, bytes or what ctxlab.attachment gives"]
Begin: TypeAlias = Callable[[TurnStarter, Session], TurnLoop]


@listed(TurnOptions)
def send(
    session: ConversationSource,
    text: str | None = None,
    *,
    attachments: AttachmentSources = (),
    parent: NodeSource | None = None,
    **options: Unpack[TurnOptions],
) -> Turn:
    """The turn in which a text is sent and answered; without a text the newest message of the user is answered.

    `model` is a name, a profile, or a function that gets the messages and gives a text, an iterator of texts or a
    reply: then there is neither key nor network. `provider`, `parameters` and `base_url` are those of `payload`; `key`
    is by default of the environment or the keyring. `parent` is the message under which it goes, by default the active
    leaf. Macros in the text are expanded. `tools` are called until the model wants no more. `on_event` gets each event,
    `log` is a file to which they are added, from which `recover` makes a session. With a `timestamp` it is the time of
    all messages, and no durations are measured. Other options are those of `build`.

    A model or a network that fails is an `error` of the turn, which has the user's message; an interrupt cancels the
    turn, which has what came so far. Wrong arguments and a missing key raise before anything is added.
    """
    return _outcome(stream(session, text, attachments=attachments, parent=parent, **options))


@listed(TurnOptions)
def stream(
    session: ConversationSource,
    text: str | None = None,
    *,
    attachments: AttachmentSources = (),
    parent: NodeSource | None = None,
    **options: Unpack[TurnOptions],
) -> TurnStream:
    """The turn of `send` as a stream of events: `for event in stream`, or `async for`; `stream.turn` is the outcome.

    Nothing is sent before the first event is taken. `stream.cancel()` ends it at any moment, from any thread.
    """
    files, above = _files(attachments), _id(parent)
    return _stream(session, options, lambda turns, of: turns.send(of, text, parent=above, attachments=files))


@listed(TurnOptions)
def regenerate(session: ConversationSource, node_id: NodeSource, **options: Unpack[TurnOptions]) -> Turn:
    """The turn that writes another reply beside one, or a reply below a message of the user.

    Another `model` is for this one time: agent and session stay as they are, and parameters that it doesn't take are
    not sent. See `send` for the options.
    """
    return _outcome(_stream(session, options, lambda turns, of: turns.regenerate(of, node_id_of(node_id))))


@listed(TurnOptions)
def continue_reply(session: ConversationSource, node_id: NodeSource, **options: Unpack[TurnOptions]) -> Turn:
    """The turn that goes on from a reply, in a copy of it beside it; of a user's message it is a reply below.

    How the model is brought to go on depends on it: by a marked prefix, by ending the request with the reply, or by
    asking. See `send` for the options.
    """
    return _outcome(_stream(session, options, lambda turns, of: turns.continue_reply(of, node_id_of(node_id))))


@listed(TurnOptions)
def relay(
    session: ConversationSource, text: str = "", *, parent: NodeSource | None = None, **options: Unpack[TurnOptions]
) -> Turn:
    """The turn in which the model writes the user's next message, going on from `text` if there is any.

    The message is the leaf then, and is answered by `send(turn.session)`. See `send` for the options; no tools are
    called.
    """
    above = _id(parent)
    return _outcome(_stream(session, options, lambda turns, of: turns.relay(of, text=text, parent=above)))


class SessionBuilds:
    """Builds contexts of one conversation, with the options of a turn."""

    def __init__(self, source: SessionSource, options: TurnOptions) -> None:
        given: dict[str, Any] = {name: value for name, value in options.items() if name not in OF_THE_TURN}
        self._agent: Any = options.get("agent")
        model = options.get("model")
        found = session_or_library(source)
        self._library = found if isinstance(found, Library) else None
        self._options = given | ({"model": model} if isinstance(model, str | ModelProfile) else {})
        self.session = resolve(source, self._agent, cast("Any", self._options)).input.session
        self._options.pop("pick", None)
        self._tools = tools_of(options.get("tools", ()))

    def start(self, session: Session, leaf: str | None, **options: Any) -> Trace:
        """The start of a run for a leaf: no step done yet."""
        source = session if self._library is None else replace(self._library, sessions=(session,))
        given: dict[str, Any] = {**self._options, **options, "leaf": leaf}
        start = start_of(source, self._agent, **given)
        agent = start.start.input.agent
        if not self._tools:
            return start
        notes = start.start.notes[: len(start.start.notes) - len(start.pipeline.warnings())]
        having = replace(start.start.input, agent=agent_with_tools(agent, self._tools))
        return start.pipeline.start(Context(having, notes=notes), start.services)

    def runner(self, approve: Any) -> Runner | None:
        """A runner for the calls of the tools that are given, as the agent wants; None where none are."""
        if not self._tools:
            if approve is not None:
                raise WrongArgument("approve is about calls of tools, and there are none: give tools=")
            return None
        agent = self.start(self.session, self.session.active_leaf_id).start.input.agent
        return Runner(self._tools, ToolCallConfig.of(agent.tool_call_config if agent is not None else None), approve)

    def expand(self, text: str, build_input: BuildInput) -> Expansion:
        return expanded(text, build_input)

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
        given = {"pending": pending, "variables": variables}
        options: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
        if tasks:
            options["tasks"] = {**(self._options.get("tasks") or {}), **tasks}
        start = self.start(session, leaf, **options)
        pipeline = start.pipeline
        for step in steps:
            pipeline = pipeline.with_processor(step)
        return replace(start, pipeline=pipeline).finished()

    def kept_file(self, attachment: Mapping[str, Any]) -> Mapping[str, Any]:
        """A file of a reply in the folder of files, where `assets` names one; else as it is, inside the message."""
        given = self._options.get("assets")
        source = Asset.model_validate(attachment).source
        if given is None or not isinstance(source, InlineFile):
            return attachment
        store = given if isinstance(given, AssetFolder) else AssetFolder(given) if _is_path(given) else None
        if store is None:
            return attachment
        made = store.add(
            base64.b64decode(source.base64), name=str(attachment.get("name") or ""), mime_type=source.mime_type
        )
        return made.to_data()

    def waits(self, session: Session, leaf: str | None) -> bool:
        return any(node.attachments for node in session.path(leaf)) if leaf is not None else False

    def prepare(self, session: Session, leaf: str | None) -> None:
        """Wait for the texts of files that the build will ask for."""
        from ctxlab.api.transcripts_of_build import ensure_transcripts

        source = session if self._library is None else replace(self._library, sessions=(session,))
        options: dict[str, Any] = {**self._options, "leaf": leaf}
        ensure_transcripts(source, self._agent, progress=False, **options)


OF_THE_TURN = frozenset(TurnOptions.__annotations__) - frozenset(BuildOptions.__annotations__) | {"model"}
"""Options that no build takes, and the model, which may be a function."""


def _stream(source: ConversationSource, options: TurnOptions, begin: Begin) -> TurnStream:
    """The turn that `begin` begins; wrong arguments raise here."""
    builds = SessionBuilds(source.session if isinstance(source, History) else source, options)
    timestamp = options.get("timestamp")
    clock = SystemClock() if timestamp is None else StoppedClock(timestamp)
    turns = TurnStarter(builds, _model(options, builds), clock, builds.runner(options.get("approve")))
    loop = begin(turns, builds.session)
    log = options.get("log")
    return TurnStream(
        loop,
        next_turn=lambda session, text: turns.send(session, text),
        on_event=options.get("on_event"),
        log=EventLog(log) if log is not None else None,
        on_end=_recording(source, loop.plan.started.verb) if isinstance(source, History) else None,
    )


def _model(options: TurnOptions, builds: SessionBuilds) -> ChatModel:
    """The model of a turn; a vendor's has its key, found before anything is added to the conversation."""
    model, parameters = options.get("model"), options.get("parameters")
    if model is None or isinstance(model, str | ModelProfile):
        provider, key, base_url = options.get("provider"), options.get("key"), options.get("base_url")
        return _with_key(VendorModel(provider, model, base_url, parameters or {}, key), builds)
    check_function(model)
    unused = next((name for name in OF_VENDORS if options.get(name) is not None), None)
    if unused is not None:
        raise WrongArgument(f"{unused} is for a vendor's model; model is a function, which gets the messages alone")
    return FunctionModel(model)


OF_VENDORS = ("provider", "key", "base_url", "parameters")


def _with_key(model: VendorModel, builds: SessionBuilds) -> VendorModel:
    from ctxlab.providers.sending.clients import check_client
    from ctxlab.providers.sending.keys import key_for

    request = model.request(builds.start(builds.session, builds.session.active_leaf_id))
    check_client(request, model.client)
    return replace(model, key=key_for(request.provider, model.key))


def _recording(history: History, verb: str) -> Callable[[Turn], None]:
    """Puts a turn into a history as one step, at which undo stops."""

    def record(turn: Turn) -> None:
        history.record(turn.session, verb, target=turn.reply.id if turn.reply is not None else None)
        history.breakpoint(verb)

    return record


def _files(attachments: Sequence[Any]) -> tuple[Asset, ...]:
    """The files of a message: as they are, or read."""
    return tuple(_file(each, number) for number, each in enumerate(attachments))


def _file(given: Any, number: int) -> Asset:
    if isinstance(given, Asset):
        return given
    if isinstance(given, Mapping):
        return Asset.model_validate(given)
    if isinstance(given, str | bytes | os.PathLike):
        return attachment(cast("Any", given))
    raise WrongArgument(f"attachments[{number}] is no file: a path, bytes, or what ctxlab.attachment(path) gives")


def _is_path(given: object) -> bool:
    return isinstance(given, str | os.PathLike)


def _id(node: NodeSource | None) -> str | None:
    return None if node is None else node_id_of(node)


def _outcome(running: TurnStream) -> Turn:
    with running:
        try:
            return running.turn
        except KeyboardInterrupt:  # the turn is cancelled, and has what came
            return running.turn
