"""A message as JSON text, and edited JSON text back into the session."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn, cast

from ctxlab.documents.session.message import STRUCTURE, MessageNode
from ctxlab.errors import Refused

if TYPE_CHECKING:
    from ctxlab.documents import Session

# In a field for typing these would turn the text around or not be seen: they are written as escapes.
OBEYED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]")
FIXED = {str(MessageNode.model_fields[name].alias): remedy for name, remedy in STRUCTURE.items()}


def message_to_json(session: Session, node_id: str) -> str:
    """The stored form of a message as indented JSON."""
    text = json.dumps(session.node(node_id).to_data(), ensure_ascii=False, indent=2)
    return OBEYED.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def parsed_message(text: str) -> dict[str, Any]:
    """The object that JSON text holds; refuses what is none with the line and the column where it ends to be."""
    try:
        data: object = json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        raise Refused(f"this is no JSON: line {error.lineno}, column {error.colno}: {error.msg}") from None
    except RecursionError:
        raise Refused("this is nested too deeply to be a message") from None
    if not isinstance(data, dict):
        raise Refused('a message is an object: it begins with { and has a "role" and a "content"')
    return cast("dict[str, Any]", data)


def with_message_data(session: Session, node_id: str, data: Mapping[str, Any]) -> Session:
    """The session with a message that has these fields and no others; refuses other links and a missing role."""
    before = session.node(node_id).to_data()
    for name, remedy in FIXED.items():
        if name in data and data[name] != before.get(name):
            raise Refused(f"{name!r} is structure and can't be changed here: {remedy}")
    if "role" in before and "role" not in data:
        raise Refused("a message has a 'role': system, user, assistant or tool")
    fields = {
        name: value
        for name, value in data.items()
        if name not in FIXED and not (name in before and before[name] == value)
    }
    gone = [name for name in before if name not in data and name not in FIXED]
    blank = {"content": ""} if "content" in gone else {}  # so that what was computed from the words goes with them
    made = session.update(node_id, **fields, **blank)
    if not gone:
        return made
    own = {str(field.alias): name for name, field in MessageNode.model_fields.items()}
    return made.with_nodes({node_id: made.node(node_id).without(*(own.get(name, name) for name in gone))})


def _no_number(name: str) -> NoReturn:
    raise Refused(f"{name} is no number that JSON knows")
