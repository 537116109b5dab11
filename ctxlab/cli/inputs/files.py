"""The files that a command names, read into a session and a library, and the runs that are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import Field, fields, replace
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ctxlab.api.sources import is_preset
from ctxlab.cli.inputs.begin_session import agent_to_begin, begun, how_begun
from ctxlab.cli.inputs.options import CommandOptions, notes_from, running_step, settings_from, variables_from
from ctxlab.cli.inputs.read_conversation import conversation
from ctxlab.cli.inputs.read_file import is_pipe, read, refuse_two_pipes
from ctxlab.display.short_texts import counted
from ctxlab.documents import Agent, KnowledgeBase, Library, RegexPreset, Session, UserProfile, Worldbook
from ctxlab.errors import CtxlabError, ReadError, UnknownName
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ctxlab.api.options import BuildOptions, InputOptions
    from ctxlab.api.sillytavern import SillyTavernTurn
    from ctxlab.context import TurnKind
    from ctxlab.formats import Import, Loss
    from ctxlab.pipeline import Debugger, Trace

V = TypeVar("V")

SESSION = lazy_pattern(r"\.(?:session|chat(?:-\d+)?)\.json$")
ENDINGS = (".json", ".jsonl", ".png")

BUILD_OPTIONS = {"books": "book", "notes": "note", "variables": "var", "settings": "set"}
"""Options whose names are not those of their fields."""

Kind = Literal["agent", "user", "lore", "rules"]
OPTIONS = {"agent": "agent", "user": "user", "lore": "book", "rules": "rules"}
NOUNS = {"agent": "agent", "user": "user", "lore": "book", "rules": "set of rules"}


@dataclass(frozen=True, slots=True)
class Inputs:
    """A session, its participants, books and rules as a command builds with them, and what reading could not carry.

    `library` is everything that was read and can be named; `agent` is the library of a file that `--agent` names.
    """

    options: CommandOptions
    session: Session
    library: Library
    agent: Agent | Library | None = None
    user: UserProfile | None = None
    books: tuple[Worldbook, ...] = ()
    rules: tuple[RegexPreset, ...] = ()
    knowledge: tuple[KnowledgeBase, ...] = ()
    losses: tuple[str, ...] = ()
    unnamed: tuple[str, ...] = ()
    begun: str = ""
    turn: SillyTavernTurn | None = None
    recorded: Trace | None = None
    """The run of a recorded request, which is not built again."""

    def announce(self) -> None:
        """Print a line each about files that nobody named, a conversation that was begun, and a broken path."""
        from ctxlab.cli.output.terminal import complain

        if self.unnamed:
            *others, last = self.unnamed
            complain(f"also read {', '.join(others)}{' and ' if others else ''}{last}")
        if self.begun:
            complain(self.begun)
        if self.session.walk(self.options.leaf).broken:
            complain(f"the tree is broken: {mending(self.options.file)}")

    def uncut(self) -> Trace:
        """The whole run with the limiter off, to be run again from there."""
        from ctxlab.cli.output.progress import progress
        from ctxlab.processors import TokenLimiter

        debugger = self.debugger()
        debugger.set({f"{TokenLimiter.id}.enabled": False})
        with progress("counting tokens"):
            return debugger.run()

    def trace(self) -> Trace:
        """The run, up to and with the step that `--until` names; `announce` is left to the caller."""
        from ctxlab.cli.output.progress import progress

        if self.recorded is not None:
            return self.recorded
        with progress("counting tokens"):
            return self._run()

    def _run(self) -> Trace:
        from ctxlab import api

        if self.options.until is None:
            return api.build(self.session, self.agent, **self._build_options())
        debugger = self.debugger()
        last = running_step(debugger.pipeline, self.options.until)
        while debugger.step().id != last:
            pass
        return debugger.trace

    def debugger(self) -> Debugger:
        """A debugger at the start of the run; `announce` is left to the caller."""
        from ctxlab import api

        return api.debug(self.session, self.agent, **self._build_options())

    def turn_options(self) -> dict[str, Any]:
        """The options of a turn of the session; its text, its leaf and its model are left to the caller."""
        left_out = ("leaf", "pending", "model")
        given = {name: value for name, value in self._build_options().items() if name not in left_out}
        return {**given, "agent": self.agent}

    def _build_options(self) -> BuildOptions:
        from ctxlab import api
        from ctxlab.cli.output.option_names import with_timestamp_option
        from ctxlab.cli.output.terminal import complain
        from ctxlab.processors import default_pipeline

        typed, pipeline = self.options, default_pipeline()
        if typed.assets is not None and not typed.assets.is_dir():
            raise CtxlabError(f"{typed.assets} is no folder; --assets takes the one in which files of messages are")
        settings = settings_from(pipeline, typed.settings or ())
        known: InputOptions = {
            "library": self.library,
            "user": self.user,
            "model": typed.model,
            "leaf": typed.leaf,
            "variables": variables_from(typed.variables or ()),
            "timestamp": typed.timestamp,
            "zone": typed.zone,
            "seed": typed.seed,
        }
        options: BuildOptions = {
            **known,
            "budget_tokens": typed.budget,
            "books": self.books,
            "rules": self.rules,
            "presets": notes_from(typed.notes or ()),
            "knowledge": self.knowledge,
            "settings": settings,
            "pipeline": pipeline,
            "assets": typed.assets,
        }
        if typed.tokenizer is not None or typed.template is not None:
            from ctxlab.api.tokenizers import typed_counter

            options["tokenizer"] = typed_counter(typed.tokenizer, typed.template, typed.model)
        if self.turn is not None:
            return self.turn.options(**_typed_alone(options))
        if typed.pending is None:
            return options
        expansion = api.expand_input(typed.pending, self.session, self.agent, **known)
        for note in expansion.notes:
            complain(with_timestamp_option(note.text))
        return {**options, "pending": expansion.pending, "variables": expansion.variables}


def load(options: CommandOptions) -> Inputs:
    """Read the files that are named, and those beside the session where nothing else is named.

    Where the file holds an agent and no session, a conversation is begun with its greeting.
    """
    books, rules = options.books or (), options.rules or ()
    refuse_two_pipes(options.files)
    first, pick = conversation(options.file, options.pick)
    session = picked(first, pick) if first.sessions else None
    files = _Files(options.file, first)
    agent = files.agent(options.agent or ())
    user = files.user(options.user)
    how = ""
    if session is None:
        agent = agent_to_begin(first, options.file, agent, command=options.command)
        session = begun(agent, options.file, user, options)
        how = how_begun(session, agent, options.file)
    found = tuple(files.books(books)), tuple(files.rules(rules)), tuple(files.knowledge(options.knowledge or ()))
    losses, unnamed = losses_for(session, first, files.losses), tuple(files.unnamed)
    return Inputs(options, session, files.library, agent, user, *found, losses, unnamed, how)


def load_request(options: CommandOptions, number: int) -> Inputs:
    """A request of a recording as it was sent, by its number from 1; options of a build are refused beside it."""
    from ctxlab.cli.inputs.recording_file import read_recording_file
    from ctxlab.recordings.readers.plain_prompt import is_prompt

    typed = typed_option(replace(options, template=None) if is_prompt(options.file) else options)
    if typed is not None:
        raise CtxlabError(f"--request shows what was sent, as it was recorded; --{typed} is of a build, leave it out")
    recording = read_recording_file(options.file, options.template)
    count = len(recording.requests)
    if not 1 <= number <= count:
        raise UnknownName(f"{options.file} has no request {number}; its requests are 1 to {count:,}")
    request = recording.requests[number - 1]
    begun = f"request {number:,} of {count:,} in {options.file.name}, as it was sent"
    losses = tuple(map(str, recording.losses))
    return Inputs(options, recording.session, Library(), losses=losses, begun=begun, recorded=request.trace)


def typed_option(options: CommandOptions) -> str | None:
    """The name of the first option that was typed besides the file; None where there is none."""
    typed = next((each.name for each in fields(CommandOptions) if _is_typed(options, each)), None)
    return BUILD_OPTIONS.get(typed, typed) if typed is not None else None


def _is_typed(options: CommandOptions, field: Field[Any]) -> bool:
    return field.name not in ("file", "command") and getattr(options, field.name) not in (field.default, None, [], ())


def load_turn(options: CommandOptions, folder: Path, *, chat: str | None, kind: TurnKind) -> Inputs:
    """The next turn of a chat in SillyTavern's data folder, with what else is named; `--pending` is what is sent."""
    from ctxlab import formats
    from ctxlab.api.sillytavern import sillytavern

    turn = sillytavern(
        folder, chat=chat, kind=kind, text=options.pending, timestamp=options.timestamp, zone=options.zone
    )
    options = replace(options, pending=None, file=folder)
    files = _Files(folder, formats.Import())
    agent, user = files.agent(options.agent or ()), files.user(options.user)
    books, rules = tuple(files.books(options.books or ())), tuple(files.rules(options.rules or ()))
    knowledge = tuple(files.knowledge(options.knowledge or ()))
    library, losses = turn.library | files.library, tuple(map(str, (*turn.losses, *files.losses)))
    return Inputs(options, turn.session, library, agent or turn.agent, user, books, rules, knowledge, losses, turn=turn)


