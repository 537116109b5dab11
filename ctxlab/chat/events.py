"""The events of a turn, one after the other.

A turn is a log of these events, and the session after it is the session before it with the log folded in
(`ctxlab.chat.fold`). A turn that was cancelled, that failed or whose process died is a beginning of that log, and its
session is whole. Events are plain values: `ctxlab.chat.event_json` gives and takes them as JSON.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.lazy_dataclass import dataclass

Data = Mapping[str, Any]
Verb = Literal["send", "regenerate", "continue", "relay"]


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """The turn begins under `parent`: the user's message, if the verb adds one, and the empty reply `reply_id`.

    `question` and `reply` are the fields of both nodes, in the file's names; `timestamp` is when. `session_id` and
    `parent_words`, a fingerprint of the messages right above, say where a log of the turn belongs; empty: not known.
    """

    verb: Verb
    parent: str | None
    reply_id: str
    question_id: str | None = None
    question: Data | None = None
    reply: Data = field(default_factory=FrozenDict)
    of_node: str | None = None
    timestamp: str | None = None
    session_id: str = ""
    parent_words: str = ""


@dataclass(frozen=True, slots=True)
class FileUploaded:
    """A file of the conversation, by its id, is with a vendor now, who calls it `file_id` and forgets it at `expires`.

    `provider` and `base_url` say who knows it by that id; `size` is in bytes.
    """

    file: str
    file_id: str
    provider: str
    base_url: str
    name: str = ""
    size: int = 0
    expires: str | None = None


@dataclass(frozen=True, slots=True)
class RequestSent:
    """A request went out: the `attempt` of the turn's `number`-th request, to `url`, of `size` bytes.

    `parameters` are those of the request, without fields of one's own, which may hold keys.
    """

    number: int
    attempt: int
    model: str
    provider: str = ""
    url: str = ""
    size: int = 0
    timestamp: str | None = None
    parameters: Data = field(default_factory=FrozenDict)


@dataclass(frozen=True, slots=True)
class TextAdded:
    """The answer grew; `seconds` since its request was sent."""

    text: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ThoughtAdded:
    text: str
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class CallAdded:
    """A tool call grew: by its id and name, which come once, and by text of its arguments."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """A request got no answer; it is sent again after `retry_in_seconds`, or not at all (None)."""

    text: str
    status: int | None = None
    retry_in_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ReplyFinished:
    """A reply is there whole: the fields of its messages, in order, which replace what the pieces showed.

    `notes` are sentences on parts of its stream that were left out.
    """

    nodes: tuple[Data, ...]
    finish_reason: str = ""
    seconds: float | None = None
    timestamp: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ApprovalAsked:
    """The turn waits for a word about these calls."""

    call_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ToolStarted:
    call_id: str
    name: str
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class ToolFinished:
    """The result of a call, as the fields of its node; errors, refusals and time-outs are results too."""

    call_id: str
    name: str
    status: Literal["done", "failed", "refused", "timed out", "cancelled"]
    node: Data
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Compressed:
    """Old messages were replaced in the course of the turn: the fields of the node that takes their place.

    `before_tokens` and `after_tokens` are those of the prompt before a budget cuts it; `notes` are the level and the
    text of each note on the compression.
    """

    node: Data
    before_tokens: int
    after_tokens: int
    notes: tuple[Data, ...] = ()


@dataclass(frozen=True, slots=True)
class NotesAdded:
    """Notes on a turn, such as on a compression that came due and changed nothing: the level and the text of each."""

    notes: tuple[Data, ...]


@dataclass(frozen=True, slots=True)
class TurnCancelled:
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class TurnFailed:
    """The turn ends without the answer, or with half of it; `text` is one sentence for people."""

    text: str
    status: int | None = None
    timestamp: str | None = None


@dataclass(frozen=True, slots=True)
class TurnFinished:
    timestamp: str | None = None


TurnEvent = (
    TurnStarted
    | FileUploaded
    | RequestSent
    | TextAdded
    | ThoughtAdded
    | CallAdded
    | AttemptFailed
    | ReplyFinished
    | ApprovalAsked
    | ToolStarted
    | ToolFinished
    | Compressed
    | NotesAdded
    | TurnCancelled
    | TurnFailed
    | TurnFinished
)
