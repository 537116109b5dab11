"""Recordings to look at: the bundled one, a long one, and one whose every text was written by a stranger."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

import ctxlab
from ctxlab.formats.requests.reply_usage import RecordedUsage
from ctxlab.recordings.builder import RecordingBuilder
from ctxlab.recordings.recording import Recording
from ctxlab_widgets import RecordingView
from ctxlab_widgets._shared.widget import Widget
from tests.gallery.looking import HOSTILE

TIME = datetime(2026, 11, 3, 9, 0, tzinfo=UTC)
SONNET = "claude-sonnet-4-5"


@cache
def tidebook() -> Recording:
    from tests.gallery.samples import DATASETS

    return ctxlab.read_recording(DATASETS / "tidebook_agent.ctxrec.jsonl")


def recording_view() -> Widget:
    """A recording at the request whose tools changed, with its whole difference, a place and a compression open."""
    view = RecordingView(tidebook())
    found = next(n for n, each in enumerate(view.checks) if each.rule == "instructions-in-result")
    view.open_place(found)
    words = view.place
    view.select("e032")
    view.whole = True
    view.place = words
    view.open_compression("c1")
    return view


def recorded(*bodies: dict[str, Any], seconds: float = 10, **about: Any) -> Recording:
    """Bodies to Anthropic, so many seconds after each other; of all but the first most is read from the cache."""
    builder = RecordingBuilder("talk")
    for number, each in enumerate(bodies):
        when = (TIME + timedelta(seconds=number * seconds)).isoformat()
        size = 40 + len(str(each)) // 4
        usage = RecordedUsage(size, size - 40 if number else 0, 40, 12)
        builder.body(each, "anthropic", model=SONNET, time=when, usage=usage, **about)
    return builder.recording()


def body(*messages: dict[str, Any], system: str = "Answer.", tools: tuple[str, ...] = ()) -> dict[str, Any]:
    listed = [{"name": name, "description": f"does {name}", "input_schema": {}} for name in tools]
    return {"model": SONNET, "system": system, "tools": listed, "messages": list(messages)}


def reading(number: int, file: str, words: str, tool: str = "Read") -> list[dict[str, Any]]:
    """A call that reads a file, and what it gives."""
    call = {"type": "tool_use", "id": f"t{number}", "name": tool, "input": {"file_path": file}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": words}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def long_recording(count: int, *, agents: tuple[str, ...] = ("",)) -> Recording:
    """So many requests, each with one more reading, begun anew after a hundred; agents by turns."""
    builder = RecordingBuilder("long")
    asked = {"role": "user", "content": "Look at the gauge."}
    talks: dict[str, list[dict[str, Any]]] = {agent: [asked] for agent in agents}
    for number in range(count):
        agent = agents[number % len(agents)]
        talk = talks[agent]
        sent = body(*talk, system=f"Answer {agent}.")
        when = (TIME + timedelta(seconds=number * 5)).isoformat()
        builder.body(sent, "anthropic", model=SONNET, time=when, agent=agent)
        talk += reading(number, f"src/file{number % 7}.py", f"line {number} of the tide table " * 20)
        if len(talk) > 200:
            talks[agent] = [asked, {"role": "assistant", "content": f"So far: {number}."}, asked]
    return builder.recording()


def recording_of_strangers() -> Widget:
    """Hostile words as system text, tool, file, message, result, agent's name and file's name."""
    texts = [text.encode("utf-8", "replace").decode() for text in HOSTILE]
    name = texts[0]
    talk = [{"role": "user", "content": text} for text in texts]
    first = body(*talk, system=name, tools=(name, texts[2]))
    talk += reading(1, name, texts[1], tool=name)
    second = body(*talk, system=texts[1], tools=(texts[2], name))
    talk += reading(2, texts[2], texts[3], tool=texts[4])
    view = RecordingView(recorded(first, second, body(*talk, system=texts[2]), agent=name))
    view.whole = True
    view._handle_custom_msg({"command": "stack", "value": "tool"}, [])
    return view
