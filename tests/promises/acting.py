"""Random verbs on random sessions, for the promises of trees and of their history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from ctxlab.documents import Session
from ctxlab.errors import Refused, UnknownNode

TEXTS = st.sampled_from(["", "one", "two", "好"])


@dataclass(frozen=True)
class Act:
    """A verb with what it is to be called with; a node that isn't there is named now and then."""

    verb: Callable[..., Session]
    args: tuple[Any, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict[str, Any])

    def __repr__(self) -> str:
        given = [*map(repr, self.args), *(f"{name}={value!r}" for name, value in self.fields.items())]
        return f"{self.verb.__name__}({', '.join(given)})"

    def on(self, session: Session) -> Session:
        return self.verb(session, *self.args, **self.fields)

    def or_nothing(self, session: Session) -> Session:
        """The session after it, or the same where it is refused."""
        try:
            return self.on(session)
        except (Refused, UnknownNode):
            return session


def acts(session: Session) -> st.SearchStrategy[Act]:
    node = st.sampled_from(sorted(session.nodes))
    anything = node | st.just("nowhere")

    def act(verb: Callable[..., Session], *args: st.SearchStrategy[Any], **fields: Any) -> st.SearchStrategy[Act]:
        return st.builds(Act, st.just(verb), st.tuples(*args), st.fixed_dictionaries({}, optional=fields))

    roles = st.sampled_from(["user", "assistant", "system", "tool"])
    files = st.sampled_from([(), ({"id": "f", "name": "f.png"},)])
    metadata = st.sampled_from([None, {}, {"isCompressionNode": True}, {"usage": {"totalTokens": 3}}])
    return st.one_of(
        act(Session.append, TEXTS, parent=anything, role=roles, metadata=metadata),
        act(Session.append, TEXTS, role=roles, timestamp=st.just("2026-01-01T00:00:00Z")),
        act(Session.append_pair, TEXTS, parent=anything),
        act(Session.edit, anything, TEXTS, attachments=files),
        act(Session.update, anything, name=TEXTS, role=roles, metadata=metadata, is_enabled=st.none() | st.booleans()),
        act(Session.branch, anything),
        act(Session.branch_from_edit, anything, TEXTS, attachments=files),
        act(Session.regenerate, anything),
        act(Session.continue_from, anything),
        act(Session.graft, anything, node),
        act(Session.move, anything, node),
        act(Session.transfer_children, node, anything),
        act(Session.delete, node),
        act(Session.enable, anything, below=st.booleans()),
        act(Session.disable, anything, below=st.booleans()),
        act(Session.switched, anything),
        act(Session.switched_to_sibling, node, to=st.sampled_from(["next", "previous"])),
    )