def _typed_alone(options: BuildOptions) -> BuildOptions:
    """The options without the library and without variables where none are typed."""
    typed = options.copy()
    typed.pop("library", None)
    variables = typed.get("variables")
    if variables is not None and not variables.session:
        typed.pop("variables", None)
    return typed


def losses_for(session: Session, first: Import, losses: Sequence[Loss | str]) -> tuple[str, ...]:
    """The losses that are told with one session of several in a folder: those of its file, and how many others."""
    files = [file for each, file in zip(first.sessions, first.session_files, strict=False) if each is session]
    if not files or not files[0] or len(first.sessions) == 1:
        return tuple(map(str, losses))
    elsewhere = {loss for loss in first.losses if loss.place != files[0] and not loss.place.startswith(f"{files[0]}, ")}
    there = [loss for loss in losses if loss not in elsewhere]
    others = len(losses) - len(there)
    lost = counted(others, "thing")
    more = (f"{lost} lost in other files of the folder, which this conversation has no part in",) if others else ()
    return (*map(str, there), *more)


def session_of(file: Path, found: Import, pick: str | None, *, command: str) -> tuple[Session, str]:
    """The session of a file that `--pick` means, or one that is begun, with the line that says so."""
    if found.sessions:
        return picked(found, pick), ""
    agent = agent_to_begin(found, file, None, command=command)
    session = begun(agent, file, None, None)
    return session, how_begun(session, agent, file)


