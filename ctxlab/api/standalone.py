"""The small languages by themselves: macros of what is typed, rules on a text, lore on a chat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from ctxlab.api.resolve import agent_for, model_for, refuse_agent, rules_of, start_of, timestamp_of, user_for
from ctxlab.context import BuildInput, Context, Origin, Text, Variables
from ctxlab.documents import Agent, ModelProfile, RegexConfig, RegexPreset, RegexRule, Session, UserProfile, Worldbook
from ctxlab.pipeline import Debugger

if TYPE_CHECKING:
    from ctxlab.engines.macros import Expansion, Problem
    from ctxlab.engines.regexes.render import Rendered
    from ctxlab.engines.regexes.rule_selection import Stage
    from ctxlab.engines.regexes.rule_steps import RegexSteps
    from ctxlab.engines.worldbook import LoreScan
    from ctxlab.formats import Import


def expand_input(
    text: str,
    session: Session | Import | None = None,
    agent: Agent | None = None,
    *,
    agents: Sequence[Agent] = (),
    user: UserProfile | None = None,
    model: str | ModelProfile | None = None,
    leaf: str | None = None,
    variables: Variables | None = None,
    timestamp: str | None = None,
    zone: str | None = None,
    seed: int = 0,
) -> Expansion:
    """What a user types, its macros expanded as they are when it is sent.

    `build(session, agent, pending=expand_input(text, session, agent).pending)` builds with it, each character knowing
    its macro. Agent, user and model are found as `build` finds them. `variables` come back changed, in the result.
    """
    from ctxlab.engines.macros import MacroEnv, expand

    source: Session | Import = session if session is not None else Session()
    chosen = source if isinstance(source, Session) else source.pick()
    at = leaf if leaf is not None else chosen.active_leaf_id
    known = (*agents, *(() if isinstance(source, Session) else source.agents))
    speaking = agent if agent is not None else agent_for(chosen, at, known).agent
    build_input = BuildInput(
        chosen,
        leaf=leaf,
        agent=speaking,
        user=user_for(user, speaking, source),
        model=model_for(model, speaking, chosen, at),
        variables=variables or Variables(),
        timestamp=timestamp if timestamp is not None else timestamp_of(chosen, at),
        zone=zone,
        seed=seed,
    )
    return expand(
        Text.of(text, Origin("pending")), MacroEnv.of(build_input, dice=Context(build_input).dice).at("pending")
    )


def macro_problems(text: str, *, dialect: str | None = None) -> tuple[Problem, ...]:
    """What is wrong with the macros of a text, before anything is expanded: unknown names with the nearest known one,
    wrong numbers of arguments. `dialect` is `sillytavern`, or None for ours.
    """
    from ctxlab.engines.macros import problems

    return problems(text, dialect)


def render(
    session: Session | Import,
    node: str | None = None,
    agent: Agent | None = None,
    *,
    streaming: bool = False,
    **options: Any,
) -> Rendered:
    """What a program shows for a message (default: the active leaf): rules for what is shown, reasoning set apart.

    `streaming` is while the message still comes in. `options` are those of `build`; `leaf` says which branch is open,
    which is what depths are counted on.
    """
    from ctxlab.engines.regexes.render import rendered

    refuse_agent(node, "render(session, node, agent)")
    build_input = start_of(session, agent, **options).start.input
    return rendered(build_input, node, streaming=streaming)


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


def lore_scan(
    books: Worldbook | Sequence[Worldbook],
    chat: Session | Import | str | Sequence[str],
    agent: Agent | None = None,
    **options: Any,
) -> LoreScan:
    """What becomes of every entry of these books: fired or not, by what, and the nearest change.

    `chat` is a session, or texts: one message of the user, or several, oldest first. `options` are those of `build`;
    settings of the scan are `settings={"worldbook-processor.scan_depth": 4}`. `scan.with_change(key)` scans again with
    an entry's nearest change.
    """
    from ctxlab.engines.worldbook.explain import scan_of
    from ctxlab.processors import WorldbookProcessor

    texts = [chat] if isinstance(chat, str) else chat
    if isinstance(texts, Sequence):
        session = Session(id="texts").append("", role="system")
        for text in texts:
            session = session.append(text)
        chat = session
    held = (books,) if isinstance(books, Worldbook) else tuple(books)
    debugger = Debugger(start_of(cast("Session | Import", chat), agent, books=held, **options))
    context = debugger.run_until(WorldbookProcessor.id)
    step = debugger.pipeline.stage(WorldbookProcessor.id).processor
    if isinstance(step, WorldbookProcessor):  # which says what it looked through also where no book is in force
        return step.scan(context, debugger.trace.services)
    if not debugger.done:
        context = debugger.step().after
    return scan_of(context)
