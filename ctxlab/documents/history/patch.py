"""The difference of two states of a session as a patch, which can be applied in either direction."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from pydantic import Field

from ctxlab.documents.session.message import MessageNode
from ctxlab.documents.session.session import Session
from ctxlab.documents.stored import Stored

OWN = {field.alias or name: name for name, field in Session.model_fields.items() if name != "nodes"}
"""The session's fields beside its nodes, by their names in a file."""


class Side(Stored):
    """One of two states, reduced to the parts that differ in the other."""

    nodes: dict[str, MessageNode] = Field(default_factory=dict)
    places: dict[str, int] = Field(
        default_factory=dict, description="Where nodes that the other state lacks stand in the order of all nodes."
    )
    children: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="Children of nodes that list none, where the other state's are others."
    )
    fields: dict[str, str | None] = Field(default_factory=dict)
    given: tuple[str, ...] | None = Field(default=None, description="Fields that are written, where that differs.")
    extra: dict[str, Any] | None = Field(default=None, description="Fields that we don't know, where they differ.")

    @property
    def is_empty(self) -> bool:
        return not (self.nodes or self.fields) and self.given is None and self.extra is None


class Patch(Stored):
    """A step between two states, exact to the byte: nodes, their order, active leaf and branch memory."""

    before: Side = Field(default_factory=Side)
    after: Side = Field(default_factory=Side)

    @property
    def is_empty(self) -> bool:
        return self.before.is_empty and self.after.is_empty

    def apply(self, session: Session) -> Session:
        """The state after the step, from the one before it."""
        return _exchanged(session, self.before, self.after)

    def undone(self, session: Session) -> Session:
        """The state before the step, from the one after it."""
        return _exchanged(session, self.after, self.before)


def patch_between(before: Session, after: Session) -> Patch:
    """The step from one state to the other. Nodes are compared by identity: verbs leave what they don't touch."""
    old, new = before.nodes, after.nodes
    names, newer = list(old), list(new)
    if newer[: len(names)] == names:  # nothing went, what came is at the end
        touched = [
            key for key, node, other in zip(names, old.values(), new.values(), strict=False) if node is not other
        ]
        came = newer[len(names) :]
        return Patch(
            before=_side(before, after, touched, {}),
            after=_side(after, before, touched + came, {key: place for place, key in enumerate(came, len(names))}),
        )
    if [key for key in names if key in new] == [key for key in newer if key in old]:
        same = {key for key in names if new.get(key) is old[key]}
        places = _places(names, new), _places(newer, old)
    else:  # another order: every node is put in its place
        same, places = set[str](), (_places(names, ()), _places(newer, ()))
    return Patch(
        before=_side(before, after, [key for key in names if key not in same], places[0]),
        after=_side(after, before, [key for key in newer if key not in same], places[1]),
    )


def _places(names: list[str], common: Container[str]) -> dict[str, int]:
    return {key: place for place, key in enumerate(names) if key not in common}


def _side(session: Session, other: Session, touched: list[str], places: dict[str, int]) -> Side:
    nodes = {key: session.nodes[key] for key in touched}
    fields = {alias: getattr(session, name) for alias, name in OWN.items()}
    given, extra = session.model_fields_set & {*OWN.values(), "nodes"}, session.model_extra or {}
    return Side(
        nodes=nodes,
        places=places,
        children={
            key: session.children(key)
            for key, node in nodes.items()
            if not node.children_ids and session.children(key) != other.children(key)
        },
        fields={alias: value for alias, value in fields.items() if value != getattr(other, OWN[alias])},
        given=None if given == other.model_fields_set & {*OWN.values(), "nodes"} else tuple(sorted(given)),
        extra=None if _same(extra, other.model_extra or {}) else extra,
    )


def _same(extra: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether unknown fields are identical values in the same order; equal ones may be written differently."""
    return list(extra) == list(other) and all(extra[name] is other[name] for name in extra)


def _exchanged(session: Session, gone: Side, come: Side) -> Session:
    changes = {key: come.nodes.get(key) for key in {**gone.nodes, **come.nodes}}
    fields = {OWN[alias]: value for alias, value in come.fields.items() if alias in OWN}
    result = session.with_nodes(changes, places=come.places).model_copy(update=fields)
    if come.given is not None:
        result.model_fields_set.difference_update(OWN.values(), ("nodes",))
        result.model_fields_set.update(come.given)
    return result if come.extra is None else result.with_extra(come.extra)
