"""SWE-agent trajectories (`.traj`): the `history` that the model saw, in its order.

What a message says of its step (thought, action, agent, message_type, is_demo, ...) is kept in `metadata.sweAgent`.
"""

from __future__ import annotations

from typing import Any, Final, cast

from ctxlab.documents import Session
from ctxlab.formats.format import Format, always
from ctxlab.formats.openai.content_parts import is_text, text_of
from ctxlab.formats.openai.conversation import Conversation, Shelf, is_message
from ctxlab.formats.results import Import, Loss
from ctxlab.formats.session_tree_builder import Names
from ctxlab.formats.source import Source, mostly, one_or_mostly
from ctxlab.formats.unsent_texts import with_unsent_texts

Data = dict[str, Any]

BOOKKEEPING: Final = frozenset({"message_type", "agent", "exit_status", "observation", "replay_config"})
"""Fields that no model reads; observations are told of where the history lacks them."""


def sniff(data: Any) -> bool:
    return one_or_mostly(data, _is_run)


def _is_run(value: Any) -> bool:
    return isinstance(value, dict) and mostly(cast("Data", value).get("history"), is_message)


def read(source: Source) -> Import:
    losses = list(source.losses)
    shelf = Shelf(f"agent-{source.stem}", keep_prompts=source.keep_prompts)
    names = Names()
    sessions: list[Session] = []
    for number, (place, run) in enumerate(source.items(), start=1):
        if not _is_run(run):
            losses.append(Loss(place, "no run with a history; it is left out"))
            continue
        session_id = names.take(f"{source.stem}-{number}" if place else source.stem)
        found: list[Loss] = []
        messages = [_linked(message, index, found) for index, message in enumerate(run["history"])]
        talk = Conversation(messages, shelf=shelf, group="sweAgent", turns="history", losses=found)
        about = {key: value for key, value in run.items() if key not in ("history", "trajectory")}
        sessions.append(talk.session(session_id, sweAgent=about or None))
        found += _left_in_the_trajectory(run)
        losses += [loss.inside(place) for loss in found]
    return with_unsent_texts(Import(tuple(sessions), shelf.agents, losses=tuple(losses)), source, BOOKKEEPING)


def _linked(message: Any, index: int, losses: list[Loss]) -> Any:
    """The message with the call that it answers where OpenAI's form has it."""
    ids = cast("Data", message).get("tool_call_ids") if isinstance(message, dict) else None
    if not isinstance(ids, list) or not ids or message.get("tool_call_id") is not None:
        return message
    answered = cast("list[Any]", ids)
    linked: Data = {**message, "tool_call_id": answered[0]}
    if len(answered) == 1:
        del linked["tool_call_ids"]
    else:
        losses.append(Loss(f"history[{index}]", f"it answers {len(answered)} calls; only the first is linked"))
    return linked


def _left_in_the_trajectory(run: Data) -> list[Loss]:
    """A loss when steps were observed that the history doesn't show."""
    stored = run.get("trajectory")
    steps = cast("list[Any]", stored) if isinstance(stored, list) else []
    seen = "\n".join(_content(message) for message in run["history"])
    observations = [step.get("observation") for step in steps if isinstance(step, dict)]
    missing = sum(isinstance(text, str) and text.strip() not in seen for text in observations)
    if not missing:
        return []
    return [Loss("trajectory", f"{missing} of {len(steps)} observations are in no message of the history; left out")]


def _content(message: Any) -> str:
    content = cast("Data", message).get("content") if isinstance(message, dict) else None
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in cast("list[Any]", content) if is_text(part))
    return content if isinstance(content, str) else ""


SWE_AGENT = Format("swe-agent", "run", sniff=sniff, read=read, only_conversations=always)
