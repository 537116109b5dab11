"""Taking sessions into a collection that may have some of them already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Literal, get_args

from ctxlab.documents import Session
from ctxlab.errors import WriteError, did_you_mean
from ctxlab.formats.markdown.translations import ENGLISH, Labels, checked, filled
from ctxlab.formats.session_tree_builder import Names
from ctxlab.lazy_dataclass import dataclass

Conflict = Literal["keep", "overwrite", "skip"]


@dataclass(frozen=True, slots=True, repr=False)
class ImportedSessions:
    """The collection after an import: `sessions` are all, those that were there first; the rest are ids.

    `imported` came in, under these ids; `renamed` are those of them that were called otherwise, with the old id;
    `overwritten` took the place of one that was there; `skipped` stayed out.
    """

    sessions: tuple[Session, ...]
    imported: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])
    overwritten: tuple[str, ...] = ()

    def __repr__(self) -> str:
        what = f"{len(self.imported)} imported, {len(self.skipped)} skipped, {len(self.renamed)} renamed"
        return f"ImportedSessions({len(self.sessions)} sessions, {what}, {len(self.overwritten)} overwritten)"


def merged_sessions(
    existing: Sequence[Session], imported: Iterable[Session], *, on_conflict: Conflict, labels: Labels = ENGLISH
) -> ImportedSessions:
    """The sessions of a collection with others taken in.

    Where an id is taken: `keep` both, the newcomer under a new id and as "<name> (copy)"; `overwrite` the old one;
    `skip` the newcomer. Two newcomers of one id are in conflict as well.
    """
    if on_conflict not in get_args(Conflict):
        raise WriteError(f"on_conflict={on_conflict!r} is not known{did_you_mean(on_conflict, get_args(Conflict))}")
    words = checked(labels)
    newcomers = list(imported)
    sessions = list(existing)
    at = {session.id: index for index, session in enumerate(sessions)}
    names = Names()
    for taken in {**at, **dict.fromkeys(session.id for session in newcomers)}:
        names.take(taken)
    came: dict[str, None] = {}
    skipped: list[str] = []
    renamed: dict[str, str] = {}
    overwritten: dict[str, None] = {}
    for session in newcomers:
        if session.id in at and on_conflict == "skip":
            skipped.append(session.id)
            continue
        if session.id in at and on_conflict == "overwrite":
            overwritten[session.id] = None
            sessions[at[session.id]] = session
        else:
            if session.id in at:
                new_id = names.take(session.id)
                renamed[new_id] = session.id
                session = session.model_copy(update={"id": new_id, "name": filled(words["copy"], name=session.name)})
            at[session.id] = len(sessions)
            sessions.append(session)
        came[session.id] = None
    return ImportedSessions(tuple(sessions), tuple(came), tuple(skipped), renamed, tuple(overwritten))
