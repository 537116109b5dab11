"""A message as JSON text, problems of edited JSON text with their places, and the text back into the session."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents.json_positions import position_of
from ctxlab.documents.session.message import MessageNode
from ctxlab.documents.session.message_checks import (
    ABSENT,
    FIXED,
    WrongValue,
    path_in_words,
    unused_fields,
    wrong_values,
)
from ctxlab.errors import Refused
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from ctxlab.documents import Session

# In a field for typing these would turn the text around or not be seen: they are written as escapes.
OBEYED = lazy_pattern("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
MOST_NAMED = 4
"""Wrong values of which a refusal tells the places."""


@dataclass(frozen=True, slots=True)
class MessageProblem:
    """Something in the data of a message that keeps it from being taken.

    `path` is such as `attachments[0].size`, empty for the message as a whole; line and column count from 1, and are 0
    where there is no text.
    """

    text: str
    path: str = ""
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.text}" if self.line else self.text


class _NotRead(Exception):
    """Raised for text that holds no object."""

    def __init__(self, problem: MessageProblem) -> None:
        super().__init__(problem.text)
        self.problem = problem


@checked_arguments
def message_json(session: Session, node_id: str) -> str:
    """The stored form of a message as indented JSON; signs that turn text around are written as escapes."""
    text = json.dumps(session.node(node_id).to_data(), ensure_ascii=False, indent=2)
    return OBEYED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def parsed_message(text: str) -> dict[str, Any]:
    """The object that JSON text holds; refuses what is none with the line and the column where it ends to be."""
    try:
        return _read(text)
    except _NotRead as error:
        problem = error.problem
    raise Refused(f"this is no JSON: {problem}" if problem.line else problem.text)


@checked_arguments
def message_problems(session: Session, node_id: str, data: str | Mapping[str, Any]) -> tuple[MessageProblem, ...]:
    """Everything that keeps a message from taking this data, in the order of the text; empty where it takes it.

    The data is JSON text, or an object. Links may be left out and can't be changed, everything else may: what is wrong
    is named by its path, and in a text by line and column too.
    """
    before = session.node(node_id).to_data()
    text = data if isinstance(data, str) else ""
    try:
        fields = _read(data) if isinstance(data, str) else data
    except _NotRead as error:
        return (error.problem,)
    return tuple(_placed(list(dict.fromkeys(wrong_values(before, fields))), text))


@checked_arguments
def edit_json(session: Session, node_id: str, data: str | Mapping[str, Any]) -> Session:
    """The session with a message that has the fields of this JSON text, or of this object, and no others.

    Fields that aren't in it are gone, its links stay. Refuses what `message_problems` names.
    """
    if isinstance(data, str):
        return with_message_data(session, node_id, parsed_message(data), data)
    return with_message_data(session, node_id, data)


def _read(text: str) -> dict[str, Any]:
    try:
        data: object = json.loads(text, parse_constant=_no_number, object_pairs_hook=_each_key_once)
    except json.JSONDecodeError as error:
        raise _NotRead(MessageProblem(error.msg, "", error.lineno, error.colno)) from None
    except RecursionError:
        raise _NotRead(MessageProblem("this is nested too deeply to be a message")) from None
    if not isinstance(data, dict):
        raise _NotRead(MessageProblem('a message is an object: it begins with { and has a "role" and a "content"'))
    return cast("dict[str, Any]", data)


def with_message_data(session: Session, node_id: str, data: Mapping[str, Any], text: str = "") -> Session:
    """The session with a message that has these fields and no others; its links stay, also where they aren't named.

    Refuses other links, a missing role, and every value that a message doesn't take, each by its path; with `text`,
    the JSON that the data was read from, also by line and column. Data that says the same gives the same session.
    """
    node = session.node(node_id)
    before = node.to_data()
    wrong = list(dict.fromkeys(wrong_values(before, data)))
    if wrong:
        raise Refused(_listed([str(problem) for problem in _placed(wrong, text)]))
    fields = {name: value for name, value in data.items() if name not in FIXED and before.get(name, ABSENT) != value}
    gone = [name for name in before if name not in data and name not in FIXED]
    if not fields and not gone:
        return session
    blank = {"content": ""} if "content" in gone else {}  # so that what was computed from the words goes with them
    made = session.update(node_id, **fields, **blank)
    if not gone:
        return made
    own = {str(field.alias): name for name, field in MessageNode.model_fields.items()}
    return made.with_nodes({node_id: made.node(node_id).without(*(own.get(name, name) for name in gone))})


def edit_in_words(before: MessageNode, after: MessageNode, data: Mapping[str, Any], name: str) -> str:
    """A sentence on what an edit did to a message, and on what it left as it was although the data asked for more."""
    if before == after:
        words = [f"{name[:1].upper()}{name[1:]} is as it was: the data says the same."]
    else:
        words = [f"Changed {name}."]
    kept = [each for each in before.to_data() if each in FIXED and each not in data]
    if kept:
        words.append(f"Its structure stays, though the data leaves it out: {', '.join(kept)}.")
    return " ".join([*words, *(f"{sentence}." for sentence in unused_fields(before.to_data(), after))])


def _placed(wrong: Sequence[WrongValue], text: str) -> list[MessageProblem]:
    """The values with their places, in the order of the text."""
    if not text:
        return [MessageProblem(each.text, path_in_words(each.path)) for each in wrong]
    placed = sorted((position_of(text, each.path), each.text, path_in_words(each.path)) for each in wrong)
    return [MessageProblem(words, path, line, column) for (line, column), words, path in placed]


def _listed(sentences: Sequence[str]) -> str:
    more = f" {len(sentences) - MOST_NAMED} more." if len(sentences) > MOST_NAMED else ""
    return " ".join(sentences[:MOST_NAMED]) + more


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _NotRead(MessageProblem(f"the key {twice!r} is there more than once in one object: keep one of them"))
    return found


def _no_number(name: str) -> NoReturn:
    raise _NotRead(MessageProblem(f"{name} is no number that JSON knows"))
