"""Macros and rules on a text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from ctxlab.api.options import InputOptions, listed
from ctxlab.api.resolve import engine_of, expanded, refuse_wrong_time, resolve, rule_settings
from ctxlab.api.sources import AgentSource, RuleSources, SessionSource, UserSource, agent_of, rules_of, user_of
from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput, Text, Variables
from ctxlab.documents import ModelProfile, Session
from ctxlab.engines.macros import Expansion, MacroProblem
from ctxlab.engines.macros.registry import Dialect as MacroDialect
from ctxlab.engines.regexes.rule_selection import Stage
from ctxlab.pipeline.settings.dialects import Dialect
from ctxlab.processors import default_pipeline

if TYPE_CHECKING:
    from ctxlab.engines.regexes.rule_steps import RegexSteps


@listed(InputOptions)
def expand_input(
    text: str,
    session: SessionSource | None = None,
    agent: AgentSource | None = None,
    **options: Unpack[InputOptions],
) -> Expansion:
    """A user's text with its macros expanded as they are when it is sent.

    `build(session, agent, pending=expand_input(text, session, agent).pending)` builds with it, each character knowing
    its macro. Agent, user and model are found as `build` finds them. `variables` come back changed, in the result.
    """
    build_input = resolve(session if session is not None else Session(), agent, options).input
    return expanded(text, build_input, engine_of(default_pipeline(), build_input))


@checked_arguments
def macro_problems(text: str, *, dialect: MacroDialect | None = None) -> tuple[MacroProblem, ...]:
    """Problems of the macros of a text, before anything is expanded: unknown names with the nearest known one, wrong
    numbers of arguments, known macros that are not closed. `dialect` is `sillytavern`, or None for ours.
    """
    from ctxlab.engines.macros import problems

    return problems(text, dialect)


@checked_arguments
def regex_steps(
    text: Text | str,
    rules: RuleSources,
    *,
    role: str | None = None,
    depth: int | None = 0,
    stage: Stage = "request",
    streaming: bool = False,
    agent: AgentSource | None = None,
    user: UserSource | None = None,
    model: str | ModelProfile | None = None,
    variables: Variables | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    dialect: str | Dialect | None = None,
) -> RegexSteps:
    """A text after each rule, with what was found and put in its place, or why a rule did nothing.

    A role or depth of None is any; `stage` is request or render. Agent, user and the rest are what macros know, and
    `dialect` is whose way is followed, by default the one that the agent brings.

    >>> str(regex_steps("ab", RegexRule(regex="b", replacement="[$&]"), stage="render"))
    'a[b]'
    """
    from ctxlab.engines.regexes.rule_steps import regex_steps

    refuse_wrong_time(timestamp, zone)
    build_input = BuildInput(
        Session(),
        agent=agent_of(agent) if agent is not None else None,
        user=user_of(user) if user is not None else None,
        model=ModelProfile(id=model) if isinstance(model, str) else model,
        variables=variables or Variables(),
        timestamp=timestamp,
        zone=zone,
    )
    reading = rule_settings(default_pipeline().with_dialect(dialect), build_input)
    return regex_steps(
        text,
        rules_of(rules),
        build_input,
        role=role,
        depth=depth,
        stage=stage,
        streaming=streaming,
        compat=reading.compat,
        engine=reading.macro_engine,
        limits=reading.limits,
    )