def mending(file: Path) -> str:
    """The command that mends a broken tree."""
    target = "mended.session.json" if file.name != "mended.session.json" else "whole.session.json"
    return f"ctxlab convert {quote(str(file))} {target} --repair writes it mended"


def picked(library: Import, pick: str | None) -> Session:
    """The session that `--pick` means: an id first, else an index; of several with one id it says which it takes."""
    those = [index for index, session in enumerate(library.sessions) if session.id == pick]
    if len(those) > 1:
        from ctxlab.cli.output.terminal import complain

        files = library.session_files[those[-1] : those[-1] + 1]
        which = f"the last, of {files[0]}," if files and files[0] else "the last"
        complain(f"{len(those)} sessions have the id {pick!r}; {which} is used, and --pick {those[0]} takes the first")
    if pick is None or those:
        return library.pick(pick)
    return library.pick(int(pick) if pick.removeprefix("-").isdecimal() else pick)


def beside(file: Path, kind: Kind) -> Path | None:
    """`harbour.agent.json` beside `harbour.session.json`; `harbour.lore.json` and `harbour_lore.json` are as good.

    Beside `harbour.chat.json` too, where `ctxlab chat` goes on with that session.
    """
    return next((path for path in paths_beside(file, kind) if path.is_file()), None)


def paths_beside(file: Path, kind: Kind) -> tuple[Path, ...]:
    """The paths at which a file of this kind is looked for beside a session, the first that is there counts."""
    name = SESSION.sub("", file.name)
    return tuple(file.with_name(f"{name}{sign}{kind}.json") for sign in "._") if name != file.name else ()


