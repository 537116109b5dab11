"""From a session, an agent, a library and options to the input of a build: agent, user, model, books and rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, cast

from ctxlab.api.knowledge_for_build import with_knowledge
from ctxlab.api.options import BuildOptions, InputOptions
from ctxlab.api.sources import (
    AgentSource,
    SessionSource,
    agent_of,
    agent_or_library,
    agents_of,
    asset_store_of,
    books_of,
    engines_of,
    library_of,
    node_id_of,
    pending_of,
    presets_of,
    rankers_of,
    refuse_card_and_preset,
    rules_of,
    session_or_library,
    user_of,
)
from ctxlab.api.texts_of_chat import with_character_of_chat, with_texts_of_chat
from ctxlab.api.tokenizers import ModelChoice, counter_of_model, notes_on, profile_of, tokenizer_of
from ctxlab.context import BuildInput, Context, Origin, Text, Variables
from ctxlab.documents import Agent, Library, ModelProfile, Note, RegexConfig, Session, UserProfile, Worldbook
from ctxlab.documents.frozen_json import frozen
from ctxlab.documents.same_books import books_taken_once, books_with_entries_in_common
from ctxlab.engines.macros import Expansion, MacroEnv, expand
from ctxlab.engines.macros.clock_and_timeline import timestamp_problem, zone_problem
from ctxlab.engines.macros.environment import MacroEngine
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.formats.results import Import
from ctxlab.local_models import LocalModel
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.pipeline.services import AssetStore, TokenCounter, Transcriber
from ctxlab.processors import InjectionAssembler, RegexProcessor, TokenLimiter, default_pipeline

if TYPE_CHECKING:
    from ctxlab.assets.transcription.engine import Engine

TRANSCRIPTS = "transcripts"
"""Folder of what was recognised, in a folder of files that are kept by content."""
WITHOUT_AGENT = "its presets and tools aren't sent; pass agent= or a library that has it"
MISSING_BOOK = "missing_book"
"""Detail of a note on a worldbook that is named and isn't there."""


def start_of(session: SessionSource, chosen: AgentSource | None, **options: Unpack[BuildOptions]) -> Trace:
    """The start of a run: no step done yet."""
    found = resolve(session, chosen, options)
    agent, user = found.input.agent, found.input.user
    given = books_of(options.get("books", ()))
    books = books_in_force(given, agent, user, library=found.library, brought=found.brought)
    books, taken_once = books_once(books, agent, user)
    build_input = replace(
        found.input,
        presets=presets_of(options.get("presets", ())),
        books=books,
        rules=rules_in_force(rules_of(options.get("rules", ())), agent, brought=found.brought),
        activations=options.get("activations") or {},
        tasks=frozen(options.get("tasks") or {}),
        turn=options.get("turn") or "normal",
        chat_books=tuple(options.get("chat_books") or ()),
        group=options.get("group"),
        facts=frozen({**found.input.facts, **(options.get("facts") or {})}),
    )
    pipeline = pipeline_of(options)
    build_input, of_chat = with_texts_of_chat(build_input, pipeline)
    pending = options.get("pending")
    expansion = None
    if isinstance(pending, str):
        expansion = expanded(pending, build_input, engine_of(pipeline, build_input))
        build_input = replace(build_input, pending=expansion.pending, variables=expansion.variables)
    elif pending is not None:
        build_input = replace(build_input, pending=pending_of(pending))
    services = _services_for(build_input, options, files=found.library.files)
    services = with_knowledge(services, options.get("knowledge", ()), agent, found.library.knowledge_bases)
    counter = counter_of(options)
    services = services if counter is None else replace(services, tokenizer=counter)
    services = services if services.window_of is not None else replace(services, window_of=known_window)
    unknown = _near_model(options.get("model"), found.library.models)
    notes = (
        *found.notes,
        *of_chat,
        *unknown,
        *missing_books(agent, user, books),
        *taken_once,
        *books_with_entries_in_common(books),
        *(expansion.notes if expansion is not None else ()),
        *(notes_on(counter) if counter is not None else ()),
    )
    return pipeline.start(Context(build_input, notes=notes), services)


def counter_of(options: BuildOptions) -> TokenCounter | None:
    """The counter that a call gives, or that of a model of one's own; None where the services have it."""
    given, model = options.get("tokenizer"), options.get("model")
    if given is not None:
        return tokenizer_of(given)
    return counter_of_model(model) if isinstance(model, LocalModel) and options.get("services") is None else None


