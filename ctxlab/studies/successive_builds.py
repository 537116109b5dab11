"""The builds of a run at the last turns of its conversation, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ctxlab.display.short_texts import short
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.studies.turns import turns_of_path


@dataclass(frozen=True, slots=True, eq=False)
class TurnBuild:
    """The build at a message that the model answers, and that message's timestamp."""

    trace: Trace
    timestamp: str | None


def refuse_few_turns(turns: object) -> None:
    """Raise WrongArgument for what is no number of turns from 2 on."""
    if not isinstance(turns, int) or isinstance(turns, bool) or turns < 2:
        raise WrongArgument(f"turns is {short(repr(turns))}; a prefix needs a whole number of turns, 2 or more")


def successive_builds(trace: Trace, at: Callable[[str], Trace], turns: int) -> Iterator[TurnBuild]:
    """The builds of the last `turns` turns of a run's path, oldest first; one that can't be built is left out.

    A turn is a message that the model answers, with the prompt as it is built there: `at` gives that of a message,
    without a pending one. The run itself is the last turn where its question is pending or its path ends with a turn.
    """
    start = trace.start.input
    path = start.session.walk(start.leaf_id).nodes
    found = turns_of_path(start.session, [node.id for node in path])
    own = found[-1] if found and start.pending is None and found[-1] == path[-1].id else None
    for node in found[max(0, len(found) - turns + (start.pending is not None)) :]:
        build = trace if node == own else _built(at, node)
        if build is not None:
            stamp = start.session.nodes[node].timestamp
            yield TurnBuild(build, stamp or (start.timestamp if node == own else None))
    if start.pending is not None:
        yield TurnBuild(trace, start.timestamp)


def _built(at: Callable[[str], Trace], leaf: str) -> Trace | None:
    try:
        return at(leaf)
    except CtxlabError:  # too small a budget for this turn, or a step that fails there
        return None
