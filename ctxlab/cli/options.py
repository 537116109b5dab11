"""The options that build, explain and step share, and what they come to: a loaded request."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ctxlab.documents import Agent, Session, UserProfile
    from ctxlab.formats import Import
    from ctxlab.pipeline import Debugger, Pipeline, Trace

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A file with a conversation.", show_default=False)]
PickOption = Annotated[
    str | None, typer.Option("--pick", metavar="P", help="Which session of several: an id, or an index from 0.")
]
AgentOption = Annotated[
    str | None, typer.Option("--agent", metavar="A", help="An agent's file, or the id of one in FILE or beside it.")
]
UserOption = Annotated[
    str | None,
    typer.Option("--user", metavar="U", help="A user profile's file, or the id of one in FILE or beside it."),
]
BudgetOption = Annotated[int | None, typer.Option("--budget", metavar="N", min=1, help="Tokens for the whole prompt.")]
ModelOption = Annotated[str | None, typer.Option("--model", metavar="M", help="The model's name, such as gpt-4o.")]
LeafOption = Annotated[
    str | None, typer.Option("--leaf", metavar="ID", help="The message to build for; else the session's active leaf.")
]
UntilOption = Annotated[str | None, typer.Option("--until", metavar="PROCESSOR", help="Stop after this step.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="STEP.SETTING=VALUE",
        help="Change a setting of a step; may be given again.",
        show_default=False,
    ),
]

SESSION = ".session.json"


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed."""

    file: Path
    pick: str | None = None
    agent: str | None = None
    user: str | None = None
    budget: int | None = None
    model: str | None = None
    leaf: str | None = None
    until: str | None = None
    settings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loaded:
    """What it comes to: a session, who speaks in it, and what reading could not carry."""

    asked: Asked
    session: Session
    agent: Agent | None
    agents: tuple[Agent, ...]
    user: UserProfile | None
    losses: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def announce(self) -> None:
        """One line about the files that nobody named and that were read all the same."""
        if self.beside:
            from ctxlab.cli.terminal import complain

            complain(f"also read {' and '.join(self.beside)}")

    def debugger(self) -> Debugger:
        """A debugger at the start of the run."""
        from ctxlab import api

        pipeline, options = self._options()
        debugger = api.debug(self.session, self.agent, pipeline=pipeline, **options)
        self.announce()
        return debugger

    def uncut(self) -> Trace:
        """The whole run with the limiter off, to be run again from there."""
        from ctxlab.cli.waiting import waiting

        debugger = self.debugger()
        debugger.set({"token-limiter.enabled": False})
        with waiting("counting tokens"):
            return debugger.run()

    def trace(self) -> Trace:
        """The run, up to and with the step that `--until` names."""
        from ctxlab.cli.waiting import waiting

        with waiting("counting tokens"):
            trace = self._run()
        self.announce()
        return trace

    def _run(self) -> Trace:
        from ctxlab import api

        pipeline, options = self._options()
        if self.asked.until is None:
            return api.build(self.session, self.agent, pipeline=pipeline, **options)
        debugger = api.debug(self.session, self.agent, pipeline=pipeline, **options)
        last = running_step(debugger.pipeline, self.asked.until)
        while debugger.step().id != last:
            pass
        return debugger.trace

    def _options(self) -> tuple[Pipeline, dict[str, Any]]:
        from ctxlab.processors import default_pipeline

        pipeline = default_pipeline()
        settings: dict[str, Any] = {}
        for text in self.asked.settings:
            settings.update(setting_from(pipeline, text))
        return pipeline, {
            "agents": self.agents,
            "user": self.user,
            "model": self.asked.model,
            "leaf": self.asked.leaf,
            "budget_tokens": self.asked.budget,
            "settings": settings,
        }


def load(asked: Asked) -> Loaded:
    """Read what was asked for, with agent and user that lie beside the session where none is named."""
    held = read(asked.file)
    session = picked(held, asked.pick)
    agents, users = held.agents, held.users
    found: list[str] = []
    losses = [str(loss) for loss in held.losses]
    for name, kind in (("agent", asked.agent), ("user", asked.user)):
        beside = _beside(asked.file, name)
        if beside is None or (kind is not None and _is_path(kind)):
            continue
        more = read(beside)
        losses += [str(loss) for loss in more.losses]
        if name == "agent":
            agents = (*agents, *more.agents)
        else:
            users = (*users, *more.users)
        if kind is None:
            found.append(beside.name)
    agent = None if asked.agent is None else _named(asked.agent, agents, "agent", asked.file)
    user = (
        (users[0] if len(users) == 1 else None) if asked.user is None else _named(asked.user, users, "user", asked.file)
    )
    return Loaded(asked, session, agent, agents, user, tuple(losses), tuple(found))


def read(path: Path) -> Import:
    from ctxlab import api
    from ctxlab.cli.waiting import waiting

    with waiting(f"reading {path.name}", file=path):
        return api.read(path)


def picked(held: Import, pick: str | None) -> Session:
    """The session that `--pick` means: an id first, else an index."""
    if pick is None or any(session.id == pick for session in held.sessions):
        return held.pick(pick)
    return held.pick(int(pick) if pick.removeprefix("-").isdecimal() else pick)


def running_step(pipeline: Pipeline, id: str) -> str:
    """The id of a step that will run; raises UnknownProcessor, or WrongSetting for one that is switched off."""
    from ctxlab.errors import WrongSetting

    stage = pipeline.stage(id)
    if not stage.enabled:
        raise WrongSetting(f"step {stage.id!r} is switched off; setting {stage.id}.enabled=true switches it on")
    return stage.id


def setting_from(pipeline: Pipeline, text: str) -> dict[str, Any]:
    """`step.setting=value` as a setting. A value is JSON where it can be read so and the setting is no text."""
    from ctxlab.errors import WrongSetting

    name, sign, value = text.partition("=")
    step, dot, setting = name.strip().rpartition(".")
    if not sign or not dot:
        raise WrongSetting(f"{text!r} is no setting; write step.setting=value, such as token-limiter.retain=each")
    base = pipeline.stage(step).base
    field = base.Settings.model_fields.get(setting)
    try:
        parsed: Any = json.loads(value)
    except ValueError:
        parsed = value
    if field is not None and field.annotation is str and not isinstance(parsed, str):
        parsed = value
    return {f"{base.id}.{setting}": parsed}


def _beside(file: Path, name: str) -> Path | None:
    """`harbour.agent.json` beside `harbour.session.json`."""
    if not file.name.endswith(SESSION):
        return None
    path = file.with_name(f"{file.name.removesuffix(SESSION)}.{name}.json")
    return path if path.is_file() else None


def _is_path(text: str) -> bool:
    return text.endswith(".json") or "/" in text or "\\" in text or Path(text).is_file()


def _named(text: str, known: Sequence[Any], what: str, file: Path) -> Any:
    """The agent or user that an option means: of a file of its own, or one of those at hand."""
    from ctxlab.errors import CtxlabError, did_you_mean

    if _is_path(text):
        held = read(Path(text))
        found: Sequence[Any] = held.agents if what == "agent" else held.users
        if len(found) != 1:
            raise CtxlabError(f"{text} holds {len(found)} {what}s, not one; --{what} takes a file with one, or an id")
        return found[0]
    for value in known:
        if text in (value.id, value.name):
            return value
    near = did_you_mean(text, [value.id for value in known]) or f"; --{what} takes a file, or the id of one in the file"
    raise CtxlabError(f"there is no {what} {text!r} in {file.name} or beside it{near}")


def report_settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in settings.items())