def known_window(model: ModelProfile) -> int | None:
    """The window of a model in tokens, by its profile, else by its name."""
    from ctxlab.providers.models import window_of

    return window_of(model)


def _near_model(model: ModelChoice | None, models: Sequence[ModelProfile]) -> tuple[Note, ...]:
    """A note on a name that no model has and that is nearly that of one."""
    if not isinstance(model, str) or any(profile.id == model for profile in models):
        return ()
    from ctxlab.engines.tokens.model_encodings import model_meant

    near = model_meant(model)
    return (Note("warning", f"model {model!r} is not known; did you mean {near!r}?"),) if near else ()


def pipeline_of(options: BuildOptions) -> Pipeline:
    """The steps of a run with the dialect and the settings of a call."""
    pipeline = options.get("pipeline") or default_pipeline()
    if (dialect := options.get("dialect")) is not None:
        pipeline = pipeline.with_dialect(dialect)
    return pipeline.with_settings(_call_settings(options.get("budget_tokens"), options.get("settings")))


def engine_of(pipeline: Pipeline, build_input: BuildInput) -> MacroEngine:
    """The engine that expands a typed text: that of the step which words the presets."""
    steps = pipeline.for_request(build_input).stages
    step = next((stage.processor for stage in steps if isinstance(stage.processor, InjectionAssembler)), None)
    return step.settings.macro_engine if step is not None else "seed"


def rule_settings(pipeline: Pipeline, build_input: BuildInput) -> RegexProcessor.Settings:
    """The settings with which rules run, whether a message is sent or shown: those of the step that runs them."""
    steps = pipeline.for_request(build_input).stages
    step = next((stage.processor for stage in steps if isinstance(stage.processor, RegexProcessor)), None)
    return step.settings if step is not None else RegexProcessor.Settings()


def expanded(text: str, build_input: BuildInput, engine: MacroEngine = "seed") -> Expansion:
    """A user's text with its macros expanded as they are when it is sent."""
    env = MacroEnv.of(build_input, dice=Context(build_input).dice, engine=engine)
    return expand(Text.of(text, Origin("pending")), env.at("pending"))


class Resolved(NamedTuple):
    """An input without books and rules, and where to take them from.

    `brought` has the library the agent came in, and books and rules for everyone of the one the session came in.
    """

    input: BuildInput
    library: Library
    brought: Library
    notes: tuple[Note, ...]


def resolve(session: SessionSource, agent: AgentSource | None, options: InputOptions) -> Resolved:
    """Session, leaf, agent, user, model, time and dice, found as `build` says."""
    refuse_wrong_time(options.get("timestamp"), options.get("zone"))
    session = session_or_library(session)
    agent = agent_or_library(agent) if agent is not None else None
    refuse_card_and_preset(session, agent)
    held = session if isinstance(session, Library) else Library()
    brought = agent if isinstance(agent, Library) else Library()
    given, user, leaf = options.get("library"), options.get("user"), options.get("leaf")
    library = held | (library_of(given) if given is not None else Library()) | brought
    library |= Library(agents=agents_of(options.get("agents", ())))
    for_everyone = Library(books=held.books_of_nobody(), rules=held.rules)
    session = session_of(session, options)
    leaf = node_id_of(leaf) if leaf is not None else None
    if leaf is not None:
        session.node(leaf)  # raises UnknownNode
    at = leaf if leaf is not None else session.active_leaf_id
    own = {id for each in (held, given) if isinstance(each, Import) for id in each.agents_of_sessions}
    own -= {named.id for named in agents_of(options.get("agents", ()))}
    chosen = agent_for(session, at, library.agents, own) if agent is None else _Chosen(agent_of(agent), ())
    timestamp = options.get("timestamp")
    build_input = BuildInput(
        session=session,
        leaf=leaf,
        agent=chosen.agent,
        user=user_of(user) if user is not None else user_for(chosen.agent, library.users),
        model=model_for(options.get("model"), chosen.agent, session, at, models=library.models),
        agents=library.agents,
        users=library.users,
        variables=options.get("variables") or Variables(),
        timestamp=timestamp if timestamp is not None else timestamp_of(session, at),
        zone=options.get("zone"),
        seed=options.get("seed", 0),
    )
    return Resolved(with_character_of_chat(build_input), library, for_everyone | brought, chosen.notes)


