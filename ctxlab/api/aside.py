"""Models asked beside the conversation: names of topics, translations, completions of what is being typed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, TypeAlias, TypedDict, Unpack, cast

from ctxlab.api.options import listed
from ctxlab.api.resolve import resolve
from ctxlab.api.sources import (
    AgentSource,
    AgentSources,
    LibrarySource,
    ModelSource,
    NodeSource,
    SessionSource,
    node_id_of,
    only_session,
)
from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.aside.question import question_of
from ctxlab.chat.aside.settings import model_named, read_settings
from ctxlab.chat.completion.completion import CompletionStream, InputCompletion, completion_of
from ctxlab.chat.completion.settings import CompletionSettings
from ctxlab.chat.model import ChatModel, FunctionModel, VendorModel, check_function
from ctxlab.chat.topic.naming import TopicName, name_of_topic, topic_is_due
from ctxlab.chat.topic.settings import TopicSettings
from ctxlab.chat.translation.cache import TranslationCache
from ctxlab.chat.translation.settings import TranslationSettings
from ctxlab.chat.translation.translate import Translator
from ctxlab.chat.translation.translation import Translation
from ctxlab.documents import MessageNode, ModelProfile, Session, ThinkRule
from ctxlab.documents.rules import USUAL_THINK_TAGS
from ctxlab.errors import WrongArgument
from ctxlab.providers.provider import Provider
from ctxlab.providers.sending.attempts import RetryPolicy
from ctxlab.providers.sending.rate_limit import RateLimit
from ctxlab.providers.sending.time_limits import TimeLimits

StoredSettings: TypeAlias = Annotated[Mapping[str, Any], "settings as they are stored"]
TopicSource: TypeAlias = StoredSettings | TopicSettings
TranslationSource: TypeAlias = StoredSettings | TranslationSettings
CompletionSource: TypeAlias = StoredSettings | CompletionSettings


class AsideOptions(TypedDict, total=False):
    """Options of a model that is asked beside the conversation."""

    model: ModelSource | None
    """A name, a profile, or a function of the messages; by default the one of the settings, else the conversation's."""
    provider: str | Provider | None
    """By name; by default the one of the model."""
    key: str | None
    """By default of the environment or the keyring."""
    base_url: str | None
    """Address of another server that speaks as the provider does."""
    parameters: Mapping[str, Any] | None
    """Parameters of the request, over those of the settings."""
    client: Any
    """A vendor's own client, with its address and key."""
    time_limits: TimeLimits | None
    """Seconds for which an answer is waited for."""
    retries: RetryPolicy | None
    """Attempts of a request that failed, and the waits before them."""
    rate_limit: RateLimit | None
    """A limit that several requests share."""


class ConversationAside(AsideOptions, total=False):
    """Options of a model that is asked about a conversation."""

    agent: AgentSource | None
    """The one whose model is asked by default; found as `build` finds it."""
    library: LibrarySource | None
    """Agents and models that the session names."""
    agents: AgentSources
    """Agents to choose from, besides those of the library."""


@listed(ConversationAside)
def name_topic(
    session: SessionSource,
    *,
    settings: TopicSource | None = None,
    leaf: NodeSource | None = None,
    **options: Unpack[ConversationAside],
) -> TopicName:
    """A name for a conversation, by a model that is shown its newest messages: `.session` has it, `.applied(history)`
    records it.

    `settings` are those of `topicNaming`: model, prompt with `{context}`, temperature, longest answer, number of
    messages. Vendors that can are held to JSON first and asked plainly then. A model that fails is the result's
    `error`, and the name stays; wrong arguments and a missing key raise. `topic_due` says when it is time for one.
    """
    found = only_session(session)
    read, notes = read_settings(TopicSettings, settings, "topicNaming")
    model = _model(options, read.model_identifier, session)
    return name_of_topic(found, model, read, leaf=_leaf(found, leaf), notes=notes)


@checked_arguments
def topic_due(session: SessionSource, settings: TopicSource | None = None, *, leaf: NodeSource | None = None) -> bool:
    """Whether a conversation is to get its name by itself now, by settings of `topicNaming`.

    It is where they are `enabled`, the conversation has no name but one of `defaultNames`, and the path to the leaf
    has `autoTriggerThreshold` messages of the user.
    """
    found = only_session(session)
    read, _ = read_settings(TopicSettings, settings, "topicNaming")
    return topic_is_due(found, read, _leaf(found, leaf))


