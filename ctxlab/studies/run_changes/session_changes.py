"""Changes of the conversation, and of the branch of it that is built."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from ctxlab.context import BuildInput
from ctxlab.display.one_line import plain
from ctxlab.display.short_texts import counted
from ctxlab.documents import MessageNode, Session
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.run_changes.change import RunChange, Way, arguments, first_that_makes

NAME = 16
HELD = "run.start.input.session"
MOST_TRIED = 8
"""Messages of which a verb is tried: each trial makes the whole conversation."""


def session_changes(before: BuildInput, after: BuildInput) -> Iterator[RunChange]:
    """Another branch, a message that was edited, moved, switched or taken out, or another conversation."""
    old, new, leaf = before.session, after.session, after.leaf_id
    if old is new and before.leaf_id == leaf:
        return
    if old.id != new.id and old.nodes != new.nodes:
        yield RunChange(plain(new.name or new.id, 2 * NAME))
    elif leaf is not None and _is_only_switched(old, new, leaf):
        if before.leaf_id != leaf:
            yield RunChange(f"branch {plain(leaf, NAME)}", f"run = ctxlab.rebuild(run, leaf={leaf!r})")
    elif old.nodes != new.nodes:
        edit = _Edit(old, new)
        code = first_that_makes(_tree(new), edit.ways(leaf))
        yield RunChange(edit.label, f"run = ctxlab.rebuild(run, session={code})" if code else "")


def _is_only_switched(old: Session, new: Session, leaf: str) -> bool:
    if old is new or old.nodes == new.nodes:
        return True
    return old.nodes.keys() == new.nodes.keys() and leaf in old.nodes and old.switched(leaf).nodes == new.nodes


def _tree(session: Session) -> tuple[object, ...]:
    """The messages and the active leaf: what tells two states of a conversation apart."""
    return session.nodes, session.active_leaf_id


@dataclass(frozen=True)
class _Edit:
    """The messages that one state of a conversation has otherwise than another."""

    old: Session
    new: Session

    @cached_property
    def gone(self) -> list[str]:
        return [key for key in self.old.nodes if key not in self.new.nodes]

    @cached_property
    def added(self) -> list[str]:
        return [key for key in self.new.nodes if key not in self.old.nodes]

    @cached_property
    def touched(self) -> list[str]:
        """Ids of messages that are in both, and differ."""
        nodes = self.old.nodes
        return [key for key, node in self.new.nodes.items() if key in nodes and nodes[key] != node]

    @cached_property
    def moved(self) -> list[str]:
        return [key for key in self.touched if self.old.nodes[key].parent_id != self.new.nodes[key].parent_id]

    @property
    def label(self) -> str:
        if self.added:
            hidden = self._hidden_anew()
            if hidden:
                return f"{counted(hidden, 'message')} compressed"
            return f"{_name(self.new.nodes[self.added[0]])} added"
        if self.gone:
            return f"{_name(self.old.nodes[self._top(self.gone)])} deleted"
        if self.moved:
            node = self.new.nodes[self._top(self.moved)]
            parent = self.new.nodes.get(node.parent_id or "")
            return f"{_name(node)} under {_name(parent) if parent is not None else 'no message'}"
        touched = self.touched
        if not touched:
            return "conversation changed"
        node = self.new.nodes[touched[0]]
        if node.is_enabled is not self.old.nodes[node.id].is_enabled:
            more = f" and {len(touched) - 1:,} more" if len(touched) > 1 else ""
            return f"{_name(node)}{more} {'off' if node.is_enabled is False else 'on'}"
        return f"{_name(node)} edited" if len(touched) == 1 else "conversation changed"

    def _hidden_anew(self) -> int:
        """Messages that summaries hide which are new, where nothing else is; 0 otherwise."""
        nodes, known = self.new.nodes, {key for node in self.old.nodes.values() for key in node.hides}
        if not all(nodes[key].is_summary for key in self.added):
            return 0
        hidden = dict.fromkeys(each for key in self.added for each in nodes[key].hides if each in nodes)
        return sum(key not in known and not nodes[key].is_summary for key in hidden)

    def ways(self, leaf: str | None) -> Iterator[Way]:
        """Verbs that might have led there, each also with a switch to the leaf after it."""
        for verb, args, kwargs in self._verbs():
            given = ", ".join(filter(None, (*map(repr, args), arguments(kwargs))))
            code = f"{HELD}.{verb}({given})"
            yield Way(code, lambda verb=verb, args=args, kwargs=kwargs: _tree(self._done(verb, args, kwargs)))
            if leaf is not None:
                yield Way(
                    f"{code}.switched({leaf!r})",
                    lambda verb=verb, args=args, kwargs=kwargs: _tree(self._done(verb, args, kwargs).switched(leaf)),
                )

    def _done(self, verb: str, args: Sequence[str], kwargs: dict[str, Any]) -> Session:
        return getattr(self.old, verb)(*args, **kwargs)

    def _verbs(self) -> Iterator[tuple[str, tuple[str, ...], dict[str, Any]]]:
        if self.added:
            return
        if self.gone:
            yield "delete", (self._top(self.gone),), {}
            return
        for key in self.moved[:MOST_TRIED]:
            parent = self.new.nodes[key].parent_id
            if parent is not None:
                yield "graft", (key, parent), {}
                yield "move", (key, parent), {}
        touched = self.touched
        for key in touched[:MOST_TRIED]:
            verb = "disable" if self.new.nodes[key].is_enabled is False else "enable"
            yield verb, (key,), {}
            yield verb, (key,), {"below": True}
        if len(touched) == 1:
            was, now = self.old.nodes[touched[0]], self.new.nodes[touched[0]]
            names = {name for name in type(now).model_fields if getattr(was, name) != getattr(now, name)}
            yield "update", (now.id,), now.model_dump(mode="json", include=names)

    def _top(self, keys: Sequence[str]) -> str:
        """The message of these that hangs below none of them."""
        among = set(keys)
        return next((key for key in keys if self.old.nodes[key].parent_id not in among), keys[0])


def _name(node: MessageNode) -> str:
    return plain(node.id, NAME) if len(node.id) <= NAME else f"“{plain(node.content, NAME)}”"