def session_of(session: Session | Library, options: InputOptions) -> Session:
    """The session, or the one of a library that `pick` says.

    Of a library with an agent and no session, such as a card's, it is one that begins with the agent's greetings.
    """
    pick = options.get("pick")
    if isinstance(session, Session):
        if pick is not None:
            raise CtxlabError(f"pick={pick!r} says which session of a library; a session itself takes none")
        return session
    if session.sessions or len(session.agents) != 1 or pick not in (None, 0):
        return session.pick(pick)
    from ctxlab.api.greetings import begin

    given = options.get("user")
    return begin(
        session,
        user=user_of(given) if given is not None else user_for(session.agent(), session.users),
        model=options.get("model"),
        timestamp=options.get("timestamp"),
        zone=options.get("zone"),
        seed=options.get("seed", 0),
        dialect=cast("BuildOptions", options).get("dialect"),
    )


def refuse_wrong_time(timestamp: str | None, zone: str | None) -> None:
    """Raise WrongArgument for a time that is no date and for a zone that is not known."""
    problem = timestamp_problem(timestamp) if timestamp else ""
    if problem:
        raise WrongArgument(f"timestamp {problem}")
    problem = zone_problem(zone) if zone else ""
    if problem:
        raise WrongArgument(f"zone {problem}")


class _Chosen(NamedTuple):
    agent: Agent | None
    notes: tuple[Note, ...]


def agent_for(session: Session, leaf: str | None, agents: Sequence[Agent], own: Collection[str] = ()) -> _Chosen:
    """The agent that the leaf (or the nearest message above it) names, else the only one, else none.

    Of several agents with one id it is the last. `own` are ids of those that conversations brought for themselves.
    """
    named = next((node.agent_id for node in reversed(session.path(leaf)) if node.agent_id), None) if leaf else None
    found = next((agent for agent in reversed(agents) if named is not None and agent.id == named), None)
    if found is not None:
        return _Chosen(found, ())
    agents = [agent for agent in agents if agent.id not in own]
    notes: tuple[Note, ...] = ()
    if named is not None:
        known = ", ".join(repr(agent.id) for agent in agents[:5])
        taken = f"; {agents[0].id!r} is taken, the only one" if len(agents) == 1 else "; none is taken"
        there = f" ({known}){taken}" if agents else f": {WITHOUT_AGENT}"
        text = f"message {leaf!r} was written with agent {named!r}, which is not at hand{there}"
        notes = (Note("warning", text),)
    elif len(agents) > 1:
        known = ", ".join(repr(agent.id) for agent in agents[:5])
        notes = (
            Note("warning", f"no message names its agent, so none of the {len(agents)} is taken; say which: {known}"),
        )
    return _Chosen(agents[0] if len(agents) == 1 else None, notes)


def model_for(
    model: ModelChoice | None,
    agent: Agent | None,
    session: Session,
    leaf: str | None,
    *,
    models: Sequence[ModelProfile] = (),
) -> ModelProfile | None:
    """A profile as it is; else that of the name which is given, or which the agent or the nearest message has."""
    if isinstance(model, ModelProfile):
        return model
    if isinstance(model, LocalModel):
        return profile_of(model)
    name = model or (agent.model_id if agent else None)
    if name is None and leaf is not None:
        name = next(
            (n.meta("modelId") for n in reversed(session.path(leaf)) if isinstance(n.meta("modelId"), str)), None
        )
    if not name:
        return None
    return next((profile for profile in reversed(models) if profile.id == name), ModelProfile(id=name))


def timestamp_of(session: Session, leaf: str | None) -> str | None:
    node = session.nodes.get(leaf) if leaf else None
    return node.timestamp if node else None


def user_for(agent: Agent | None, users: Sequence[UserProfile]) -> UserProfile | None:
    """The one that the agent names, else the only one."""
    own = agent.user_profile_id if agent else None
    found = next((known for known in reversed(users) if own and known.id == own), None)
    return found or (users[0] if len(users) == 1 else None)


# --- books and rules


