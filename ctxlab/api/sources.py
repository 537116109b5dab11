"""The forms in which callers give sessions, agents, books, rules and texts, each made into the value that is meant."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, TypeVar, cast

from ctxlab.context import Pending, Text
from ctxlab.documents import (
    Agent,
    KnowledgeBase,
    Library,
    MessageNode,
    ModelProfile,
    RegexConfig,
    RegexPreset,
    RegexRule,
    Session,
    UserProfile,
    Worldbook,
)
from ctxlab.engines.macros import Expansion
from ctxlab.errors import WrongArgument
from ctxlab.pipeline.services import AssetStore, Retriever

if TYPE_CHECKING:
    from ctxlab.assets.transcription.engine import Engine
    from ctxlab.assets.transcription.vision_model import Describe
    from ctxlab.engines.ranking import Ranker

T = TypeVar("T")

FilePath: TypeAlias = Annotated[str | os.PathLike[str], "a path"]
JsonData: TypeAlias = Annotated[Mapping[str, Any] | Sequence[Mapping[str, Any]], "messages as dicts"]
"""A parsed file, or a list of messages."""

LibrarySource: TypeAlias = Library | FilePath
SessionSource: TypeAlias = Session | Library | FilePath | JsonData
AgentSource: TypeAlias = Agent | Library | FilePath | Mapping[str, Any] | Annotated[Sequence[Any], "[preset, card]"]
UserSource: TypeAlias = UserProfile | Library | FilePath
NodeSource: TypeAlias = str | MessageNode
PendingSource: TypeAlias = str | Text | Pending | Expansion
AgentSources: TypeAlias = AgentSource | Sequence[AgentSource]
BookSource: TypeAlias = Worldbook | Library | FilePath
BookSources: TypeAlias = BookSource | Sequence[BookSource]
PresetSource: TypeAlias = Annotated[MessageNode, "a preset (ctxlab.preset(text, depth=4) makes one)"] | Library
PresetSources: TypeAlias = PresetSource | Sequence[PresetSource]
RuleSource: TypeAlias = RegexConfig | RegexPreset | RegexRule | Library | FilePath
RuleSources: TypeAlias = RuleSource | Sequence[RuleSource]
RankerSources: TypeAlias = Annotated[Sequence[Any], "rankers, or functions of a question and its messages"]
EngineSources: TypeAlias = Annotated[Sequence[Any], "engines, or functions of bytes and MIME type"]
KnowledgeSource: TypeAlias = KnowledgeBase | Library | FilePath
KnowledgeSources: TypeAlias = KnowledgeSource | Sequence[KnowledgeSource] | Retriever
ModelSource: TypeAlias = Annotated[
    str | ModelProfile | Callable[..., Any], "a model's name, a ModelProfile or a function of messages"
]
ToolSources: TypeAlias = Annotated[Sequence[Any], "tools, or functions of one's own"]
AssetSources: TypeAlias = AssetStore | FilePath
"""A folder, or a store of files such as that of `open_assets`."""


def session_or_library(session: SessionSource) -> Session | Library:
    """A session or a library that holds one: as it is, read from a file, or from data such as a list of messages."""
    wanted = "a Session, a Library, a path or a list of messages; pending= takes a text"
    return session if isinstance(session, Session) else _library_from(session, "session", wanted)


def only_session(session: SessionSource) -> Session:
    """The session, or the only one of a library, a file or data; raises SeveralSessions where there are several."""
    found = session_or_library(session)
    return found.pick() if isinstance(found, Library) else found


def agent_or_library(agent: AgentSource) -> Agent | Library:
    """An agent or a library that holds one: as it is, from a file, or from data; a preset and a card are joined."""
    wanted = "an Agent, a Library or a path; library.agent(name) finds one by its name"
    if isinstance(agent, Sequence) and not isinstance(agent, str):
        return _joined(agent)
    return agent if isinstance(agent, Agent) else _library_from(agent, "agent", wanted)


def _joined(several: Sequence[Any]) -> Agent | Library:
    """The one agent that a preset and a card are, or the only one of a list; raises WrongArgument for other lists."""
    if len(several) == 1:
        return agent_or_library(several[0])
    read = [agent_or_library(each) for each in several]
    if len(read) == 2 and sum(map(is_preset, read)) == 1:
        from ctxlab.api.load import joined

        return joined(*sorted(read, key=is_card))
    presets = sum(map(is_preset, read))
    raise WrongArgument(
        f"agent takes one agent, or [preset, card] as read from their files, which are one; got {len(read)} values, "
        f"{presets} of them {'a preset' if presets == 1 else 'presets'}; ctxlab.joined(preset, card) joins two agents"
    )


def agent_of(agent: AgentSource) -> Agent:
    """The agent, or the only one of a library or a file; raises CtxlabError where there is none or several."""
    found = agent_or_library(agent)
    return found.agent() if isinstance(found, Library) else found


def user_of(user: UserSource) -> UserProfile:
    """The user profile, or the only one of a library or a file."""
    wanted = "a UserProfile, a Library or a path"
    return user if isinstance(user, UserProfile) else _library_from(user, "user", wanted).user()


def library_of(library: LibrarySource, name: str = "library") -> Library:
    """A library as it is, or everything in a file."""
    return _library_from(library, name, "a Library or a path")


def node_id_of(node: NodeSource) -> str:
    """The id of a message."""
    return node.id if isinstance(node, MessageNode) else node


def pending_of(pending: PendingSource) -> Pending:
    """Text that the user is about to send, with provenance where macros in it were expanded."""
    if isinstance(pending, Expansion):
        return pending.pending
    return pending if isinstance(pending, Pending) else Pending(pending)


def agents_of(agents: AgentSources) -> tuple[Agent, ...]:
    """All agents: those given, and those of libraries and files."""

    def of_one(agent: AgentSource) -> Sequence[Agent]:
        found = agent_or_library(agent)
        return found.agents if isinstance(found, Library) else (found,)

    return _each(agents, of_one)


def books_of(books: BookSources) -> tuple[Worldbook, ...]:
    """All worldbooks: those given, and those of libraries and files, which must hold one."""

    def of_one(book: BookSource) -> Sequence[Worldbook]:
        return (book,) if isinstance(book, Worldbook) else _some(library_of(book, "books"), "books", "no worldbook")

    return _each(books, of_one)


def knowledge_of(knowledge: KnowledgeSources) -> tuple[KnowledgeBase, ...] | Retriever:
    """A retriever as it is, else all knowledge bases: those given, and those of libraries and files."""
    if callable(getattr(knowledge, "search", None)) and callable(getattr(knowledge, "entries", None)):
        return cast("Retriever", knowledge)

    def of_one(base: KnowledgeSource) -> Sequence[KnowledgeBase]:
        if isinstance(base, KnowledgeBase):
            return (base,)
        return _some(library_of(base, "knowledge"), "knowledge_bases", "no knowledge base")

    return _each(knowledge, of_one)


def presets_of(presets: PresetSources) -> tuple[MessageNode, ...]:
    """All presets: those given, and those of libraries."""

    def of_one(preset: PresetSource) -> Sequence[MessageNode]:
        if isinstance(preset, MessageNode):
            return (preset,)
        return _some(preset, "presets", "no presets of its own; its agents bring theirs")

    return _each(presets, of_one)


def rules_of(rules: RuleSources) -> RegexConfig:
    """Rules for everyone; single rules make a set of their own, libraries and files give those that are in them."""

    def of_one(rule: RuleSource) -> Sequence[RegexPreset]:
        if isinstance(rule, RegexConfig):
            return rule.presets
        if isinstance(rule, RegexRule):
            return (RegexPreset(id=rule.id, name=rule.shown_name, rules=(rule,)),)
        if isinstance(rule, RegexPreset):
            return (rule,)
        library = library_of(rule, "rules")
        return library.rules_inside() or _some(library, "rules", "no rules")

    return rules if isinstance(rules, RegexConfig) else RegexConfig(presets=_each(rules, of_one))


def _each(given: Any, of_one: Callable[[Any], Sequence[T]]) -> tuple[T, ...]:
    is_row = isinstance(given, Sequence) and not isinstance(given, str)
    return tuple(value for one in (given if is_row else (given,)) for value in of_one(one))


def _some(library: Library, field: str, nothing: str) -> Sequence[Any]:
    """The values of a field of a library; raises WrongArgument where it has none."""
    found: Sequence[Any] = getattr(library, field)
    if not found:
        raise WrongArgument(f"{field}: {library!r} holds {nothing}")
    return found


def _library_from(given: object, name: str, wanted: str) -> Library:
    """A library as it is, or everything in a file or in data; a text that names no file is refused."""
    if isinstance(given, Library):
        return given
    from ctxlab import formats

    if not isinstance(given, str | os.PathLike):
        return formats.read_data(given, source=name)
    if isinstance(given, str) and not _is_there(given):
        raise WrongArgument(f"{name} takes {wanted}; got the text {given[:60]!r}, which is no file")
    return formats.read(cast("FilePath", given))


def _is_there(path: str) -> bool:
    try:
        return Path(path).expanduser().exists()
    except (OSError, ValueError, RuntimeError):  # too long, with a null character, of an unknown user
        return False


def is_card(value: object) -> bool:
    """Whether it is what was read of a character card's file."""
    return _format_of(value).startswith("card")


