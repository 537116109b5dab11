"""A turn while it runs, as the page shows it: what came so far, its phase, its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

from ctxlab.chat.events import (
    ApprovalAsked,
    AttemptFailed,
    CallAdded,
    Compressed,
    ReplyFinished,
    RequestSent,
    TextAdded,
    ThoughtAdded,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    TurnStarted,
)
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted, cut_off
from ctxlab.documents import MessageNode, ThinkRule
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.services import TokenCounter
from ctxlab_widgets.chat_panel.coming_tokens import ComingTokens
from ctxlab_widgets.chat_panel.row_facts import MOST_ARGUMENTS, STATES
from ctxlab_widgets.chat_panel.thoughts_in_text import ComingText

MOST_RESULT = 20_000
NAME = 60
PHASES = {"waiting": "waiting for the first word", "building": "building the request", "calling": "calling a tool"}


@dataclass(slots=True)
class RunningTurn:
    """A running turn as the page gets it; `number` is that of the last message that went out, which is in it."""

    verb: str
    counter: TokenCounter | None = None
    key: str = ""
    parent: str = ""
    phase: str = "building"
    number: int = 0
    texts: list[str] = field(default_factory=list[str])
    thoughts: list[str] = field(default_factory=list[str])
    calls: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    queued: Sequence[str] = ()
    think_rules: tuple[ThinkRule, ...] = ()
    _coming: ComingText = field(default_factory=ComingText)
    _growing: dict[int, str] = field(default_factory=dict[int, str])
    _tokens: ComingTokens = field(default_factory=ComingTokens)
    _first: float | None = None
    _last: float | None = None
    _trouble: str = ""

    def __post_init__(self) -> None:
        self._tokens = ComingTokens(self.counter)

    def add(self, event: TurnEvent) -> dict[str, Any]:
        """Take an event in. Returns the fields of the next message to the page; empty where it changes nothing."""
        before = self.phase, len(self.calls)
        match event:
            case TurnStarted():
                self.key, self.parent = event.reply_id, event.question_id or event.parent or ""
                self._coming = ComingText(self.think_rules)
                words, thought = self._coming.more(str(event.reply.get("content") or ""))
                self.texts, self.thoughts = [words], [thought]
            case RequestSent():
                self.phase, self._growing = "waiting", {}
            case TextAdded():
                self._came(event.text, event.seconds, "text")
                words, thought = self._coming.more(event.text)
                return {"text": words, **({"thought": thought} if thought else {}), **self._state()}
            case ThoughtAdded():
                self._came(event.text, event.seconds, "thought")
                return {"thought": event.text, **self._state()}
            case CallAdded():
                self._call(event)
            case AttemptFailed():
                self._failed(event)
            case ApprovalAsked():
                self._mark(event.call_ids, "asks")
                self.phase = "asking"
            case ToolStarted():
                self._mark([event.call_id], "running")
                self.phase = "calling"
            case ToolFinished():
                self._finished(event)
            case ReplyFinished() | Compressed():
                pass
            case _:
                return {}
        has_calls = (self.phase, len(self.calls)) != before or isinstance(event, CallAdded | ToolFinished)
        return {**self._state(), **({"calls": list(self.calls.values())} if has_calls and self.calls else {})}

    def sent(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Count a message that goes out now. Returns it as the page gets it."""
        self.number += 1
        self.texts.append(message["text"])
        self.thoughts.append(message["thought"])
        return {"kind": "pieces", "number": self.number, **self._state(), **message}

    def goes_on_in(self, key: str, parent: str) -> None:
        """The next reply of the turn, after results of tools."""
        self.key, self.parent = key, parent
        self.texts, self.thoughts = [], []
        self._coming = ComingText(self.think_rules)

    def take_calls(self, node: MessageNode) -> None:
        """Take over the calls of a reply that is there whole."""
        self.calls = {
            call.id: self.calls.get(call.id) or _call_row(call.id, call.name, call.arguments, "allowed")
            for call in node.tool_calls
        }

    def as_data(self) -> dict[str, Any]:
        """The turn whole, as `Running` of the page."""
        return {
            "number": self.number,
            "key": self.key,
            "parent": self.parent,
            "verb": self.verb,
            "phase": self.phase,
            "facts": self._facts(),
            "text": "".join(self.texts),
            "thought": "".join(self.thoughts),
            "calls": list(self.calls.values()),
            "queued": list(self.queued),
        }

    # --- events

    def _state(self) -> dict[str, Any]:
        return {"key": self.key, "phase": self.phase, "facts": self._facts()}

    def _came(self, text: str, seconds: float | None, kind: str) -> None:
        self.phase, self._trouble = "writing", ""
        self._tokens.add(text, kind)
        if seconds is not None:
            self._first = seconds if self._first is None else self._first
            self._last = seconds

    def _facts(self) -> list[str]:
        if self.phase == "retrying":
            return [self._trouble]
        if self.phase != "writing":
            return [PHASES.get(self.phase, "waiting for a word on a call")]
        found = ["writing"]
        tokens = self._tokens.count
        if tokens:
            found.append(f"about {counted(tokens, 'token')}")
        took = self._last - self._first if self._last is not None and self._first is not None else 0.0
        if tokens and took >= 0.5:
            found.append(f"about {tokens / took:,.0f} a second")
        return [", ".join(found)]

    def _call(self, event: CallAdded) -> None:
        self.phase = "writing"
        key = self._growing.get(event.index) or event.id or f"call {event.index}"
        self._growing[event.index] = key
        row = self.calls.setdefault(key, _call_row(key, "", "", "allowed"))
        self.calls[key] = {
            **row,
            "name": plain(row["name"] + event.name, NAME),
            "arguments": (row["arguments"] + event.arguments)[:MOST_ARGUMENTS],
        }

    def _failed(self, event: AttemptFailed) -> None:
        if event.retry_in_seconds is not None:
            self.phase = "retrying"
            self._trouble = f"{cut_off(event.text, 300)}; tried again in {event.retry_in_seconds:,.1f} s"

    def _mark(self, ids: Sequence[str], state: str) -> None:
        for id in ids:
            if id in self.calls:
                self.calls[id] = {**self.calls[id], "state": state}

    def _finished(self, event: ToolFinished) -> None:
        row = self.calls.get(event.call_id) or _call_row(event.call_id, event.name, "", "running")
        took = f"{event.seconds:.1f} s" if event.seconds is not None else ""
        words = [event.status] if event.status in ("timed out", "cancelled") else []
        self.calls[event.call_id] = {
            **row,
            "state": STATES[event.status],
            "facts": ", ".join([*words, *([took] if took else [])]),
            "result": cut_off(str(event.node.get("content") or ""), MOST_RESULT),
        }


def _call_row(id: str, name: str, arguments: str, state: str) -> dict[str, Any]:
    shown = arguments[:MOST_ARGUMENTS]
    return {"id": id, "name": plain(name, NAME), "arguments": shown, "state": state, "facts": ""}
