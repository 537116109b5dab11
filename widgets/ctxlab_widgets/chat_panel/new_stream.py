"""The stream of a turn as a chat begins it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ctxlab.api.chat import Begin, recording, turn_stream
from ctxlab.chat.turn import Turn
from ctxlab_widgets.chat_panel.turn_thread import RunningStream

if TYPE_CHECKING:
    from ctxlab_widgets.chat_panel import ChatPanel

ELSEWHERE = "the answer is there, in the branch in which it was asked for"


def new_stream(panel: ChatPanel, verb: str, begin: Begin, model: Any = None) -> RunningStream:
    """A turn on the conversation that is shown, with who takes part in it; `model` is for this one time."""
    setup, session = panel.setup, panel.history.session
    options = setup.turn(model=model, approve=panel.turns.approve)
    rules = tuple(setup.agent.llm_think_rules) if setup.agent is not None else ()
    stream = turn_stream(setup.source(session), options, begin)
    return RunningStream(stream, panel.history, session, verb, rules, panel.counter)


def recorded(running: RunningStream, turn: Turn) -> tuple[Turn, list[str]]:
    """Puts a turn that has ended into its history, and says where it is when another branch is shown, which stays."""
    leaf = running.left_for
    turn = recording(running.history, running.before, running.before, running.verb, leaf=leaf)(turn)
    return turn, [ELSEWHERE] if leaf is not None else []
