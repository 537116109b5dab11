"""Claude Code's logs as requests: one for each message of the API, with usage counted once, and sub-agents apart.

What a request sent is the chain of messages above its answer, up to where the conversation began or was compressed:
after a compression the chain begins anew with the summary. The log has neither system text nor tools.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, Final

from ctxlab.display.short_texts import counted
from ctxlab.formats.apps import claude_code
from ctxlab.formats.apps.claude_code_api_messages import Replies
from ctxlab.formats.apps.claude_code_asides import kept_after, past_asides
from ctxlab.formats.requests.blocks import Data, fields_of, items_of
from ctxlab.formats.requests.reply_usage import usage_in
from ctxlab.formats.results import Loss
from ctxlab.formats.session_tree_builder import parents_first
from ctxlab.formats.source import Source
from ctxlab.lazy_dataclass import dataclass
from ctxlab.recordings.builder import START, RecordingBuilder

PROGRAM: Final = "Claude Code"
SYNTHETIC: Final = "<synthetic>"
"""The model that the program names for messages that it wrote itself."""
ROLES: Final = ("user", "assistant")
COUNTED: Final = "compactMetadata"


def sniff(data: Any) -> bool:
    return isinstance(data, list) and claude_code.sniff(data)


@dataclass(slots=True)
class _Log:
    """The lines of a log by uuid, in the order of the file, and where messages are in the recording."""

    lines: dict[str, Data] = field(default_factory=dict[str, Data])
    places: dict[str, str] = field(default_factory=dict[str, str])
    at: dict[str | None, str] = field(default_factory=lambda: dict[str | None, str]({None: START}))
    asked: dict[str, str] = field(default_factory=dict[str, str])
    """The node before each answer: the last message that was sent for it."""
    answers: dict[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """The lines of each answer."""


def read(source: Source, builder: RecordingBuilder) -> None:
    """The requests of one log, sub-agents' too."""
    builder.program = PROGRAM
    log = _lines_of(source, builder.losses)
    _add_messages(log, builder)
    _add_requests(log, builder)


def _lines_of(source: Source, losses: list[Loss]) -> _Log:
    log, others = _Log(), Counter[str]()
    for place, item in source.items():
        line = fields_of(item)
        uuid = line.get("uuid")
        if not isinstance(uuid, str):
            others[str(line.get("type") or "unknown")] += 1
        elif uuid in log.lines:
            losses.append(Loss(place, f"message {uuid!r} is there twice; the first is read", "uuid"))
        else:
            log.lines[uuid], log.places[uuid] = line, place
    for kind, count in others.items():
        them = counted(count, "of the lines is", "of the lines are")
        why = "without an id" if kind in ROLES else "which is no message"
        losses.append(Loss("", f"{them} of type {kind!r:.40}, {why}; left out"))
    kinds = Counter(str(line.get("type")) for line in log.lines.values() if line.get("type") not in ROLES)
    for kind, count in kinds.items():
        them = counted(count, "of the lines in the chain is", "of the lines in the chain are")
        losses.append(Loss("", f"{them} of type {kind!r:.40} and never sent; left out"))
    return log


def _add_messages(log: _Log, builder: RecordingBuilder) -> None:
    """Put every message into the tree, under the one that was sent before it."""
    found: list[Loss] = []
    named = {key: _parent(line) for key, line in log.lines.items()}
    links = list(parents_first(claude_code.links_or_a_row(log.lines, named, log.places, found), found))
    links = list(parents_first(past_asides(links, log.lines, claude_code.is_of_the_conversation), found))
    replies = Replies(log.lines, links)
    kept = dict(kept_after(log.lines, dict(links)))
    for key, parent in parents_first(replies.links_in_a_row(log.lines, links), found):
        before = log.at[key] = _after_kept(parent, key, kept, log, builder, found)
        own, line = replies.lines_of(key), log.lines[key]
        if not own or line.get("type") not in ROLES:
            continue
        place = log.places[key]
        if line["type"] == "assistant":
            log.asked[key], log.answers[key] = before, own
        if _model(line) == SYNTHETIC:
            found.append(Loss(place, "the program wrote this message itself; it is not sent again", "synthetic"))
            continue
        message = _message([log.lines[each] for each in own])
        log.at[key] = builder.add(before, (message,), "anthropic", place=place, name=key, time=line.get("timestamp"))
    builder.losses += found


def _after_kept(
    parent: str | None,
    key: str,
    kept: Mapping[str, Sequence[str]],
    log: _Log,
    builder: RecordingBuilder,
    losses: list[Loss],
) -> str:
    """The node that a line follows; after a compaction, the messages that it kept come in between."""
    lines = kept.get(parent or "", ())
    leaf = log.at[parent]
    if key in lines:
        return leaf
    for each in lines:
        line = log.lines[each]
        if line.get("type") in ROLES and _model(line) != SYNTHETIC:
            message, time = _message([line]), line.get("timestamp")
            leaf = builder.add(leaf, (message,), "anthropic", place=log.places[each], name=f"{each}-kept", time=time)
    return leaf


