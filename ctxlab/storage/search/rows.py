"""Rows to be found: the texts of stored values, one row for each message, preset, entry, rule and action."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, cast, overload

import orjson

from ctxlab.documents.agent.agent import Agent, UserProfile
from ctxlab.documents.knowledge_base import KnowledgeBase
from ctxlab.documents.lore import Worldbook
from ctxlab.documents.moments import seconds_of
from ctxlab.documents.quick_actions import QuickActionSet
from ctxlab.documents.rules import RegexPreset
from ctxlab.documents.session.message import MessageNode
from ctxlab.documents.session.session import Session
from ctxlab.lazy_dataclass import dataclass

OWN = "name"
"""The key of the row with a value's own name and description."""
LAST_MS = (1 << 43) - 2
"""The last millisecond since 1970 that an index can order by, in the year 2248."""


@dataclass(frozen=True, slots=True)
class Row:
    """The texts of one thing by field, in order, and facts to filter by. `ms` are milliseconds since 1970, UTC."""

    key: str
    texts: tuple[tuple[str, str], ...]
    parent: str | None = None
    role: str | None = None
    agent: str | None = None
    model: str | None = None
    time: str | None = None
    ms: int = 0
    is_enabled: bool = True
    is_active: bool = True
    tags: tuple[str, ...] = ()

    @property
    def packed(self) -> bytes:
        """The texts as JSON."""
        return orjson.dumps(self.texts)

    @property
    def digest(self) -> int:
        """A 64-bit number of all but the key and whether the message is on the active path; others when it changes."""
        facts = [self.parent, self.role, self.agent, self.model, self.time, self.ms, self.is_enabled, self.tags]
        found = blake2b(orjson.dumps([self.texts, facts]), digest_size=8).digest()
        return int.from_bytes(found, "big", signed=True)


def rows_of(value: object) -> Iterator[Row]:
    """The rows of a stored value; of a kind that is not known, its `name` and `content` if it has them."""
    if isinstance(value, Session):
        yield from session_rows(value)
    elif isinstance(value, Agent):
        yield from _agent_rows(value)
    elif isinstance(value, UserProfile):
        yield _row(OWN, name=value.name, displayName=value.display_name, content=value.content)
        yield from _preset_rows(value.preset_messages, None, ())
    elif isinstance(value, Worldbook):
        yield from _book_rows(value)
    elif isinstance(value, KnowledgeBase):
        yield from _knowledge_rows(value)
    elif isinstance(value, RegexPreset):
        yield from _rule_rows(value)
    elif isinstance(value, QuickActionSet):
        yield _row(OWN, name=value.name, description=value.description, is_enabled=value.is_enabled)
        for i, action in enumerate(value.actions):
            yield _row(
                f"action:{i}",
                name=action.label,
                description=action.description,
                content=action.content,
                is_enabled=action.is_enabled,
            )
    else:
        yield _row(OWN, name=getattr(value, "name", None), content=getattr(value, "content", None))


# --- sessions


def session_rows(session: Session) -> Iterator[Row]:
    """The session's name, and all its messages."""
    times: dict[str, int] = {}
    active = {node.id for node in session.path()}
    yield session_row(session)
    for key, node in session.nodes.items():
        yield message_row(session, key, node, times, is_active=key in active)


def session_row(session: Session) -> Row:
    """The session's own row: its name and tags; its time is that of its last change."""
    time = session.updated_at or session.created_at
    extra = session.model_extra or {}
    return _row(
        OWN, name=session.name, description=extra.get("description"), time=time, tags=_strings(extra.get("tags"))
    )


def message_row(session: Session, key: str, node: MessageNode, times: dict[str, int], *, is_active: bool) -> Row:
    """The row of a message. `times` are milliseconds of messages by id; those found on the way are put into it."""
    return Row(
        f"node:{_clean(key)}",
        tuple(_message_texts(node)),
        parent=_clean(node.parent_id),
        role=node.role,
        agent=_clean(node.agent_id),
        model=_text_or_none(node.meta("modelId")),
        time=_clean(node.timestamp),
        ms=_time_of(session, key, times),
        is_enabled=node.enabled,
        is_active=is_active,
        tags=_strings((session.model_extra or {}).get("tags")),
    )


def _time_of(session: Session, key: str | None, times: dict[str, int]) -> int:
    """The time of a message, else that of the nearest above that has one, else the session's."""
    way: list[str] = []
    found: int | None = None
    seen: set[str] = set()
    while found is None and key is not None and key not in seen and (node := session.nodes.get(key)) is not None:
        found = times.get(key)
        if found is None:
            seen.add(key)
            way.append(key)
            found = milliseconds(node.timestamp)
            key = node.parent_id
    if found is None:
        found = milliseconds(session.created_at) or milliseconds(session.updated_at) or 0
    times.update(dict.fromkeys(way, found))
    return found


