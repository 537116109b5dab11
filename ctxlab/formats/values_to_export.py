"""Values of a library that go into a file, and a Loss for each that doesn't."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, TypeVar, get_args

from ctxlab.display.short_texts import counted
from ctxlab.documents import (
    Agent,
    KnowledgeBase,
    Library,
    QuickActionSet,
    RegexConfig,
    RegexPreset,
    Session,
    UserProfile,
    Worldbook,
)
from ctxlab.documents.library import NOUNS
from ctxlab.documents.named_files import named_paths
from ctxlab.errors import ReadError, WriteError
from ctxlab.formats.format import Kind, Pick
from ctxlab.formats.results import Import, Loss

T = TypeVar("T")


def import_of(value: object) -> Import:
    """The value as an Import: a library, a session, an agent, a user, a book, rules, quick actions, a base, or such
    values in a list.

    Raises WriteError for anything else.
    """
    if isinstance(value, Import):
        return value
    if isinstance(value, Library):
        return Import(**{each.name: getattr(value, each.name) for each in fields(Library)}, source="the library")
    if isinstance(value, list | tuple):
        values: list[object] = [*value]  # pyright: ignore[reportUnknownArgumentType]
        return _import_of_values(values, f"a {type(value).__name__} of {len(values)}")
    return _import_of_values([value], type(value).__name__)


def _import_of_values(values: Sequence[object], source: str) -> Import:
    configs = [value for value in values if isinstance(value, RegexConfig)]
    found = Import(
        sessions=_of_type(values, Session),
        agents=_of_type(values, Agent),
        users=_of_type(values, UserProfile),
        books=_of_type(values, Worldbook),
        rules=(*_of_type(values, RegexPreset), *(preset for config in configs for preset in config.presets)),
        quick_actions=_of_type(values, QuickActionSet),
        knowledge_bases=_of_type(values, KnowledgeBase),
        source=source,
    )
    known = (Session, Agent, UserProfile, Worldbook, RegexPreset, RegexConfig, QuickActionSet, KnowledgeBase)
    for value in values:
        if not isinstance(value, known):
            raise WriteError(
                f"{type(value).__name__} can't be written; a session, an agent, a user profile, a book, rules, "
                "a set of quick actions, a knowledge base, "
                "a list of them, or a Library can; what a run sends is written by "
                "write(formats.openai_messages(trace.messages), path)"
            )
    return found


def _of_type(values: Iterable[object], kind: type[T]) -> tuple[T, ...]:
    return tuple(value for value in values if isinstance(value, kind))


def kinds_in(found: Import) -> tuple[Kind, ...]:
    """The kinds of values that there are, also rules that agents and users bring."""
    return tuple(kind for kind in get_args(Kind) if (found.rules_inside() if kind == "rules" else getattr(found, kind)))


# --- picking


def pick_one(
    values: Sequence[T],
    pick: Pick,
    *,
    source: str,
    names: Callable[[T], Sequence[Any]],
    noun: str,
    nouns: str | None = None,
) -> T:
    """The only value, or the one of this index, id or name; `names` gives the id first."""
    if not values:
        raise ReadError(f"{source} holds no {noun}")
    if pick is None and len(values) == 1:
        return values[0]
    for index, value in enumerate(values):
        if pick is not None and pick in (index, *names(value)):
            return value
    known = ", ".join(repr(names(value)[0]) for value in values[:8])
    remedy = "say which with pick=" if pick is None else f"none of them is {pick!r}"
    raise ReadError(f"{source} holds {counted(len(values), noun, nouns)}: {known}; {remedy}")


def pick_agent(found: Import, pick: Pick) -> Agent:
    """The only agent, or the picked one."""
    return pick_one(
        found.agents, pick, source=found.source, names=lambda agent: (agent.id, agent.shown_name), noun="agent"
    )


def pick_book(found: Import, pick: Pick) -> Worldbook:
    """The only book, or the picked one."""
    return pick_one(
        found.books, pick, source=found.source, names=lambda book: (book.book_id, book.shown_name), noun="lorebook"
    )


def pick_quick_actions(found: Import, pick: Pick) -> QuickActionSet:
    """The only set of quick actions, or the picked one."""
    return pick_one(
        found.quick_actions,
        pick,
        source=found.source,
        names=lambda each: (each.id, each.name),
        noun="set of quick actions",
        nouns="sets of quick actions",
    )


def pick_knowledge_base(found: Import, pick: Pick) -> KnowledgeBase:
    """The only knowledge base, or the picked one."""
    return pick_one(
        found.knowledge_bases, pick, source=found.source, names=lambda each: (each.id, each.name), noun="knowledge base"
    )


def pick_rules(found: Import, pick: Pick) -> RegexPreset:
    """The only set of rules, or the picked one."""
    return pick_one(
        found.rules_inside(),
        pick,
        source=found.source,
        names=lambda preset: (preset.id, preset.name),
        noun="set of rules",
        nouns="sets of rules",
    )


def with_one_session(found: Import, pick: Pick) -> Import:
    """Everything, or the picked session with the agents that its messages name; users come along."""
    if pick is None and (found.sessions or found.agents or found.users):
        return found
    session = found.pick(pick)
    return replace(found, sessions=(session,), agents=agents_named(session, found))


def agents_named(session: Session, found: Import) -> tuple[Agent, ...]:
    """The agents that a session's messages name."""
    ids = {node.agent_id for node in session.nodes.values()}
    return tuple(agent for agent in found.agents if agent.id in ids)


