"""Old conversations under two configurations, single changes, places, the smallest context."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Unpack, cast

from ctxlab.api.options import BuildOptions, listed
from ctxlab.api.resolve import session_of, start_of
from ctxlab.api.sources import AgentSource, SessionSource, session_or_library
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.progress import ProgressOption, progress_of
from ctxlab.documents import Library, Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.studies.study.variant import Variant

if TYPE_CHECKING:
    from ctxlab.studies.what_if import Ablation, Minimised, Replay, Sweep
    from ctxlab.studies.what_if.replay import Conversation

SessionSources: TypeAlias = SessionSource | Sequence[SessionSource]
Configured: TypeAlias = Annotated[Mapping[str, Any], "options of build and settings"] | Variant | str
Kept: TypeAlias = str | re.Pattern[str] | Callable[[Trace], Any]
Keeps: TypeAlias = Annotated[Kept | Sequence[Kept], "keys, texts, patterns or functions of a trace"]
OPTIONS = frozenset({"agent", *BuildOptions.__annotations__})
REFUSED: Mapping[str, str] = {
    "leaf": "is each turn in its turn; turns= says which",
    "pending": "is no part of an old conversation",
    "pick": "is not taken; give the session that is meant",
}


@checked_arguments
def replay(
    sessions: SessionSources,
    before: Configured,
    after: Configured,
    *,
    turns: Literal["active", "all"] | Sequence[str] | None = None,
    must_keep: Keeps = (),
    progress: ProgressOption = True,
) -> Replay:
    """Every turn of old conversations built under two configurations; `.worst()` are the turns that change.

    A configuration has options of `build` and settings in one mapping, as in `{"budget_tokens": 4000,
    "token-limiter.strategy": "block"}`, or is the name of a strategy. A turn is a message that the model answers: of
    the active path, of all branches (`turns="all"`), or those of these ids. Lore that fired at a turn is known at the
    next, as when each build gets the `activations` of the one before. `must_keep` are texts, patterns and keys of
    messages whose loss counts most. A turn that can't be built has its error; `progress` shows the time
    left where it takes over a second, in a terminal and in a notebook; a function is called with the share that is
    done.
    """
    from ctxlab.studies.what_if.configuration import configuration_of
    from ctxlab.studies.what_if.keeps import keeps_of
    from ctxlab.studies.what_if.replay import replay as replayed

    first, second = [
        configuration_of(each, known=OPTIONS, refused=REFUSED, name=name)
        for each, name in ((before, "before"), (after, "after"))
    ]
    facts = keeps_of(must_keep)
    found = _conversations(sessions)
    with progress_of("replay", progress) as report:
        return replayed(found, first, second, turns=turns, facts=facts, progress=report)


@listed(BuildOptions)
def ablate(
    session: SessionSource,
    agent: AgentSource | None = None,
    *,
    only: Sequence[str] | None = None,
    progress: ProgressOption = True,
    **options: Unpack[BuildOptions],
) -> Ablation:
    """The run that `build` gives with one thing otherwise, for each single thing, those with the largest effect first.

    Each step is switched; each setting is moved by a notch up and down, or has each other choice; each preset, lore
    entry and rule is taken out. `only` names kinds: step, setting, preset, entry, rule. Further arguments are those of
    `build`, which raises what it raises; a change with which it can't be built is a row with its error.
    """
    from ctxlab.studies.what_if.ablate import ablate as ablated

    with progress_of("ablate", progress) as report:
        return ablated(start_of(session, agent, **options).finished(), only=only, progress=report)


@listed(BuildOptions)
def sweep(
    session: SessionSource,
    agent: AgentSource | None = None,
    *,
    what: str,
    depths: Sequence[float] | None = None,
    orders: Sequence[float] | None = None,
    anchors: Sequence[str] | None = None,
    progress: ProgressOption = True,
    **options: Unpack[BuildOptions],
) -> Sweep:
    """A preset or a lore entry, by its key, at each depth and each anchor in each order, and what that does.

    Without `depths` and `anchors` it goes through the depths 0 to 10, some beyond, and all anchors. An anchor of a
    preset is `"before chat_history"` or `"after user_profile"`, one of an entry `"before_char"`, `"after_an"` and their
    like. Further arguments are those of `build`, which raises what it raises; a place that can't be built is a row
    with its error.
    """
    from ctxlab.studies.turns import turn_above
    from ctxlab.studies.what_if.sweep import sweep as swept

    start = start_of(session, agent, **options)
    found = start.start.input
    above = turn_above(found.session, found.leaf_id) if found.leaf_id is not None else None
    earlier: Trace | None = None
    if above is not None:
        before = cast("BuildOptions", {**options, "leaf": above, "pending": None})
        try:
            earlier = start_of(session, agent, **before).finished()
        except CtxlabError:
            earlier = None
    trace = start.finished()
    with progress_of("sweep", progress) as report:
        return swept(trace, earlier, what, depths=depths, orders=orders, anchors=anchors, progress=report)


@checked_arguments
def minimise(trace: Trace, *, keeps: Keeps, progress: ProgressOption = True) -> Minimised:
    """The smallest context that still keeps all of `keeps`, by taking out presets, lore entries and messages.

    `keeps` are keys of messages (`"node:u5"`, `"preset:0"`, `"lore:book/3"`), which are kept with the words that they
    have, texts, patterns (`"re:..."` or compiled), and functions of a trace that say whether it will do. Tool calls and
    their results go together, and a summary with what it stands for. Taking any one more thing out of the result loses
    something; `.frame()` says what. Raises WrongArgument where the context doesn't keep something to begin with.
    """
    from ctxlab.studies.what_if.minimise import minimise as minimised

    with progress_of("minimise", progress) as report:
        return minimised(trace, keeps=keeps, progress=report)


def _conversations(sessions: SessionSources) -> list[Conversation]:
    is_row = isinstance(sessions, Sequence) and not isinstance(sessions, str)
    given: Sequence[Any] = cast("Sequence[Any]", sessions) if is_row else [sessions]
    if given and all(isinstance(each, Mapping) for each in given):
        given = [given]  # a list of messages is one conversation
    found = [conversation for each in given for conversation in _of_source(each)]
    taken = Counter[str]()
    for n, each in enumerate(found):
        taken[each.name] += 1
        if taken[each.name] > 1:
            found[n] = replace(each, name=f"{each.name} ({taken[each.name]})")
    return found


def _of_source(source: SessionSource) -> list[Conversation]:
    """The conversations of a file or a library, each with everything else in it; of a card alone its greetings."""
    from ctxlab.studies.what_if.replay import Conversation

    held = session_or_library(source)
    if isinstance(held, Session):
        return [Conversation(held.name or held.id, held, _start)]
    sessions = held.sessions if len(held.sessions) > 1 else (session_of(held, {}),)
    return [Conversation(each.name or each.id, each, partial(_start_in, held)) for each in sessions]


def _start(session: Session, /, **options: Any) -> Trace:
    agent = options.pop("agent", None)
    return start_of(session, agent, **options)


def _start_in(library: Library, session: Session, /, **options: Any) -> Trace:
    agent = options.pop("agent", None)
    return start_of(replace(library, sessions=(session,)), agent, **options)
