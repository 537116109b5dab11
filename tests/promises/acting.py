"""Random verbs, for the promises of trees and of their history: which node they are about is said by number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from hypothesis import strategies as st

from ctxlab.documents import Session
from ctxlab.errors import Refused, UnknownNode


class Nth(NamedTuple):
    """A node of the session that the verb is asked of, counted round; one number is no node's."""

    number: int

    def of(self, session: Session) -> str:
        names = [*session.nodes, "nowhere"]
        return names[self.number % len(names)]


@dataclass(frozen=True)
class Act:
    """A verb with what it is called with."""

    verb: Callable[..., Session]
    args: tuple[Any, ...]
    fields: dict[str, Any]

    def on(self, session: Session) -> Session:
        return self.verb(session, *self.args_for(session), **self.fields_for(session))

    def fields_for(self, session: Session) -> dict[str, Any]:
        return {name: _named(value, session) for name, value in self.fields.items()}

    def args_for(self, session: Session) -> list[Any]:
        return [_named(value, session) for value in self.args]

    def or_nothing(self, session: Session) -> Session:
        """The session after it, or the same where it is refused."""
        try:
            return self.on(session)
        except (Refused, UnknownNode):
            return session


def _named(value: Any, session: Session) -> Any:
    return value.of(session) if isinstance(value, Nth) else value


def _act(verb: Callable[..., Session], *args: st.SearchStrategy[Any], **fields: st.SearchStrategy[Any]) -> Any:
    return st.builds(Act, st.just(verb), st.tuples(*args), st.fixed_dictionaries({}, optional=fields))


nodes = st.integers(0, 99).map(Nth)
said = st.sampled_from(["", "one", "two", "好"])
roles = st.sampled_from(["user", "assistant", "system", "tool"])
files = st.sampled_from([(), ({"id": "f", "name": "f.png"},)])
metadata = st.sampled_from([None, {}, {"isCompressionNode": True}, {"usage": {"totalTokens": 3}}])
translations = st.sampled_from([None, {"content": "二", "targetLang": "Chinese"}, {"visible": False}])
switches = st.sampled_from([None, True, False])

creating: st.SearchStrategy[Act] = st.one_of(
    _act(Session.append, said, parent=nodes, role=roles, metadata=metadata, timestamp=st.just("2026-01-01T00:00Z")),
    _act(Session.append_pair, said, parent=nodes),
    _act(Session.branch, nodes),
    _act(Session.branch_from_edit, nodes, said, attachments=files),
    _act(Session.regenerate, nodes),
    _act(Session.continue_from, nodes),
)
acts: st.SearchStrategy[Act] = st.one_of(
    creating,
    _act(Session.edit, nodes, said, attachments=files),
    _act(Session.update, nodes, name=said, role=roles, metadata=metadata, is_enabled=switches, colour=said),
    _act(Session.update_translation, nodes, translations),
    _act(Session.graft, nodes, nodes),
    _act(Session.move, nodes, nodes),
    _act(Session.transfer_children, nodes, nodes),
    _act(Session.delete, nodes),
    _act(Session.enable, nodes, below=st.booleans()),
    _act(Session.disable, nodes, below=st.booleans()),
    _act(Session.switched, nodes),
    _act(Session.switched_to_sibling, nodes, to=st.sampled_from(["next", "previous"])),
)
