"""What a file held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ctxlab.documents import Agent, RegexPreset, Session, UserProfile, Worldbook
from ctxlab.errors import ReadError, SeveralSessions, did_you_mean
from ctxlab.formats.loss import Loss

SHOWN_IDS = 8


@dataclass(frozen=True, slots=True, repr=False)
class Import:
    """Everything that was read from one source; `losses` says what could not be carried.

    `files` are the agents' own files that came along, by the path that the agents name them by.
    """

    sessions: tuple[Session, ...] = ()
    agents: tuple[Agent, ...] = ()
    users: tuple[UserProfile, ...] = ()
    books: tuple[Worldbook, ...] = ()
    rules: tuple[RegexPreset, ...] = ()
    losses: tuple[Loss, ...] = ()
    format: str = ""
    source: str = ""
    files: Mapping[str, bytes] = field(default_factory=dict[str, bytes])

    def __repr__(self) -> str:
        held = [
            _counted(len(self.sessions), "session"),
            *(
                _counted(len(values), one)
                for values, one in (
                    (self.agents, "agent"),
                    (self.users, "user"),
                    (self.books, "book"),
                    (self.rules, "set of rules"),
                    (self.files, "file"),
                    (self.losses, "loss"),
                )
                if values
            ),
        ]
        return f"Import({self.format!r}, {', '.join(held)}, from {self.source!r})"

    def pick(self, which: int | str | None = None) -> Session:
        """The only session, or the one of this index or id; raises SeveralSessions when it has to be said which."""
        if not self.sessions:
            raise ReadError(f"{self.source} holds no session, only {self._without_sessions()}")
        if which is None:
            only, *others = self.sessions
            if others:
                raise SeveralSessions(
                    f"{self.source} holds {len(self.sessions)} sessions: {self._some_ids()}; "
                    "say which with pick=, an index or an id"
                )
            return only
        if isinstance(which, int):
            return self._at(which)
        for session in self.sessions:
            if session.id == which:
                return session
        near = did_you_mean(which, [session.id for session in self.sessions])
        if "did you mean" not in near:
            near = f"; there are: {self._some_ids()}"
        raise SeveralSessions(f"{self.source} has no session {which!r} for pick={near}")

    def _at(self, index: int) -> Session:
        count = len(self.sessions)
        if not -count <= index < count:
            raise SeveralSessions(f"{self.source} has no session {index} for pick=; indexes are 0 to {count - 1}")
        return self.sessions[index]

    def _some_ids(self) -> str:
        ids = [repr(session.id) for session in self.sessions[:SHOWN_IDS]]
        more = len(self.sessions) - len(ids)
        return ", ".join(ids) + (f" and {more} more" if more else "")

    def _without_sessions(self) -> str:
        held = [
            _counted(len(values), one)
            for values, one in (
                (self.agents, "agent"),
                (self.users, "user"),
                (self.books, "book"),
                (self.rules, "set of rules"),
            )
            if values
        ]
        return " and ".join(held) or "nothing that is read"


def _counted(n: int, one: str) -> str:
    many = {"loss": "losses", "set of rules": "sets of rules"}.get(one, one + "s")
    return f"{n} {one if n == 1 else many}"