def books_in_force(
    given: Sequence[Worldbook], agent: Agent | None, user: UserProfile | None, *, library: Library, brought: Library
) -> tuple[Worldbook, ...]:
    """Books that were brought, then those that are given, then those that the agent or the user names.

    A given one takes the place of another with its id.
    """
    ids = {book.book_id for book in given if book.book_id}
    linked = [book for book in library.books_for(agent, user) if book.book_id not in ids]
    ids |= {book.book_id for book in linked}
    return (*[book for book in brought.books if book.book_id not in ids], *given, *linked)


def books_once(
    books: tuple[Worldbook, ...], agent: Agent | None, user: UserProfile | None
) -> tuple[tuple[Worldbook, ...], tuple[Note, ...]]:
    """The books in force, each once, such as a card's own one and the file of it, with a note on each that goes."""
    named = [id for speaker in (agent, user) if speaker is not None for id in speaker.worldbook_ids]
    return books_taken_once(books, named=named)


def missing_books(agent: Agent | None, user: UserProfile | None, books: Sequence[Worldbook]) -> tuple[Note, ...]:
    """A note for each worldbook that the agent or the user names and that isn't among the books."""
    there = {book.book_id for book in books}
    return tuple(
        Note(
            "warning",
            f"{noun} {(speaker.shown_name or speaker.id)!r} names the worldbook {id!r}, which was not found; "
            "none of its entries is sent",
            details={MISSING_BOOK: id},
        )
        for noun, speaker in (("agent", agent), ("user", user))
        if speaker is not None
        for id in dict.fromkeys(speaker.worldbook_ids)
        if id not in there
    )


def rules_in_force(config: RegexConfig, agent: Agent | None, *, brought: Library) -> RegexConfig:
    """Rules that were brought and aren't the agent's own, then those that are given.

    A given set takes the place of another with its id.
    """
    own = agent.regex_config.presets if agent and agent.regex_config else ()
    ids = {preset.id for preset in config.presets if preset.id}
    more = [each for each in brought.rules if each.id not in ids and each not in own and each not in config.presets]
    return config.with_(presets=(*more, *config.presets)) if more else config


# --- the pipeline


def _services_for(build_input: BuildInput, options: BuildOptions, *, files: Mapping[str, bytes]) -> Services:
    """The services that are given; else the model's tokenizer. Files at hand are read where the services read none."""
    found, rankers = _reading_services(build_input, options, files=files), rankers_of(options.get("rankers", ()))
    if not rankers:
        return found
    names = {each.name for each in rankers}
    return replace(found, rankers=(*rankers, *[each for each in found.rankers if each.name not in names]))


def _reading_services(build_input: BuildInput, options: BuildOptions, *, files: Mapping[str, bytes]) -> Services:
    """The services but for rankers that the call itself gives."""
    from ctxlab.providers.tokenizers import tokenizer_of_run

    given, assets = options.get("services"), options.get("assets")
    engines = engines_of(options.get("engines", ()))
    if given is not None and assets is None:
        if not engines or given.assets is None:
            return given
        return replace(given, transcriber=transcriber_of(given.assets, engines))
    agents = (*([build_input.agent] if build_input.agent else []), *build_input.agents)
    store = asset_store_of(assets, files, agents)
    if given is None:
        counter = tokenizer_of_run(build_input.model, build_input.agent)
        return Services(tokenizer=counter, assets=store, transcriber=transcriber_of(store, engines))
    own = None if engines else given.transcriber
    return replace(given, assets=store, transcriber=own or transcriber_of(store, engines))


def transcriber_of(store: AssetStore, engines: Sequence[Engine] = ()) -> Transcriber:
    """The transcriber of the files of a store, which asks `engines` before those that come with ctxlab.

    What it recognises is kept beside files that are kept by content.
    """
    from ctxlab.assets.build_files import BuildFiles
    from ctxlab.assets.transcription import FileTranscriber
    from ctxlab.assets.transcription.transcriber import default_engines

    kept = store.store if isinstance(store, BuildFiles) else None
    cache = kept.folder / TRANSCRIPTS if kept is not None else None
    return FileTranscriber(store, (*engines, *default_engines()) if engines else None, cache)


def _call_settings(budget_tokens: int | None, settings: Mapping[str, Any] | None) -> dict[str, Any]:
    """Settings of steps in a call, its budget among them."""
    budget = {f"{TokenLimiter.id}.budget_tokens": budget_tokens}
    return {**(budget if budget_tokens is not None else {}), **(settings or {})}
