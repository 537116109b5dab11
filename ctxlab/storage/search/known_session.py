"""A session as it was indexed last, so that of its next version only the messages that are others are looked at."""

from __future__ import annotations

from typing import Self

from ctxlab.documents.session.session import Session
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.search.rows import Row, message_row, milliseconds, session_row

MOST_CHANGES = 500
"""Messages that may be others; above it all of them are compared by their content."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Rows that may be others than they were, keys of rows that are gone; `leaving` and `joining` the active path."""

    rows: list[Row]
    gone: list[str]
    leaving: list[str]
    joining: list[str]


@dataclass(eq=False, slots=True)
class KnownSession:
    """A session, its stamp, and the places on its active path by id, from the root on."""

    session: Session
    stamp: str
    places: dict[str, int]

    @classmethod
    def of(cls, session: Session, stamp: str) -> Self:
        return cls(session, stamp, {node.id: i for i, node in enumerate(session.path())})

    def difference(self, new: Session) -> Difference | None:
        """The difference to a newer version; None where it is large, or where times or links of messages are others."""
        old = self.session
        changed = [key for key, node in new.nodes.items() if old.nodes.get(key) is not node]
        added = sum(key not in old.nodes for key in changed)
        if len(changed) > MOST_CHANGES or _facts(old) != _facts(new):
            return None
        gone = [key for key in old.nodes if key not in new.nodes] if len(old) + added != len(new) else []
        if len(gone) > MOST_CHANGES or any(_moved(old, new, key) for key in changed):
            return None
        joining = self._joining(new)
        if joining is None:
            return None
        border = new.nodes[joining[-1]].parent_id if joining else new.active_leaf_id
        stays = self.places[border] + 1 if border is not None else 0
        leaving = (
            [key for key in reversed(self.places) if self.places[key] >= stays] if stays < len(self.places) else []
        )
        if len(leaving) > MOST_CHANGES:
            return None
        times: dict[str, int] = {}
        entering, gone_from_path = set(joining), set(leaving)
        rows = [session_row(new)]
        for key in dict.fromkeys([*changed, *joining, *(key for key in leaving if key in new.nodes)]):
            is_active = key in entering or (key in self.places and key not in gone_from_path)
            rows.append(message_row(new, key, new.nodes[key], times, is_active=is_active))
        return Difference(rows, [f"node:{key}" for key in gone], leaving, joining)

    def advanced(self, new: Session, stamp: str, difference: Difference) -> KnownSession:
        """The newer version as what is known now; this one must not be used any more."""
        for key in difference.leaving:
            del self.places[key]
        for key in reversed(difference.joining):
            self.places[key] = len(self.places)
        return KnownSession(new, stamp, self.places)

    def _joining(self, new: Session) -> list[str] | None:
        """Messages from the new leaf up that are not yet on the path; None where they are many or lead elsewhere."""
        found: list[str] = []
        key = new.active_leaf_id
        while key is not None and key not in self.places:
            node = new.nodes.get(key)
            if node is None or len(found) > MOST_CHANGES:
                return None
            found.append(key)
            key = node.parent_id
        return found if key is not None and key in new.nodes else None


def _facts(session: Session) -> tuple[object, ...]:
    """Facts of a session that all its rows depend on."""
    root = session.nodes.get(session.root_node_id or "")
    is_timed = milliseconds(session.created_at) or (root is not None and milliseconds(root.timestamp) is not None)
    changed = None if is_timed else session.updated_at
    return session.created_at, changed, (session.model_extra or {}).get("tags"), session.root_node_id


def _moved(old: Session, new: Session, key: str) -> bool:
    """Whether a message that was there has another parent or another time, on which those below depend."""
    before, after = old.nodes.get(key), new.nodes[key]
    return before is not None and (before.parent_id != after.parent_id or before.timestamp != after.timestamp)