def _message_texts(node: MessageNode) -> Iterator[tuple[str, str]]:
    translation = node.meta("translation")
    translated = cast("Mapping[str, Any]", translation).get("content") if isinstance(translation, Mapping) else None
    if node.content:
        yield ("result" if node.role == "tool" else "content"), _clean(node.content)
    for field, text in (("reasoning", node.reasoning), ("translation", translated), ("name", node.name)):
        if isinstance(text, str) and text:
            yield field, _clean(text)
    for call in node.tool_calls:
        yield "call", _clean(f"{call.name}\n{arguments_text(call.arguments)}")
    files = "\n".join([asset.name for asset in node.attachments or () if asset.name])
    if files:
        yield "files", _clean(files)


def arguments_text(arguments: str) -> str:
    """Arguments of a call as lines of names and values, without JSON's quotes and escapes; other text as it is.

    >>> arguments_text('{"path": "a.py", "edits": [{"text": "x = \\\\"\\\\u706f\\\\""}]}')
    'path: a.py\\nedits:\\ntext: x = "灯"'
    """
    try:
        return "\n".join(_lines(orjson.loads(arguments)))
    except (orjson.JSONDecodeError, RecursionError):
        return arguments


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for name, inner in cast("dict[str, Any]", value).items():
            if isinstance(inner, dict | list):
                yield f"{name}:"
                yield from _lines(inner)
            else:
                yield f"{name}: {_scalar(inner)}"
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _lines(inner)
    else:
        yield _scalar(value)


def _scalar(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


# --- agents, books, rules


def _agent_rows(agent: Agent) -> Iterator[Row]:
    tags = _strings(agent.tags)
    yield _row(
        OWN,
        name=agent.name,
        displayName=agent.display_name,
        description=agent.description,
        character=agent.character_description,
        personality=agent.personality,
        scenario=agent.scenario,
        agent=agent.id,
        tags=tags,
    )
    yield from _preset_rows(agent.preset_messages, agent.id, tags)
    for i, greeting in enumerate(agent.greetings):
        yield _row(
            f"greeting:{i}",
            name=greeting.name,
            content=greeting.content,
            role=greeting.role,
            agent=agent.id,
            tags=tags,
        )


def _preset_rows(presets: tuple[MessageNode, ...], agent: str | None, tags: tuple[str, ...]) -> Iterator[Row]:
    for i, preset in enumerate(presets):
        yield _row(
            f"preset:{i}",
            name=preset.name,
            content=preset.content,
            role=preset.role,
            agent=agent,
            tags=tags,
            is_enabled=preset.enabled,
        )


def _book_rows(book: Worldbook) -> Iterator[Row]:
    yield _row(OWN, name=book.shown_name, description=book.description)
    for key, entry in book.entries.items():
        keys = "\n".join([*entry.all_keys, *entry.keysecondary])
        yield _row(f"entry:{key}", name=entry.comment, keys=keys, content=entry.content, is_enabled=not entry.disable)


def _knowledge_rows(base: KnowledgeBase) -> Iterator[Row]:
    yield _row(OWN, name=base.shown_name, description=base.description)
    for i, entry in enumerate(base.entries):
        yield _row(
            f"knowledge:{i}", name=entry.key, content=entry.content, is_enabled=entry.enabled, tags=entry.tag_names
        )


def _rule_rows(preset: RegexPreset) -> Iterator[Row]:
    yield _row(OWN, name=preset.name, description=preset.description, is_enabled=preset.enabled)
    for i, rule in enumerate(preset.rules):
        yield _row(
            f"rule:{i}",
            name=rule.name,
            pattern=rule.regex,
            replacement=rule.replacement,
            script=rule.script_content,
            is_enabled=rule.enabled,
        )


# --- facts


def _row(
    key: str,
    *,
    role: str | None = None,
    agent: str | None = None,
    time: str | None = None,
    tags: tuple[str, ...] = (),
    is_enabled: bool = True,
    **texts: object,
) -> Row:
    found = tuple((field, _clean(text)) for field, text in texts.items() if isinstance(text, str) and text)
    return Row(
        _clean(key),
        found,
        role=role,
        agent=_clean(agent),
        time=_clean(time),
        ms=milliseconds(time) or 0,
        is_enabled=is_enabled,
        tags=tags,
    )


def milliseconds(timestamp: str | None) -> int | None:
    """Milliseconds since 1970 of an ISO time, in UTC where it names no zone; None where it is none."""
    seconds = seconds_of(timestamp)
    return None if seconds is None else min(max(0, round(seconds * 1000)), LAST_MS)


def _strings(value: object) -> tuple[str, ...]:
    items = cast("list[object]", value) if isinstance(value, list | tuple) else ()
    return tuple(_clean(item) for item in items if isinstance(item, str))


def _text_or_none(value: object) -> str | None:
    return _clean(value) if isinstance(value, str) else None


@overload
def _clean(text: str) -> str: ...
@overload
def _clean(text: None) -> None: ...
def _clean(text: str | None) -> str | None:
    """The text with a mark for each half of a character, which no file can hold; offsets stay."""
    if text is None or text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text
