"""Fields of messages as callers of the verbs pass them: checked, and without structure such as parent and children."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from ctxlab.documents.refused_values import first_refusal
from ctxlab.documents.session.message import MessageNode
from ctxlab.errors import Refused

STRUCTURE = {
    "id": "a verb that makes a message takes its id",
    "parent_id": "graft() and move() hang a message elsewhere",
    "children_ids": "graft() and move() hang messages elsewhere",
    "last_selected_child_id": "switched() chooses a branch",
}


def message(fields: Mapping[str, Any], **links: Any) -> MessageNode:
    """A message of these fields, named as in Python or in the file; refuses wrong values and structure."""
    _refuse_structure(fields)
    try:
        return MessageNode.model_validate({**fields, **links})
    except ValidationError as error:
        raise Refused(first_refusal(error)) from error


def checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields under their Python names, with values checked and converted as in a message."""
    made = message(fields)
    return {name: getattr(made, name) for name in made.model_fields_set}


def _refuse_structure(fields: Mapping[str, Any]) -> None:
    known = MessageNode.model_fields
    for name, remedy in STRUCTURE.items():
        if name in fields or known[name].alias in fields:
            raise Refused(f"{name!r} is structure, not a field to be given: {remedy}")
