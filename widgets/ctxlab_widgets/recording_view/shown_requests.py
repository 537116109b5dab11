"""The requests of one agent of a recording as arrays: numbers, times, tokens by source, and what vendors reported."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cached_property
from typing import Any

from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents.moments import on_one_clock
from ctxlab.recordings.recorded_request import RecordedRequest
from ctxlab.recordings.recording import Recording
from ctxlab_widgets.recording_view.stacks import stacks_of
from ctxlab_widgets.recording_view.tool_table import ToolTable

UNKNOWN = -1
"""A number that the log doesn't tell."""


class ShownRequests:
    """The requests of an agent in order; what is drawn of them, and where each stands."""

    def __init__(self, recording: Recording, agent: str) -> None:
        self.recording, self.agent = recording, agent
        self.requests: Sequence[RecordedRequest] = recording.agents[agent]
        self.at: Mapping[str, int] = {request.id: number for number, request in enumerate(self.requests)}
        self.table = ToolTable(recording.parts, self.requests)

    @cached_property
    def stacks(self) -> dict[str, list[dict[str, Any]]]:
        """Columns of the three stacks, from the bottom."""
        return stacks_of(self.recording.parts, self.requests)

    @cached_property
    def counted(self) -> list[int]:
        """All tokens of each request, counted here."""
        return [self.recording.parts.tokens(request) for request in self.requests]

    def series(self) -> dict[str, Any]:
        """The arrays, one number a request in each: -1 where the log tells none."""
        requests = self.requests
        return {
            "ids": [request.id for request in requests],
            "numbers": [request.number for request in requests],
            "times": [f"{time:%H:%M}" if time else "" for time in on_one_clock(request.time for request in requests)],
            "counted": self.counted,
            "reported": [_known(request.usage.input) for request in requests],
            "cached": [_known(request.usage.cached) for request in requests],
            "written": [_known(request.usage.written) for request in requests],
            "failed": [number for number, request in enumerate(requests) if request.error],
            "windows": windows_of(requests),
            "stacks": self.stacks,
        }


def windows_of(requests: Sequence[RecordedRequest]) -> list[list[Any]]:
    """Stretches of requests to models whose window is known: [first, last, tokens, model]."""
    from ctxlab.providers.models import model_info

    found, known = list[list[Any]](), dict[str, int | None]()
    for number, request in enumerate(requests):
        model = request.model
        if model not in known:
            known[model] = model_info(model).context_window if model else None
        window = known[model]
        if window is None:
            continue
        if found and found[-1][1] == number - 1 and found[-1][2] == window:
            found[-1][1] = number
        else:
            found.append([number, number, window, plain(model, 60)])
    return found


def agents_json(recording: Recording) -> list[list[str]]:
    """The agents with the numbers of their requests, in words."""
    return [
        [name, f"{plain(name, 40) if name else 'main agent'}, {counted(len(requests), 'request')}"]
        for name, requests in recording.agents.items()
    ]


def first_agent(recording: Recording) -> str:
    """The main agent; where no request is of it, the one with the most requests."""
    agents = recording.agents
    return "" if "" in agents else max(agents, key=lambda name: len(agents[name]), default="")


def about(recording: Recording) -> str:
    """The program, the file, the day and how long it took, as far as they are known."""
    names = dict.fromkeys(plain(name, 60) for name in (recording.source, recording.program) if name)
    times = sorted(time for time in on_one_clock(request.time for request in recording.requests) if time is not None)
    parts = [*names]
    if times:
        first, last = times[0], times[-1]
        parts.append(_day(first) if first.date() == last.date() else f"{_day(first)} to {_day(last)}")
        if len(times) > 1:
            parts.append(_long((last - first).total_seconds()))
    return ", ".join(parts)


def _known(count: int | None) -> int:
    return UNKNOWN if count is None else count


def _day(time: datetime) -> str:
    return f"{time.day} {time:%B %Y}"


def _long(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    if minutes < 60:
        return f"{minutes} min"
    hours, rest = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    return f"{hours // 24} days"
