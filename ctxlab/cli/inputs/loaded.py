"""What the options of a command come to: a loaded request, and the runs that are made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ctxlab.cli.inputs.at_hand import AtHand, picked, read
from ctxlab.cli.inputs.options import BuildOptions

if TYPE_CHECKING:
    from ctxlab.context import Variables
    from ctxlab.documents import Agent, RegexPreset, Session, UserProfile, Worldbook
    from ctxlab.formats import Import
    from ctxlab.pipeline import Debugger, Pipeline, Trace

__all__ = [
    "BuildOptions",
    "Loaded",
    "load",
    "picked",
    "read",
    "report_settings",
    "running_step",
    "setting_from",
    "variables_from",
]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What it comes to: a session, who speaks in it, books and rules, and what reading could not carry.

    `held` is FILE and what lies beside it, with the one session; `books` and `rules` are those in force whoever speaks.
    """

    asked: BuildOptions
    held: Import
    session: Session
    agent: Agent | None
    user: UserProfile | None
    books: tuple[Worldbook, ...]
    rules: tuple[RegexPreset, ...]
    losses: tuple[str, ...]
    beside: tuple[str, ...] = ()

    def announce(self) -> None:
        """One line about the files that nobody named and that were read all the same."""
        if self.beside:
            from ctxlab.cli.output.terminal import complain

            *others, last = self.beside
            complain(f"also read {', '.join(others)}{' and ' if others else ''}{last}")

    def debugger(self) -> Debugger:
        """A debugger at the start of the run."""
        from ctxlab import api

        pipeline, options = self._options()
        debugger = api.debug(self.held, self.agent, pipeline=pipeline, **options)
        self.announce()
        return debugger

    def uncut(self) -> Trace:
        """The whole run with the limiter off, to be run again from there."""
        from ctxlab.cli.output.progress import waiting
        from ctxlab.processors import TokenLimiter

        debugger = self.debugger()
        debugger.set({f"{TokenLimiter.id}.enabled": False})
        with waiting("counting tokens"):
            return debugger.run()

    def trace(self) -> Trace:
        """The run, up to and with the step that `--until` names."""
        from ctxlab.cli.output.progress import waiting

        with waiting("counting tokens"):
            trace = self._run()
        self.announce()
        return trace

    def _run(self) -> Trace:
        from ctxlab import api

        pipeline, options = self._options()
        if self.asked.until is None:
            return api.build(self.held, self.agent, pipeline=pipeline, **options)
        debugger = api.debug(self.held, self.agent, pipeline=pipeline, **options)
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
        about = {
            "user": self.user,
            "model": self.asked.model,
            "leaf": self.asked.leaf,
            "variables": variables_from(self.asked.variables),
            "timestamp": self.asked.timestamp,
            "zone": self.asked.zone,
            "seed": self.asked.seed,
        }
        rest = {"budget_tokens": self.asked.budget, "books": self.books, "rules": self.rules, "settings": settings}
        return pipeline, {**about, **self._pending(about), **rest}

    def _pending(self, about: Mapping[str, Any]) -> dict[str, Any]:
        """What is typed, its macros expanded, and the variables that they leave."""
        from ctxlab import api
        from ctxlab.cli.output.terminal import complain

        if self.asked.pending is None:
            return {}
        expansion = api.expand_input(self.asked.pending, self.held, self.agent, **about)
        for note in expansion.notes:
            complain(note.text)
        return {"pending": expansion.pending, "variables": expansion.variables}


def load(asked: BuildOptions) -> Loaded:
    """Read what was asked for, and what lies beside the session where nothing else is named."""
    at_hand = AtHand(asked.file, pick=asked.pick)
    agent, user = at_hand.agent(asked.agent), at_hand.user(asked.user)
    at_hand.add_books(asked.books)
    at_hand.add_rules(asked.rules)
    return Loaded(
        asked,
        at_hand.held,
        at_hand.session,
        agent,
        user,
        tuple(at_hand.books),
        tuple(at_hand.rules),
        tuple(at_hand.losses),
        tuple(at_hand.beside),
    )


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


def variables_from(texts: Sequence[str]) -> Variables:
    """`name=value` as variables of the conversation; a value that is a JSON number is one."""
    from ctxlab.context import Variables
    from ctxlab.errors import WrongSetting

    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise WrongSetting(f"{text!r} is no variable; write NAME=VALUE, such as coins=12")
        found[name.strip()] = _number_or_text(value)
    return Variables(session=found)


def _number_or_text(value: str) -> int | float | str:
    try:
        parsed: Any = json.loads(value)
    except ValueError:
        return value
    return parsed if isinstance(parsed, int | float) and not isinstance(parsed, bool) else value


def report_settings(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in settings.items())
