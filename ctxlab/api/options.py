"""Keywords that several functions share, each declared once: `**options: Unpack[BuildOptions]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypedDict, TypeVar, cast

from ctxlab.api.sources import (
    AgentSources,
    AssetSources,
    BookSources,
    EngineSources,
    KnowledgeSources,
    LibrarySource,
    NodeSource,
    PendingSource,
    PresetSources,
    RankerSources,
    RuleSources,
    UserSource,
)
from ctxlab.api.tokenizers import ModelChoice, TokenizerSource
from ctxlab.argument_checks import with_checks
from ctxlab.context import GroupChat, TurnKind, Variables
from ctxlab.pipeline import Pipeline, Services
from ctxlab.pipeline.settings.dialects import Dialect

P = ParamSpec("P")
R = TypeVar("R")


class ConversationOptions(TypedDict, total=False):
    """Options that decide on the participants and the time of a conversation, whatever its model and its leaf."""

    library: LibrarySource | None
    """Agents, users, models and books that the session, the agent and the user name."""
    agents: AgentSources
    """Agents to choose from, besides those of the library."""
    user: UserSource | None
    """By default the one that the agent names, else the only one of the library."""
    pick: int | str | None
    """Index or id of the session, where a library holds several."""
    variables: Variables | None
    """Variables that an earlier trace gave back."""
    timestamp: str | None
    """ISO 8601; by default the leaf's own, never now."""
    zone: str | None
    """IANA name of the time zone."""
    seed: int
    """Seed of everything that is drawn at random."""


class InputOptions(ConversationOptions, total=False):
    """Options that decide on the participants and the time of a conversation."""

    model: ModelChoice | None
    """A profile, a name, or a model of one's own, by which tokens are counted; by default the agent's model,
    else the one that the leaf's metadata names."""
    leaf: NodeSource | None
    """Id of the message at which the path ends; by default the session's active leaf."""


class StepOptions(TypedDict, total=False):
    """Options of the steps of a build."""

    budget_tokens: int | None
    """Budget of the prompt, in tokens."""
    presets: PresetSources
    """Presets in force whoever takes part; the agent and the user bring their own."""
    rules: RuleSources
    """Find and replace rules in force whoever takes part; the agent and the user bring their own."""
    activations: Mapping[str, str] | None
    """Lore entries that fired before, from an earlier trace."""
    tasks: Mapping[str, Mapping[str, Any]] | None
    """Tasks that tools have begun, by id: `{"t1": {"status": "running", "progress": 40}}`."""
    settings: Mapping[str, Any] | None
    """Settings of steps: `{"<step>.<setting>": value}`."""
    group: GroupChat | None
    """The members of a chat of several characters."""
    facts: Mapping[str, str] | None
    """Texts of a program's settings by the macro that shows them: `{"chatStart": "***"}`."""
    turn: TurnKind | None
    """The kind of request: a reply (`normal`), `swipe`, `regenerate`, `continue`, `impersonate` or `quiet`."""
    chat_books: Sequence[str] | None
    """Ids of the worldbooks that are this conversation's own."""
    dialect: str | Dialect | None
    """The program whose way is followed: `seed`, `sillytavern-1.19` or another; by default its files bring it."""
    pipeline: Pipeline | None
    """The steps; by default `ctxlab.default_pipeline()`."""
    tokenizer: TokenizerSource | None
    """Counts tokens in place of the model's tokenizer, and of that of `services`: a counter, a name, the path of a
    model or its vocabulary, a `tokenizers.Tokenizer`, or a function of a text."""
    services: Services | None
    """Tokenizer and whatever else steps wait for; by default the model's tokenizer and what reads files at hand."""
    engines: EngineSources
    """Makers of text from files, asked before what comes with ctxlab: engines, or functions of a picture's bytes and
    its MIME type that give its text."""
    rankers: RankerSources
    """Rankers by name for strategies that look at the question, before those that come with ctxlab: rankers, or
    functions of the question and the messages that give a score for each."""
    knowledge: KnowledgeSources
    """Knowledge bases that may be searched, beside those of the library that the agent names; or a retriever."""
    assets: AssetSources | None
    """Folder in which files of messages are, or a store of them; those of the library are at hand without it."""


class ScanOptions(InputOptions, StepOptions, total=False):
    """Options of a build except its books."""

    pending: PendingSource | None
    """A user message that isn't in the session yet; a text is taken as it is, `expand_input` expands its macros."""


class BuildOptions(ScanOptions, total=False):
    """Options of `build`."""

    books: BookSources
    """Worldbooks in force whoever takes part; one with the id of a book in the library takes its place."""


DEFAULTS: Mapping[str, Any] = {
    "agents": (),
    "seed": 0,
    "presets": (),
    "rules": (),
    "books": (),
    "engines": (),
    "rankers": (),
    "knowledge": (),
    "tools": (),
}
"""Defaults of options that aren't None."""


def listed(options: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A function that names its options one by one to `inspect.signature`, and refuses others and wrong values.

    Editors read `Unpack[...]` in the source themselves; what notebooks show is made by `inspect.signature`.
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        own = signature(function)
        parameters = [each for each in own.parameters.values() if each.kind is not Parameter.VAR_KEYWORD]
        for name, kind in options.__annotations__.items():
            annotation = getattr(kind, "__forward_arg__", kind)
            default = DEFAULTS.get(name)
            parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation))
        namespace = {**globals(), **function.__globals__}
        return cast("Callable[P, R]", with_checks(function, own.replace(parameters=parameters), namespace=namespace))

    return decorated
