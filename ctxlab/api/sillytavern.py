"""The next request of SillyTavern, from its own data folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from ctxlab.api.options import BuildOptions
from ctxlab.api.resolve import engine_of, expanded, start_of
from ctxlab.api.sources import FilePath, books_of, presets_of, rules_of
from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput, Origin, Text, TurnKind, Variables
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table
from ctxlab.documents import Agent, Library, ModelProfile, RegexConfig, Session, UserProfile
from ctxlab.engines.macros import Expansion, MacroEnv
from ctxlab.engines.macros.environment import MacroEngine
from ctxlab.errors import WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Debugger, Trace
from ctxlab.processors import default_pipeline

if TYPE_CHECKING:
    import pandas as pd

    from ctxlab.formats import Loss
    from ctxlab.formats.sillytavern.data_folder.turn import FolderTurn

WITH_TEXT = ("normal", "continue", "quiet", "impersonate")
"""Kinds of turns that take a text: what the user sends, the prompt of a quiet one, or what `{{input}}` shows."""
ARRIVAL = "arrival"
"""The cause of what scripts change in a message when it comes."""
COLUMNS = ("setting", "value", "where", "step", "state")


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SillyTavernTurn:
    """The next turn of a chat: `build()` makes the request of it, `settings()` says what decides on it.

    `losses` names what isn't done as the program does it.
    """

    turn: FolderTurn
    session: Session
    leaf: str | None
    variables: Variables
    timestamp: str | None = None
    zone: str | None = None

    @property
    def agent(self) -> Agent:
        """The speaker's card with the preset in use."""
        return self.turn.agent

    @property
    def user(self) -> UserProfile:
        """The persona."""
        return self.turn.user

    @property
    def losses(self) -> tuple[Loss, ...]:
        from ctxlab.formats.results import Losses

        return Losses(self.turn.losses)

    @property
    def library(self) -> Library:
        """Everything of the turn, such as for a workspace or a study."""
        found = self.turn
        return Library(
            sessions=(self.session,),
            agents=found.agents,
            users=(found.user,),
            books=found.books,
            rules=found.rules,
            presets=found.presets,
            files=found.files,
        )

    def __repr__(self) -> str:
        return f"SillyTavernTurn({self.turn.kind!r}, {self.session.id!r}, {self.agent.shown_name!r})"

    def _repr_html_(self) -> str:
        return heading(self) + html_table(COLUMNS, self._rows(), of="settings")

    def settings(self) -> pd.DataFrame:
        """One row a setting that counts: its value, the file it is from, the step's setting that it becomes.

        `state` is used, or not run, which is an extension that was on and that may change the prompt.
        """
        rows = (dict(zip(COLUMNS, row, strict=True)) for row in self._rows())
        return frame_of(rows, COLUMNS).astype({"value": object})

    def _rows(self) -> Iterator[tuple[Any, ...]]:
        for each in self.turn.settings:
            yield each.setting, each.value, each.where, each.step, each.state

    def build(self, **options: Unpack[BuildOptions]) -> Trace:
        """The request with every step that led there. `options` are those of `ctxlab.build`.

        Books, rules and presets come besides those of the folder, other options take the place of what was read.
        """
        return start_of(self.session, self.agent, **self.options(**options)).finished()

    def debug(self, **options: Unpack[BuildOptions]) -> Debugger:
        """A debugger at the start of the run that `build` would do."""
        return Debugger(start_of(self.session, self.agent, **self.options(**options)))

    def options(self, **options: Unpack[BuildOptions]) -> BuildOptions:
        """The options with which `ctxlab.build(turn.session, turn.agent, ...)` is this request, with those given.

        Those that are None are as they were read.
        """
        found = self.turn
        own: BuildOptions = {
            "leaf": self.leaf,
            "turn": found.kind,
            "group": found.group,
            "facts": found.facts,
            "user": found.user,
            "model": self._model if found.encoding else found.model,
            "variables": self.variables,
            "activations": found.activations,
            "timestamp": self.timestamp,
            "zone": self.zone,
            "library": Library(files=found.files),
            "dialect": found.dialect,
            "chat_books": found.chat_books,
        }
        pipeline = options.get("pipeline") or default_pipeline()
        together: BuildOptions = {
            "books": (*found.books, *books_of(options.get("books", ()))),
            "rules": RegexConfig(presets=(*found.rules, *rules_of(options.get("rules", ())).presets)),
            "presets": (*found.presets, *presets_of(options.get("presets", ()))),
            "pipeline": pipeline.with_layout(_layout(found.steps)),
        }
        given = cast("BuildOptions", {name: value for name, value in options.items() if value is not None})
        return {**own, **given, **together}

    @checked_arguments
    def stored(self, text: str, *, role: Literal["user", "assistant"] = "user") -> str:
        """A text as the program stores it when it comes: changed by the scripts that change the chat itself.

        Macros of what the user sends are expanded then, once and for all.
        """
        build_input = self._input()
        changed = _as_stored(text, build_input, self._engine(build_input), role=role)
        return str(self._expanded(changed, build_input).text) if role == "user" else changed

    def _engine(self, build_input: BuildInput) -> MacroEngine:
        return engine_of(default_pipeline().with_dialect(self.turn.dialect), build_input)

    def _expanded(self, text: str, build_input: BuildInput) -> Expansion:
        return expanded(text, build_input, self._engine(build_input))

    def _input(self) -> BuildInput:
        return BuildInput(
            self.session,
            leaf=self.leaf,
            agent=self.agent,
            user=self.user,
            model=self._model,
            variables=self.variables,
            timestamp=self.timestamp,
            zone=self.zone,
            turn=self.turn.kind,
            group=self.turn.group,
            facts=self.turn.facts,
            rules=RegexConfig(presets=self.turn.rules),
        )

    @property
    def _model(self) -> ModelProfile | None:
        """The model with the tokenizer by which the program counts for it."""
        tokenizer = {"tokenizer": self.turn.encoding} if self.turn.encoding else {}
        return ModelProfile.model_validate({"id": self.turn.model, **tokenizer}) if self.turn.model else None

    def _saying(self, text: str) -> SillyTavernTurn:
        """With one more message of the user."""
        build_input = self._input()
        changed = _as_stored(text, build_input, self._engine(build_input), role="user")
        expansion = self._expanded(changed, build_input)
        id = f"m{self.turn.lines}"  # as the reader of chats will name it once it is a line of the file
        session = self.session.append(
            str(expansion.text), role="user", parent=self.leaf, id=id, timestamp=self.timestamp, name=self.user.name
        )
        return replace(self, session=session, leaf=id, variables=expansion.variables)


