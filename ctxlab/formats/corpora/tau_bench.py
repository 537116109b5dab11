"""tau-bench trajectories: a list of runs, one session each; the policy that runs share makes one agent.

A task may be run several times: a session's `group` is its task.
"""

from __future__ import annotations

from typing import Any, Final

from ctxlab.documents import Session
from ctxlab.formats.format import Format, always
from ctxlab.formats.openai.conversation import Conversation, Shelf, is_message
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts

BOOKKEEPING: Final = frozenset({"info"})
"""Fields about a task and its reward, which are no part of the conversation."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_run)


def _is_run(value: Any) -> bool:
    return isinstance(value, dict) and "task_id" in value and mostly(value.get("traj"), is_message)


def read(source: Source) -> Import:
    losses = list(source.losses)
    shelf = Shelf(f"agent-{source.stem}", keep_prompts=source.keep_prompts)
    names = Names()
    sessions: list[Session] = []
    for place, run in source.items():
        if not _is_run(run):
            losses.append(Loss(place, "no run with a trajectory; it is left out"))
            continue
        wanted = f"task-{run['task_id']}-trial-{run.get('trial', 0)}"
        session_id = names.take(wanted)
        if session_id != wanted:
            losses.append(Loss(place, f"run {wanted!r} is there twice; this one is {session_id!r} now"))
        talk = Conversation(run["traj"], shelf=shelf, turns="traj")
        about = {key: value for key, value in run.items() if key != "traj"}
        sessions.append(talk.session(session_id, tauBench=about, group=_task(run)))
        losses += [loss.inside(session_id) for loss in talk.losses]
    return with_unsent_texts(Import(tuple(sessions), shelf.agents, losses=tuple(losses)), source, BOOKKEEPING)


def _task(run: dict[str, Any]) -> str:
    """The task of a run, with its user, since the tasks of each domain are numbered from 0."""
    info = run.get("info")
    task = info.get("task") if isinstance(info, dict) else None
    user = task.get("user_id") if isinstance(task, dict) else None
    return f"task-{run['task_id']}" + (f" ({user})" if isinstance(user, str) else "")


TAU_BENCH = Format("tau-bench", "run", sniff=sniff, read=read, only_conversations=always)