def _parent(line: Data) -> str | None:
    """The line above; a compression cuts the chain, and what was before is only named as the logical parent."""
    parent = line.get("parentUuid")
    return parent if isinstance(parent, str) else None


def _message(lines: Sequence[Data]) -> Data:
    """One message of the API from its lines."""
    first = fields_of(lines[0].get("message"))
    role = first.get("role", lines[0].get("type"))
    contents = [fields_of(line.get("message")).get("content") for line in lines]
    if len(contents) == 1:
        return {"role": role, "content": contents[0]}
    return {"role": role, "content": [block for content in contents for block in _blocks(content)]}


def _blocks(content: Any) -> list[Any]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else items_of(content)


def _model(line: Data) -> str:
    model = fields_of(line.get("message")).get("model")
    return model if isinstance(model, str) else ""


# --- requests


def _add_requests(log: _Log, builder: RecordingBuilder) -> None:
    """Add a request for each answer, in the order of the file."""
    head = builder.head_of("anthropic")
    boundaries = _Boundaries(log.lines)
    calls = _calls(log)
    order = {key: number for number, key in enumerate(log.lines)}
    requests: dict[str, str] = {}
    seen: set[str] = set()
    repeated: list[str] = []
    for key in sorted(log.answers, key=order.__getitem__):
        lines = [log.lines[each] for each in log.answers[key]]
        message = fields_of(lines[-1].get("message"))
        own = message.get("id")
        error = _error(lines[0])
        if _model(lines[0]) == SYNTHETIC and not error:
            continue
        if isinstance(own, str) and own in seen:
            text = f"message {own!r} of the API is in two places of the log; its usage is counted once"
            builder.losses.append(Loss(log.places[key], text, "message"))
            continue
        seen |= {own} if isinstance(own, str) else set()
        forked_from = lines[0].get("forkedFrom")
        if forked_from is not None:
            repeated.append(str(fields_of(forked_from).get("sessionId") or ""))
            continue
        agent = _agent(lines[0])
        reply = None if error else {"type": "message", **message, **_message(lines)}
        request = builder.request(
            log.asked[key],
            head,
            id=own if isinstance(own, str) else "",
            agent=agent,
            parent=requests.get(calls.get(_prompt(key, log), "")) if agent else None,
            time=_time(lines[0]),
            model="" if error else _model(lines[0]),
            usage=usage_in({} if error else fields_of(message.get("usage")), "anthropic"),
            reply=reply,
            error=error,
            compaction=boundaries.before(key) if not agent else None,
        )
        requests[key] = request.id
    builder.replayed(len(repeated), repeated[-1] if repeated else "")


def _error(line: Data) -> str:
    if line.get("isApiErrorMessage") is not True:
        return ""
    texts = [str(fields_of(block).get("text", "")) for block in _blocks(fields_of(line.get("message")).get("content"))]
    return " ".join(texts)[:300] or "the request failed"


def _agent(line: Data) -> str:
    if line.get("isSidechain") is not True:
        return ""
    agent = line.get("agentId")
    return agent if isinstance(agent, str) and agent else "sidechain"


def _time(line: Data) -> str | None:
    time = line.get("timestamp")
    return time if isinstance(time, str) else None


class _Boundaries:
    """The compressions of a log: what it says of each goes to the first request after it."""

    def __init__(self, lines: Mapping[str, Data]) -> None:
        self._lines = lines
        self._order = {key: number for number, key in enumerate(lines)}
        marked = (key for key, line in lines.items() if line.get("subtype") == "compact_boundary")
        self._waiting = {self._order[key]: fields_of(lines[key].get(COUNTED)) for key in marked}

    def before(self, key: str) -> Data | None:
        """The compressions since the request before; the newest where there are several."""
        passed = [number for number in self._waiting if number < self._order[key]]
        found = [self._waiting.pop(number) for number in sorted(passed)]
        return found[-1] if found else None


def _calls(log: _Log) -> dict[str, str]:
    """The answers that began a sub-agent, by its prompt."""
    found: dict[str, str] = {}
    for key, own in log.answers.items():
        for each in own:
            for block in _blocks(fields_of(log.lines[each].get("message")).get("content")):
                prompt = fields_of(fields_of(block).get("input")).get("prompt")
                if isinstance(prompt, str) and fields_of(block).get("type") == "tool_use":
                    found[prompt] = key
    return found


def _prompt(key: str, log: _Log) -> str:
    """The first message of the chain that an answer is in."""
    seen: set[str] = set()
    while key not in seen and (parent := _parent(log.lines[key])) in log.lines:
        seen.add(key)
        key = parent or key
    content = fields_of(log.lines[key].get("message")).get("content")
    return "\n".join(str(fields_of(block).get("text", "")) for block in _blocks(content))