def agent_of(session: Session, agents: tuple[Agent, ...]) -> Agent | None:
    """The agent that the newest message of the path with one names, else the only one."""
    named = next((node.agent_id for node in reversed(session.path()) if node.agent_id), None)
    found = next((agent for agent in agents if agent.id == named), None)
    return found or (agents[0] if len(agents) == 1 else None)


def books_of(agents: Iterable[Agent], books: Iterable[Worldbook]) -> list[Worldbook]:
    """The books that the agents name."""
    named = {book_id for agent in agents for book_id in agent.worldbook_ids}
    return [book for book in books if book.book_id in named]


# --- what doesn't go into the file


def left_out(found: Import, kinds: Iterable[str], text: str) -> list[Loss]:
    """A loss for each value of these kinds, in a form that has no place for them."""
    return [Loss(f"{NOUNS[kind][0]} {_id(value)!r}", text) for kind in kinds for value in getattr(found, kind)]


def _id(value: Any) -> str:
    return value.book_id if isinstance(value, Worldbook) else value.id


def all_but_sessions_left_out(found: Import) -> list[Loss]:
    """A loss for each book, base, set of rules or quick actions, and files, in a form of sessions, agents, users."""
    remedy = "has no place here; left out: write it as a file of its own, such as"
    return [
        *left_out(found, ("books",), f"{remedy} .lorebook.json"),
        *left_out(found, ("rules",), f"{remedy} .rules.json"),
        *left_out(found, ("quick_actions",), f"{remedy} .quickactions.json"),
        *left_out(found, ("knowledge_bases",), f"{remedy} .knowledge.json"),
        *files_left_out(found.files),
    ]


# --- files


def files_left_out(files: Collection[str], remedy: str = "a .zip holds them") -> list[Loss]:
    """A loss that names files, in a form that has no place for their bytes."""
    if not files:
        return []
    return [Loss("files", f"{_some(files)} {'is' if len(files) == 1 else 'are'} named, not contained: {remedy}")]


def files_named_by(values: Iterable[Session | Agent], files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Those of the files that the sessions and agents name."""
    named = {path for value in values for path in named_paths(value)}
    return {path: data for path, data in files.items() if path in named}


def missing_files(values: Iterable[Session | Agent], files: Mapping[str, bytes]) -> Iterator[Loss]:
    """A loss for each session and agent that names files whose bytes aren't at hand."""
    for value in values:
        missing = [path for path in named_paths(value) if path not in files]
        if missing:
            noun = "session" if isinstance(value, Session) else "agent"
            yield Loss(f"{noun} {value.id!r}", f"{_some(missing)} not at hand; named, not contained")


def _some(paths: Collection[str]) -> str:
    first = next(iter(paths))
    return repr(first) if len(paths) == 1 else f"{len(paths)} files, such as {first!r},"


# --- what else doesn't go into the file


def other_branches_left_out(session: Session) -> list[Loss]:
    """A loss when a session has more messages than its path."""
    others = len(session) - len(session.path())
    them = counted(others, "message is", "messages are")
    return [Loss("the tree", f"{them} on other branches; left out")] if others > 0 else []


def agents_left_out(session: Session, found: Import) -> list[Loss]:
    """A loss for each agent of a session, in a form that has no place for them."""
    lost = "its presets and tools have no place here; left out"
    return [Loss(f"agent {agent.id!r}", lost) for agent in agents_named(session, found)]
