"""Codex's rollouts as requests: a request is what was said since the one before, and the items that answered it.

The log counts tokens after each answer, some counts several times, and names no request: an answer begins with the
first item of the model and ends with the count that grew. A compression begins a branch of its own. A fork begins with
the history of the session that it came from: it is sent, but its answers are no requests of the fork.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.documents.moments import seconds_of
from ctxlab.formats.requests.blocks import Data, fields_of, items_of, kind_of
from ctxlab.formats.requests.reply_usage import NO_USAGE, RecordedUsage, count_of
from ctxlab.formats.results import Loss
from ctxlab.formats.source import Source, mostly
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.recordings.builder import START, RecordingBuilder
from ctxlab.recordings.wire_bodies import is_of_assistant
from ctxlab.wires import RESPONSES

PROGRAM: Final = "Codex"
LINES: Final = frozenset({"session_meta", "response_item", "event_msg", "turn_context", "compacted"})
NOT_SENT: Final = ("ghost_snapshot",)
"""Items that the program keeps for itself."""
UUID7: Final = lazy_pattern(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-")
BURST_SECONDS: Final = 0.9
"""A history is repeated in one go; a model's first answer takes longer."""


def sniff(data: Any) -> bool:
    return mostly(data, lambda item: kind_of(item) in LINES and isinstance(item.get("payload"), dict))