@checked_arguments
def sillytavern(
    folder: FilePath,
    *,
    chat: str | None = None,
    character: str | None = None,
    kind: TurnKind = "normal",
    text: str | None = None,
    speaker: str | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
) -> SillyTavernTurn:
    """The next request of SillyTavern, from a user's data folder of the program (`data/default-user`), as it is there.

    `chat` is the name of a chat's file, alone or after its character's folder and `/`; without it the chat that the
    program has open. `character` is the card or the group it is with, by name or file, `speaker` the member of a group
    who replies. `text` is what the user sends with it, the prompt of a quiet turn, or in a turn that impersonates the
    words that are typed and stay, which `{{input}}` shows; without one a normal turn sends the words that the preset
    has for it, if any. The settings in use, the card,
    the persona, the chat's note and variables, linked lorebooks and scripts are all taken from the folder. It is only
    read; secrets are not. `timestamp` is the time of the request, ISO 8601; by default that of the newest message.

    Raises ReadError where folder, chat or card can't be read.
    """
    from ctxlab.formats.sillytavern.data_folder.folder import DataFolder
    from ctxlab.formats.sillytavern.data_folder.turn import read_turn

    if text is not None and kind not in WITH_TEXT:
        raise WrongArgument(f"a turn of kind {kind!r} takes no text; those that do are {', '.join(WITH_TEXT)}")
    if text is None and kind == "quiet":
        raise WrongArgument("a quiet turn needs text=, its prompt")
    found = read_turn(DataFolder.at(folder), chat=chat, character=character, kind=kind, text=text, speaker=speaker)
    variables = Variables(session=found.session_variables, everywhere=found.everywhere_variables)
    turn = SillyTavernTurn(found, found.session, found.leaf, variables, timestamp, zone)
    return turn._saying(found.typed) if found.typed else turn  # pyright: ignore[reportPrivateUsage]


def _layout(steps: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Settings of steps as a stored layout, whose wrong values earn notes."""
    by_step: dict[str, dict[str, Any]] = {}
    for name, value in steps.items():
        step, _, setting = name.rpartition(".")
        by_step.setdefault(step, {})[setting] = value
    return [{"id": step, "settings": settings} for step, settings in by_step.items()]


def _as_stored(text: str, build_input: BuildInput, engine: MacroEngine, *, role: str) -> str:
    """The text after the scripts that change messages when they come, whatever their depths."""
    from ctxlab.engines.regexes.apply_plans import apply
    from ctxlab.engines.regexes.rule_selection import Ruleset

    ruleset = Ruleset(build_input, stage="request", skips_arrivals=True)
    plan = ruleset.arrivals(role=role)
    env = MacroEnv.of(build_input, engine=engine)
    words = Text.of(text, Origin("pending"))
    compat = "sillytavern-1.19"
    applied = apply([words], [plan], ruleset.bound, env, stage="arrival", processor=ARRIVAL, compat=compat)
    return str(applied.texts[0])