def is_preset(value: object) -> bool:
    """Whether it is what was read of a prompt preset's file."""
    return _format_of(value).endswith("preset")


def refuse_card_and_preset(session: object, agent: object) -> None:
    """Raise WrongArgument where one of a card and a preset is given as the other's session."""
    if (is_card(session) and is_preset(agent)) or (is_preset(session) and is_card(agent)):
        raise WrongArgument(
            "a preset and a card are one agent: whole = ctxlab.joined(preset, card), then ctxlab.build(whole)"
        )


def _format_of(value: object) -> str:
    """The format that an Import was read from; asked without loading the formats, which a build has no need of."""
    return str(getattr(value, "format", "")) if isinstance(value, Library) else ""


def engines_of(given: EngineSources) -> tuple[Engine, ...]:
    """Engines as they are, and functions of a picture's bytes as engines."""
    from ctxlab.assets.transcription.vision_model import VisionModel

    found: list[Engine] = []
    for each in given:
        if not isinstance(each, type) and callable(getattr(each, "read", None)) and hasattr(each, "kinds"):
            found.append(cast("Engine", each))
        elif callable(each):
            found.append(VisionModel(cast("Describe", each), kinds=frozenset({"image"})))
        else:
            raise WrongArgument(f"engines holds a {type(each).__name__}; it takes engines and functions")
    return tuple(found)


def rankers_of(given: RankerSources) -> tuple[Ranker, ...]:
    """Rankers as they are, and functions as rankers, each with a name of its own."""
    if not given:
        return ()
    from ctxlab.engines.ranking import as_ranker

    found = tuple(map(as_ranker, given))
    names = [each.name for each in found]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise WrongArgument(f"two rankers are named {twice!r}; each needs a name of its own")
    return found


def asset_store_of(assets: AssetSources | None, files: Mapping[str, bytes], agents: Sequence[Agent] = ()) -> AssetStore:
    """The files of a build: those of the library and of its agents, and those of a folder or a store.

    Raises WrongArgument for a folder that is not there.
    """
    from ctxlab.assets.asset_folder import AssetFolder
    from ctxlab.assets.build_files import BuildFiles

    if isinstance(assets, str | os.PathLike) and not Path(assets).expanduser().is_dir():
        wrong = "is a file" if Path(assets).expanduser().exists() else "is not there"
        raise WrongArgument(f"assets takes a folder or a store of files; {os.fspath(assets)!r} {wrong}")
    if assets is None or isinstance(assets, AssetFolder | str | os.PathLike):
        return BuildFiles(files, folder=assets, agents=agents)
    return assets
