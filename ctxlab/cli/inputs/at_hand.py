"""What is at hand for a request: a file with a session, what lies beside it, what other files bring."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from ctxlab.documents import Agent, RegexPreset, Session, UserProfile, Worldbook
    from ctxlab.formats import Import

SESSION = ".session.json"
ENDINGS = (".json", ".jsonl", ".png")

Speaker = Literal["agent", "user"]
Material = Literal["lore", "rules"]
OPTIONS = {"agent": "agent", "user": "user", "lore": "book", "rules": "rules"}
NOUNS = {"agent": "agent", "user": "user", "lore": "book", "rules": "set of rules"}


class AtHand:
    """A session, and everything that was read for it.

    `held` is the file with that one session, and the agents, users and books that can be named; `books` and `rules`
    are in force whoever speaks.
    """

    held: Import
    session: Session

    def __init__(self, file: Path, *, pick: str | None = None) -> None:
        first = read(file)
        self.file = file
        self.session = picked(first, pick)
        self.held = replace(first, sessions=(self.session,))
        self.losses = [str(loss) for loss in first.losses]
        self.beside: list[str] = []
        self.books: list[Worldbook] = []
        self.rules: list[RegexPreset] = []

    def agent(self, named: str | None) -> Agent | None:
        """The one that is named, with the book and the rules of its file; None leaves the choice to the session."""
        self._add_beside("agent", unless=named)
        if named is None:
            return None
        if not _is_path(named):
            return _named(named, self.held.agents, "agent", self.file)
        more = self._read(Path(named))
        agent: Agent = _only(more.agents, "agent", named)
        self.held = replace(self.held, books=(*self.held.books, *more.books))
        self.books += [book for book in more.books if book.book_id not in agent.worldbook_ids]
        own = agent.regex_config.presets if agent.regex_config else ()
        self.rules += [preset for preset in more.rules if preset not in own]
        return agent

    def user(self, named: str | None) -> UserProfile | None:
        """The one that is named, else the only one that can be."""
        self._add_beside("user", unless=named)
        if named is None:
            return self.held.users[0] if len(self.held.users) == 1 else None
        if not _is_path(named):
            return _named(named, self.held.users, "user", self.file)
        more = self._read(Path(named))
        self.held = replace(self.held, books=(*self.held.books, *more.books))
        return _only(more.users, "user", named)

    def add_books(self, named: Sequence[str]) -> None:
        """The books that are named, else those that lie beside the session."""
        for name in named:
            at_hand = () if _is_path(name) else [_named(name, self.held.books, "lore", self.file)]
            self.books += at_hand or _some(self._read(Path(name)).books, "lore", name)
        if not named and (path := beside(self.file, "lore")) is not None:
            self.beside.append(path.name)
            self.books += _some(self._read(path).books, "lore", path.name)

    def add_rules(self, named: Sequence[str]) -> None:
        """The rules of the files that are named, else those that lie beside the session."""
        for name in named:
            self.rules += self._rules_in(Path(name))
        if not named and (path := beside(self.file, "rules")) is not None:
            self.beside.append(path.name)
            self.rules += self._rules_in(path)

    def _rules_in(self, path: Path) -> Sequence[RegexPreset]:
        """Sets of rules, or those that an agent or a user brings."""
        more = self._read(path)
        configs = [speaker.regex_config for speaker in (*more.agents, *more.users) if speaker.regex_config is not None]
        brought = [preset for config in configs for preset in config.presets]
        return _some(more.rules or brought, "rules", str(path))

    def _add_beside(self, kind: Speaker, *, unless: str | None) -> None:
        path = beside(self.file, kind)
        if path is None or (unless is not None and _is_path(unless)):
            return
        more, held = self._read(path), self.held
        self.held = replace(held, books=(*held.books, *more.books))
        if kind == "agent":
            self.held = replace(self.held, agents=(*held.agents, *more.agents))
        else:
            self.held = replace(self.held, users=(*held.users, *more.users))
        if unless is None:
            self.beside.append(path.name)

    def _read(self, path: Path) -> Import:
        more = read(path)
        self.losses += [str(loss) for loss in more.losses]
        return more


def read(path: Path) -> Import:
    from ctxlab import api
    from ctxlab.cli.output.progress import progress

    with progress(f"reading {path.name}", file=path):
        return api.read(path)


def picked(held: Import, pick: str | None) -> Session:
    """The session that `--pick` means: an id first, else an index."""
    if pick is None or any(session.id == pick for session in held.sessions):
        return held.pick(pick)
    return held.pick(int(pick) if pick.removeprefix("-").isdecimal() else pick)


def beside(file: Path, kind: Speaker | Material) -> Path | None:
    """`harbour.agent.json` beside `harbour.session.json`; `harbour.lore.json` and `harbour_lore.json` are as good."""
    if not file.name.endswith(SESSION):
        return None
    name = file.name.removesuffix(SESSION)
    paths = (file.with_name(f"{name}{sign}{kind}.json") for sign in "._")
    return next((path for path in paths if path.is_file()), None)


def _is_path(text: str) -> bool:
    return text.lower().endswith(ENDINGS) or "/" in text or "\\" in text or Path(text).is_file()


def _named(text: str, known: Iterable[Any], kind: Speaker | Material, file: Path) -> Any:
    """The agent, user or book of those at hand that an option means."""
    from ctxlab.errors import CtxlabError, did_you_mean

    names = {name: value for value in known for name in _names_of(value)}
    if text in names:
        return names[text]
    option, noun = OPTIONS[kind], NOUNS[kind]
    near = did_you_mean(text, list(names)) or f"; --{option} takes a file, or the id of one in the file"
    raise CtxlabError(f"there is no {noun} {text!r} in {file.name} or beside it{near}")


def _names_of(value: Any) -> tuple[str, ...]:
    """Ids last, so that they win over names."""
    return tuple(name for name in (value.name, getattr(value, "book_id", ""), value.id) if name)


def _only(found: Sequence[Any], kind: Speaker, text: str) -> Any:
    from ctxlab.errors import CtxlabError

    if len(found) != 1:
        raise CtxlabError(f"{text} holds {len(found)} {kind}s, not one; --{kind} takes a file with one, or an id")
    return found[0]


def _some(found: Sequence[Any], kind: Material, text: str) -> Sequence[Any]:
    from ctxlab.errors import CtxlabError

    if not found:
        raise CtxlabError(f"{text} holds no {NOUNS[kind]}; --{OPTIONS[kind]} takes a file with one")
    return found
