"""Macros and rules on a text alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from ctxlab.api.options import InputOptions, listed
from ctxlab.api.resolve import resolve, rules_of
from ctxlab.context import BuildInput, Context, Origin, Text, Variables
from ctxlab.documents import Agent, Library, ModelProfile, RegexConfig, RegexPreset, RegexRule, Session, UserProfile

if TYPE_CHECKING:
    from ctxlab.engines.macros import Expansion, MacroProblem
    from ctxlab.engines.regexes.rule_selection import Stage
    from ctxlab.engines.regexes.rule_steps import RegexSteps


@listed(InputOptions)
def expand_input(
    text: str,
    session: Session | Library | None = None,
    agent: Agent | Library | None = None,
    **options: Unpack[InputOptions],
) -> Expansion:
    """A user's text with its macros expanded as they are when it is sent.

    `build(session, agent, pending=expand_input(text, session, agent).pending)` builds with it, each character knowing
    its macro. Agent, user and model are found as `build` finds them. `variables` come back changed, in the result.
    """
    from ctxlab.engines.macros import MacroEnv, expand

    build_input = resolve(session if session is not None else Session(), agent, options).input
    return expand(
        Text.of(text, Origin("pending")), MacroEnv.of(build_input, dice=Context(build_input).dice).at("pending")
    )


def macro_problems(text: str, *, dialect: str | None = None) -> tuple[MacroProblem, ...]:
    """Problems of the macros of a text, before anything is expanded: unknown names with the nearest known one, wrong
    numbers of arguments. `dialect` is `sillytavern`, or None for ours.
    """
    from ctxlab.engines.macros import problems

    return problems(text, dialect)


def regex_steps(
    text: Text | str,
    rules: RegexConfig | RegexPreset | RegexRule | Sequence[RegexPreset | RegexRule],
    *,
    role: str | None = None,
    depth: int | None = 0,
    stage: Stage = "request",
    streaming: bool = False,
    agent: Agent | None = None,
    user: UserProfile | None = None,
    model: str | ModelProfile | None = None,
    variables: Variables | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
) -> RegexSteps:
    """A text after each rule, with what was found and put in its place, or why a rule did nothing.

    A role or depth of None is any; `stage` is request or render. Agent, user and the rest are what macros know.

    >>> str(regex_steps("ab", RegexRule(regex="b", replacement="[$&]"), stage="render"))
    'a[b]'
    """
    from ctxlab.engines.regexes.rule_steps import regex_steps

    config = rules_of([rules] if isinstance(rules, RegexPreset | RegexRule) else rules)
    build_input = BuildInput(
        Session(),
        agent=agent,
        user=user,
        model=ModelProfile(id=model) if isinstance(model, str) else model,
        variables=variables or Variables(),
        timestamp=timestamp,
        zone=zone,
    )
    return regex_steps(text, config, build_input, role=role, depth=depth, stage=stage, streaming=streaming)
