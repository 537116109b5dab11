"""Turns of a conversation: send, stream, regenerate, continue, relay. The very context that `build` shows is sent."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, TypeAlias, Unpack, cast

from ctxlab.api.compression import SummariserSource
from ctxlab.api.options import ConversationOptions, StepOptions, listed
from ctxlab.api.session_builds import SessionBuilds
from ctxlab.api.sources import (
    AgentSource,
    BookSources,
    FilePath,
    ModelSource,
    NodeSource,
    SessionSource,
    ToolSources,
    node_id_of,
)
from ctxlab.api.tokenizers import profile_of
from ctxlab.assets.attachment import attachment
from ctxlab.chat.begin_turn import TurnStarter
from ctxlab.chat.echo import ECHO, echo
from ctxlab.chat.event_log import EventLog
from ctxlab.chat.model import ChatModel, FunctionModel, VendorModel, check_function
from ctxlab.chat.system_clock import StoppedClock, SystemClock
from ctxlab.chat.turn import Turn, moved_turn
from ctxlab.chat.turn_loop import TurnLoop
from ctxlab.chat.turn_stream import TurnStream
from ctxlab.chat.uploads import Uploads
from ctxlab.documents import Asset, History, ModelProfile, Session
from ctxlab.errors import WrongArgument
from ctxlab.local_models import LocalModel
from ctxlab.providers.provider import Provider
from ctxlab.providers.sending.attempts import RetryPolicy
from ctxlab.providers.sending.rate_limit import RateLimit
from ctxlab.providers.sending.time_limits import TimeLimits

ConversationSource: TypeAlias = SessionSource | History
"""A session as `build` takes it, or a history, which then records the turn."""
AttachmentSources: TypeAlias = Annotated[Sequence[Any], "attachments: files, bytes or what ctxlab.attachment gives"]
Begin: TypeAlias = Callable[[TurnStarter, Session], TurnLoop]


class TurnOptions(ConversationOptions, StepOptions, total=False):
    """Options of a turn: of its model, its tools and its builds, whose text and leaf are the turn's own."""

    model: ModelSource | LocalModel | None
    """A name, a profile, a model of one's own, by which tokens are counted, or a function of the messages; by default
    the agent's model, else the one that the leaf's metadata names. The name "echo" asks nobody: the last words of the
    user are said back."""
    provider: str | Provider | None
    """By name; by default the one of the model."""
    key: str | None
    """By default of the environment or the keyring."""
    base_url: str | None
    """Address of another server that speaks as the provider does."""
    parameters: Mapping[str, Any] | None
    """Parameters of this call, over the session's and the agent's."""
    tools: ToolSources
    """Tools that the model may call, besides those that the agent describes."""
    approve: Any
    """Whether a call is carried out: a function of the call, or a rule."""
    client: Any
    """A vendor's own client, with its address and key, such as `openai.OpenAI(...)`; by default one is made."""
    time_limits: TimeLimits | None
    """Seconds for which an answer is waited for."""
    retries: RetryPolicy | None
    """Attempts of a request that failed, and the waits before them."""
    rate_limit: RateLimit | None
    """A limit that several turns share."""
    uploads: Uploads | None
    """Files that go to the vendor before the request, which then names them: "when-needed", those without which it is
    not too large, which is the default; True, all that can; False, none, and none that went before is named."""
    summariser: SummariserSource
    """Writes the summaries of compressions that come due in the turn: "extractive", or a function of messages, such
    as `model_summariser` gives. By default the settings' `summaryModel`, where it is of the turn's own provider, else
    "extractive"."""
    on_event: Callable[..., Any] | None
    """Gets each event of the turn."""
    log: FilePath | None
    """File to which the events are added, one JSON line each."""
    agent: AgentSource | None
    """By default found as `build` finds it."""
    books: BookSources
    """Worldbooks in force whoever takes part; one with the id of a book in the library takes its place."""


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
    return turn_stream(session, options, lambda turns, of: turns.send(of, text, parent=above, attachments=files))


@listed(TurnOptions)
def regenerate(session: ConversationSource, node_id: NodeSource, **options: Unpack[TurnOptions]) -> Turn:
    """The turn that writes another reply beside one, or a reply below a message of the user.

    Another `model` is for this one time: agent and session stay as they are, and parameters that it doesn't take are
    not sent. See `send` for the options.
    """
    return _outcome(turn_stream(session, options, lambda turns, of: turns.regenerate(of, node_id_of(node_id))))