class _Files:
    """Lookups of the values that options name, in a library that grows with every file that is read."""

    def __init__(self, file: Path, first: Import) -> None:
        self.file, self.first = file, first
        self.library: Library = first
        self.losses = [*first.losses]
        self.unnamed: list[str] = []

    def agent(self, names: Sequence[str]) -> Agent | Library | None:
        """The one that is named, or the library of its file; None leaves the choice to the session.

        A preset and a card are one agent: two files that are these are joined.
        """
        if len(names) > 1:
            return self._joined(names)
        named = names[0] if names else None
        self._add_beside("agent", named)
        if named is None or not _is_path(named):
            return self._named("agent", named) if named is not None else None
        brought = self._read(Path(named))
        _only(brought.agents, "agent", named)
        self.library |= Library(books=brought.books)
        return brought

    def _joined(self, names: Sequence[str]) -> Library:
        from ctxlab import api

        found = [self._read(Path(name)) for name in names if _is_path(name)]
        presets = [each for each in found if is_preset(each)]
        if len(names) != 2 or len(found) != 2 or len(presets) != 1:
            given = " and ".join(map(quote, names))
            raise CtxlabError(f"--agent takes one agent, or the files of a preset and of a card; got {given}")
        for name, each in zip(names, found, strict=True):
            _only(each.agents, "agent", name)
        (card,) = [each for each in found if each is not presets[0]]
        joined = api.joined(presets[0], card)
        self.library |= Library(books=joined.books)
        return joined

    def user(self, named: str | None) -> UserProfile | None:
        """The one that is named; None leaves the choice to the agent."""
        self._add_beside("user", named)
        if named is None or not _is_path(named):
            return self._named("user", named) if named is not None else None
        brought = self._read(Path(named))
        self.library |= Library(books=brought.books)
        return _only(brought.users, "user", named)

    def books(self, named: Sequence[str]) -> Iterator[Worldbook]:
        """The books that are named, else those of the session's file and of a file beside it."""
        if not named:
            yield from self.first.books_of_nobody()
        for name in named:
            if _is_path(name):
                yield from _some(self._read(Path(name)).books, "lore", name)
            else:
                yield self._named("lore", name)
        for path in () if named else self._unnamed("lore"):
            yield from _some(self._read(path).books, "lore", path.name)

    def rules(self, named: Sequence[str]) -> Iterator[RegexPreset]:
        """The rules of the files that are named, else those of the session's file and of a file beside it."""
        if not named:
            yield from self.first.rules
        for path in map(Path, named) if named else self._unnamed("rules"):
            yield from _some(self._read(path).rules_inside(), "rules", str(path))

    def knowledge(self, named: Sequence[str]) -> Iterator[KnowledgeBase]:
        """The bases of the files and folders that are named, those made of their texts included."""
        for name in named:
            made = tuple(knowledge_of(name))
            self.losses += [loss for base in made for loss in base.losses]
            yield from made

    def _add_beside(self, kind: Kind, named: str | None) -> None:
        """Take in the file beside the session, unless another file is named."""
        if named is None:
            for path in self._unnamed(kind):
                self.library |= self._read(path)
        elif not _is_path(named) and (path := beside(self.file, kind)) is not None:
            self.library |= self._read(path)

    def _unnamed(self, kind: Kind) -> list[Path]:
        """The file beside the session that is read though nobody names it; none or one."""
        path = beside(self.file, kind)
        found = [path] if path is not None else []
        self.unnamed += [path.name for path in found]
        return found

    def _named(self, kind: Kind, name: str) -> Any:
        found = {"agent": self.library.agent, "user": self.library.user, "lore": self.library.book}[kind]
        try:
            return found(name)
        except UnknownName as error:
            near = error.near or f"; --{OPTIONS[kind]} takes a file, or the id of one in the file"
            raise CtxlabError(f"there is no {NOUNS[kind]} {name!r} in {self.file.name} or beside it{near}") from None

    def _read(self, path: Path) -> Import:
        more = read(path)
        self.losses += more.losses
        return more


def knowledge_of(name: str) -> Sequence[KnowledgeBase]:
    """The bases that a file holds, else one made of the file or the folder, under the name of it."""
    from ctxlab.api.knowledge_base import knowledge_base
    from ctxlab.cli.output.progress import progress

    path = Path(name).expanduser()
    if not name or is_pipe(name):
        raise CtxlabError("--knowledge takes the name of a file or of a folder")
    if not path.exists():
        raise ReadError(f"{path} does not exist")
    if path.suffix.lower() == ".json" and path.is_file():
        with suppress(ReadError):  # in no format of a base, but a text all the same
            if held := read(path).knowledge_bases:
                return held
    with progress(f"reading {path.name}"):
        return (knowledge_base(path.absolute().stem, path),)


def _is_path(text: str) -> bool:
    return is_pipe(text) or text.lower().endswith(ENDINGS) or "/" in text or "\\" in text or Path(text).is_file()


def _only(found: Sequence[V], kind: Kind, text: str) -> V:
    if len(found) != 1:
        raise CtxlabError(f"{text} holds {len(found)} {kind}s, not one; --{kind} takes a file with one, or an id")
    return found[0]


def _some(found: Sequence[V], kind: Kind, text: str) -> Sequence[V]:
    if not found:
        raise CtxlabError(f"{text} holds no {NOUNS[kind]}; --{OPTIONS[kind]} takes a file with one")
    return found