@listed(AsideOptions)
def translate(
    text: str | MessageNode,
    *,
    to: str | None = None,
    settings: TranslationSource | None = None,
    cache: TranslationCache | None = None,
    think_rules: Annotated[tuple[ThinkRule, ...] | list[ThinkRule], "rules of an agent"] = (),
    stop: threading.Event | None = None,
    timestamp: str | None = None,
    **options: Unpack[AsideOptions],
) -> Translation:
    """A translation of a text, or of a message of a session, whose tags, code, macros, variables, addresses and
    placeholders are proved to be unchanged.

    They are sent as marks that the text doesn't have. A segment whose answer loses, doubles or alters one stays as it
    was, unless it can be mended for certain; `notes` say which and why. `to` is by default the settings'
    `messageTargetLang` for a message and `inputTargetLang` for a text. `cache` keeps what was right, `stop` set leaves
    the rest as it is. `.applied(history)` puts it into `metadata.translation` of the message, where an edit drops it.
    """
    read, notes = read_settings(TranslationSettings, settings, "translation")
    words = text.content if isinstance(text, MessageNode) else text
    target = (
        to if to is not None else read.message_target_lang if isinstance(text, MessageNode) else read.input_target_lang
    )
    if not target.strip():
        raise WrongArgument("to is the name of a language, such as 'Chinese'; it is blank")
    model = _model(options, read.model_identifier, None)
    tags = [rule.tag_name for rule in think_rules if rule.tag_name] or list(USUAL_THINK_TAGS)
    made = Translator(model, target, read, cache, tags, stop).translated(words)
    node_id = text.id if isinstance(text, MessageNode) else None
    return replace(made, node_id=node_id, timestamp=timestamp, notes=(*notes, *made.notes))


@listed(ConversationAside)
def complete_input(
    session: SessionSource,
    text: str,
    *,
    settings: CompletionSource | None = None,
    **options: Unpack[ConversationAside],
) -> InputCompletion:
    """A continuation of a text that is being typed in a conversation; `.completed` is the text with it.

    The model is sent the text alone, and the conversation's newest messages where the settings have a
    `contextMessageCount`. Nothing is added to the conversation. A model that fails is the result's `error`;
    `stream_completion` gives the pieces as they come.
    """
    with _completion(session, text, settings, options) as running:
        return running.completion


@listed(ConversationAside)
def stream_completion(
    session: SessionSource,
    text: str,
    *,
    settings: CompletionSource | None = None,
    **options: Unpack[ConversationAside],
) -> CompletionStream:
    """The continuation of `complete_input` as it comes: `for piece in stream`; `stream.completion` is the outcome."""
    return _completion(session, text, settings, options)


def _completion(
    session: SessionSource, text: str, settings: CompletionSource | None, options: ConversationAside
) -> CompletionStream:
    if not text.strip():
        raise WrongArgument("text is empty: there is nothing to go on from")
    found = only_session(session)
    read, notes = read_settings(CompletionSettings, settings, "inputCompletion")
    return completion_of(found, text, _model(options, read.model_identifier, session), read, notes=notes)


def _leaf(session: Session, leaf: NodeSource | None) -> str | None:
    return None if leaf is None else session.node(node_id_of(leaf)).id


OF_VENDORS = ("provider", "key", "base_url", "parameters", "client", "time_limits", "retries", "rate_limit")
OF_CONVERSATION = ("library", "agents")


def _model(options: AsideOptions, identifier: str, session: SessionSource | None) -> ChatModel:
    """The model that is asked: the call's, the settings', the conversation's. A vendor's has its key."""
    model = options.get("model")
    if model is not None and not isinstance(model, str | ModelProfile):
        check_function(model)
        unused = next((name for name in OF_VENDORS if options.get(name) is not None), None)
        if unused is not None:
            raise WrongArgument(f"{unused} is for a vendor's model; model is a function, which gets the messages alone")
        return FunctionModel(model)
    provider = options.get("provider")
    if model is None and (named := model_named(identifier)) is not None:
        model = named.model
        provider = provider if provider is not None else _provider_named(named.profile)
    if model is None and session is not None:
        asked = cast("ConversationAside", options)
        given: Any = {name: value for name, value in asked.items() if name in OF_CONVERSATION}
        model = resolve(session, asked.get("agent"), given).input.model
    if model is None and provider is None:
        raise WrongArgument("no model is named: give model= a name, a ModelProfile or a function of messages")
    return _with_key(
        VendorModel(
            provider,
            model,
            options.get("base_url"),
            options.get("parameters") or {},
            options.get("key"),
            client=options.get("client"),
            limits=options.get("time_limits"),
            policy=options.get("retries"),
            rate_limit=options.get("rate_limit"),
        )
    )


def _provider_named(profile: str) -> str | None:
    """The provider that a profile of settings is called after; a profile of another name says nothing of it."""
    from ctxlab.providers.registry import built_in

    return profile if profile in built_in() else None


def _with_key(model: VendorModel) -> VendorModel:
    from ctxlab.providers.sending.clients import check_client
    from ctxlab.providers.sending.keys import key_for
    from ctxlab.providers.sending.model_names import check_model_name

    request = question_of(model, [{"role": "user", "content": "?"}])
    if model.provider is None and model.base_url is None and model.client is None:
        check_model_name(request)
    check_client(request, model.client)
    if model.client is not None and model.key is None:
        return model
    return replace(model, key=key_for(request.provider, model.key))
