"""The builds of a run at the last user messages of its conversation, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.studies.study.scorer import ScoredRun


@dataclass(frozen=True, slots=True, eq=False)
class TurnBuild:
    """The build at a user's message, and that message's timestamp."""

    trace: Trace
    timestamp: str | None


def refuse_few_turns(turns: object) -> None:
    """Raise WrongArgument for what is no number of turns from 2 on."""
    if not isinstance(turns, int) or isinstance(turns, bool) or turns < 2:
        raise WrongArgument(f"turns is {short(repr(turns))}; a prefix needs a whole number of turns, 2 or more")


def successive_builds(run: ScoredRun, turns: int) -> list[TurnBuild]:
    """The builds of the last `turns` turns, oldest first; one that can't be built is left out.

    A turn is a user's message on the path, with the prompt as it was built for it. The run itself is the last turn
    where its question is pending or its path ends with a user's message.
    """
    return list(_builds(run, turns))


def _builds(run: ScoredRun, turns: int) -> Iterator[TurnBuild]:
    start = run.trace.start.input
    path = start.session.walk(start.leaf_id).nodes
    users = [node for node in path if node.role == "user" and node.is_enabled is not False and node.content.strip()]
    own_leaf = users[-1].id if users and path[-1] is users[-1] else None
    ends_itself = start.pending is not None or own_leaf is not None
    for node in users[max(0, len(users) - turns + (start.pending is not None)) :]:
        if start.pending is None and node.id == own_leaf:
            continue
        trace = _built(run, node.id)
        if trace is not None:
            yield TurnBuild(trace, node.timestamp)
    if ends_itself:
        stamp = users[-1].timestamp if own_leaf is not None and start.pending is None else None
        yield TurnBuild(run.trace, stamp or start.timestamp)


def _built(run: ScoredRun, leaf: str) -> Trace | None:
    try:
        return run.at(leaf)
    except CtxlabError:  # too small a budget for this turn, or a step that fails there
        return None