@dataclass(slots=True)
class _Rollout:
    """A log on its way to a recording; `since` are items that no answer has closed yet."""

    builder: RecordingBuilder
    counts_tokens: bool
    instructions: str = ""
    context: Data = field(default_factory=dict[str, Any])
    leaf: str = START
    since: list[tuple[Any, str, Any]] = field(default_factory=list[tuple[Any, str, Any]])
    answering: bool = False
    total: Data = field(default_factory=dict[str, Any])
    compaction: Data | None = None
    began: Any = None
    own_id: str = ""
    forked_from: str = ""
    is_replay: bool = False
    """Whether lines still repeat the history of the session that this one was forked from."""
    replayed: int = 0
    written: float | None = None
    """The time of the first line, in seconds."""
    has_turns: bool = False
    others: Counter[str] = field(default_factory=Counter[str])

    def take(self, place: str, kind: str, payload: Data, time: Any) -> None:
        if self.is_replay and self._is_own(payload, time):
            self.end()
            self.is_replay = False
        if kind == "session_meta" and self.is_replay:  # the head of the session that is repeated
            self.forked_from = self.forked_from or str(payload.get("id") or "")
        elif kind == "session_meta":
            parent = payload.get("forked_from_id")
            self.is_replay = isinstance(parent, str) and not self.own_id
            self.own_id, self.forked_from = str(payload.get("id") or ""), parent if isinstance(parent, str) else ""
            self.written = seconds_of(str(time))
            stored = payload.get("base_instructions", payload.get("instructions"))
            text = fields_of(stored).get("text") if isinstance(stored, dict) else stored
            self.instructions = text if isinstance(text, str) else ""
        elif kind == "turn_context":
            self.context = payload
        elif kind == "response_item" and payload.get("type") not in NOT_SENT:
            self._item(place, payload, time)
        elif kind == "compacted":
            self._compacted(place, payload, time)
        elif kind == "event_msg" and payload.get("type") == "token_count":
            self._counted(payload, time)
        else:
            self.others[str(payload.get("type") or kind)] += 1

    def _is_own(self, payload: Data, time: Any) -> bool:
        """Whether a line is the fork's own, which ends the repeated history.

        A turn's id begins with its time, as the session's does (UUID 7); a log without such ids repeats the history
        with the times of the moment at which it is written.
        """
        turn = payload.get("turn_id")
        if isinstance(turn, str) and UUID7.match(turn) and UUID7.match(self.own_id):
            self.has_turns = True
            return turn[:13] >= self.own_id[:13]
        now = seconds_of(str(time))
        if self.has_turns or now is None or self.written is None:
            return False
        return now > self.written + BURST_SECONDS

    def _item(self, place: str, item: Data, time: Any) -> None:
        if not is_of_assistant(item):
            if self.answering and not self.counts_tokens:
                self._close(NO_USAGE, time)
        elif not self.answering:
            self._send()
            self.answering, self.began = True, time
        self.since.append((item, place, time))

    def _send(self) -> None:
        """Put what was said into the tree: it is sent with the request that begins now."""
        run: list[tuple[Any, str, Any]] = []
        for entry in [*self.since, None]:
            if entry is not None and is_of_assistant(entry[0]):
                run.append(entry)
                continue
            for unit in ([run] if run else []) + ([[entry]] if entry is not None else []):
                items = tuple(item for item, _, _ in unit)
                place, time = unit[0][1:]
                self.leaf = self.builder.add(self.leaf, items, RESPONSES.name, place=place, time=time)
            run = []
        self.since.clear()

    def _counted(self, payload: Data, time: Any) -> None:
        info = fields_of(payload.get("info"))
        total, last = fields_of(info.get("total_token_usage")), fields_of(info.get("last_token_usage"))
        if not info or total == self.total or not last.get("input_tokens"):
            return
        self.total = total
        if not self.answering:  # a request whose answer left no item
            self._send()
            self.began = time
        usage = RecordedUsage(
            count_of(last, "input_tokens"),
            count_of(last, "cached_input_tokens"),
            None,
            count_of(last, "output_tokens"),
            count_of(last, "reasoning_output_tokens"),
        )
        self._close(usage, time)

    def _close(self, usage: RecordedUsage, time: Any) -> None:
        """End the answer: a request with the items that the model gave."""
        if self.is_replay:
            self.replayed += 1
            self.answering, self.compaction = False, None
            return
        output = [item for item, _, _ in self.since if is_of_assistant(item)]
        known = {"model": self.context.get("model"), "instructions": self.instructions}
        effort = self.context.get("effort")
        known |= {"reasoning": {"effort": effort}} if isinstance(effort, str) else {}
        fields = {key: value for key, value in known.items() if value}
        model = self.context.get("model")
        self.builder.request(
            self.leaf,
            self.builder.head_of(RESPONSES.name, fields),
            time=self.began if isinstance(self.began, str) else None,
            model=model if isinstance(model, str) else "",
            usage=usage,
            reply={"object": "response", "model": model, "output": output} if output else None,
            compaction=self.compaction,
        )
        self.answering, self.compaction = False, None

    def end(self) -> None:
        """Close an answer that the log does not count, and keep what was said after the last one."""
        if self.answering:
            self._close(NO_USAGE, None)
        if self.since:
            self._send()

    def _compacted(self, place: str, payload: Data, time: Any) -> None:
        """Begin a branch with the history that took the place of what was said."""
        if self.answering:
            self._close(NO_USAGE, time)
        self._send()
        self.leaf = START
        history = items_of(payload.get("replacement_history"))
        if not history:
            text = str(payload.get("message") or "")
            history = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
            self.builder.losses.append(Loss(place, "the log has the summary alone, not what was kept beside it"))
        self.since = [(item, place, time) for item in history]
        self.compaction = {"summary": payload.get("message"), "items": len(history), "time": time}


def read(source: Source, builder: RecordingBuilder) -> None:
    """The requests of one rollout."""
    builder.program = PROGRAM
    has_counts = any(kind_of(fields_of(item).get("payload")) == "token_count" for _, item in source.items())
    rollout = _Rollout(builder, has_counts)
    for place, item in source.items():
        line = fields_of(item)
        if isinstance(line.get("payload"), dict):
            rollout.take(place, str(line.get("type")), line["payload"], line.get("timestamp"))
        else:
            builder.losses.append(Loss(place, "no line of a rollout; it is left out", "line"))
    rollout.end()
    builder.replayed(rollout.replayed, rollout.forked_from)
    for kind, count in rollout.others.items():
        them = counted(count, "of the lines is an event", "of the lines are events")
        builder.losses.append(Loss("", f"{them} of type {kind!r:.40}, not sent"))
    builder.losses.append(Loss("", "the log has no tools, so that requests are not whole"))