@listed(TurnOptions)
def continue_reply(session: ConversationSource, node_id: NodeSource, **options: Unpack[TurnOptions]) -> Turn:
    """The turn that goes on from a reply, in a copy of it beside it; of a user's message it is a reply below.

    How the model is brought to go on depends on it: by a marked prefix, by ending the request with the reply, or by
    asking. See `send` for the options.
    """
    return _outcome(turn_stream(session, options, lambda turns, of: turns.continue_reply(of, node_id_of(node_id))))


@listed(TurnOptions)
def relay(
    session: ConversationSource, text: str = "", *, parent: NodeSource | None = None, **options: Unpack[TurnOptions]
) -> Turn:
    """The turn in which the model writes the user's next message, going on from `text` if there is any.

    The message is the leaf then, and is answered by `send(turn.session)`. See `send` for the options; no tools are
    called.
    """
    above = _id(parent)
    return _outcome(turn_stream(session, options, lambda turns, of: turns.relay(of, text=text, parent=above)))


def turn_stream(source: ConversationSource, options: TurnOptions, begin: Begin) -> TurnStream:
    """The turn that `begin` begins; wrong arguments raise here."""
    given = source.session if isinstance(source, History) else None
    options = _with_echo(options)
    builds = SessionBuilds(source.session if isinstance(source, History) else source, options)
    timestamp = options.get("timestamp")
    clock = SystemClock() if timestamp is None else StoppedClock(timestamp)
    summariser = options.get("summariser")
    turns = TurnStarter(builds, _model(options, builds), clock, builds.runner(options.get("approve")), summariser)
    loop = begin(turns, builds.session)
    log = options.get("log")
    return TurnStream(
        loop,
        next_turn=lambda session, text: turns.send(session, text),
        on_event=options.get("on_event"),
        log=EventLog(log) if log is not None else None,
        on_end=recording(source, given, builds.session, loop.plan.started.verb)
        if isinstance(source, History)
        else None,
    )


def _with_echo(options: TurnOptions) -> TurnOptions:
    """The options with the function that echoes, where the model is `echo` and nobody is named to serve it."""
    named = any(options.get(name) is not None for name in ("provider", "base_url", "client"))
    return {**options, "model": echo} if options.get("model") == ECHO and not named else options


def _model(options: TurnOptions, builds: SessionBuilds) -> ChatModel:
    """The model of a turn; a vendor's has its key, found before anything is added to the conversation."""
    model, parameters = options.get("model"), options.get("parameters")
    model = profile_of(model) if isinstance(model, LocalModel) else model
    if model is None or isinstance(model, str | ModelProfile):
        vendor = VendorModel(
            options.get("provider"),
            model,
            options.get("base_url"),
            parameters or {},
            options.get("key"),
            client=options.get("client"),
            limits=options.get("time_limits"),
            policy=options.get("retries"),
            rate_limit=options.get("rate_limit"),
            uploads="when-needed" if options.get("uploads") is None else cast("Any", options.get("uploads")),
        )
        return _with_key(vendor, builds)
    check_function(model)
    unused = next((name for name in OF_VENDORS if options.get(name) is not None), None)
    if unused is not None:
        raise WrongArgument(f"{unused} is for a vendor's model; model is a function, which gets the messages alone")
    return FunctionModel(model)


OF_VENDORS = ("provider", "key", "base_url", "parameters", "client", "time_limits", "retries", "rate_limit", "uploads")


def _with_key(model: VendorModel, builds: SessionBuilds) -> VendorModel:
    from ctxlab.providers.sending.clients import check_client
    from ctxlab.providers.sending.keys import key_for
    from ctxlab.providers.sending.model_names import check_model_name

    request = model.request(builds.start(builds.session, builds.session.active_leaf_id))
    if model.provider is None and model.base_url is None and model.client is None:
        check_model_name(request)
    check_client(request, model.client)
    if model.client is not None and model.key is None:
        return model
    return replace(model, key=key_for(request.provider, model.key))


def recording(
    history: History, given: Session | None, before: Session, verb: str, *, leaf: str | None = None
) -> Callable[[Turn], Turn]:
    """Puts a turn into a history as one step, at which undo stops.

    Where the history has gone on since the turn began, the turn's messages are added to what it is now; with a `leaf`
    the path stays the one to that.
    """

    def record(turn: Turn) -> Turn:
        if history.session is not given:
            turn = moved_turn(turn, before, history.session)
        if leaf is not None and leaf in turn.session.nodes:
            turn = replace(turn, session=turn.session.switched(leaf))
        history.record(turn.session, verb, target=turn.reply.id if turn.reply is not None else None)
        history.breakpoint(verb)
        return turn

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


def _id(node: NodeSource | None) -> str | None:
    return None if node is None else node_id_of(node)


def _outcome(running: TurnStream) -> Turn:
    with running:
        try:
            return running.turn
        except KeyboardInterrupt:  # the turn is cancelled, and has what came
            return running.turn
