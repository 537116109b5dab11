"""A library taken into a workspace: what is there already is counted and not kept twice."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Literal, TypeAlias, cast

from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.assets.references import ARTIFACT
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.progress import ProgressOption, WorkProgress
from ctxlab.display.short_texts import counted
from ctxlab.documents import Agent, Library, MessageNode, Session
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.library import NOUNS
from ctxlab.documents.named_files import with_paths
from ctxlab.documents.stored import Stored
from ctxlab.formats.results import Import, Loss, Losses, losses_html
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.kinds import KINDS, Kind, id_of
from ctxlab.storage.revisions import Revision, content_digest, without_revision
from ctxlab.storage.store import Store
from ctxlab.storage.value_facts import body_digest

OnDuplicate: TypeAlias = Literal["keep", "overwrite", "skip"]
ORDER = ("knowledge_bases", "books", "rules", "quick_actions", "models", "presets", "users", "agents", "sessions")
"""Values that others name come before those that name them, so that a new id is known by then."""
NAMED_IN = {"worldbook_ids": "books", "quick_action_set_ids": "quick_actions"}
MOST_LOSSES = 1_000
"""Losses of a whole import that are listed; all are counted."""


@dataclass(frozen=True, slots=True, repr=False)
class Added:
    """Results of taking something into a workspace: the number of values of each kind that came in, by field.

    `renamed` came in beside others of their ids: the new id by kind and old id. `duplicates` were there already with
    the same content, `skipped` are others whose ids are taken, `overwritten` replaced what is in the trash now.
    `lost` counts the losses, of which `losses` lists the first.
    """

    added: Mapping[str, int] = field(default_factory=FrozenDict)
    duplicates: int = 0
    skipped: int = 0
    overwritten: int = 0
    renamed: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    files: int = 0
    lost: int = 0
    losses: tuple[Loss, ...] = ()

    def __repr__(self) -> str:
        return f"Added({', '.join(self.in_words())})"

    def _repr_html_(self) -> str:
        rows = [(NOUNS[name][1], count) for name, count in self.added.items() if count]
        rows += [(name, getattr(self, name)) for name in ("duplicates", "skipped", "overwritten", "files")]
        return heading(self) + html_table(("what", "number"), rows, of="rows") + losses_html(self.losses)

    def in_words(self) -> list[str]:
        """Clauses on all that came in, that didn't, and that was lost, each with its number."""
        words = [counted(count, *NOUNS[name]) for name, count in self.added.items() if count]
        words = [*words, *([counted(self.files, "file")] if self.files else [])] or ["nothing new"]
        counts = (
            (self.duplicates, "there already"),
            (len(self.renamed), "under new ids"),
            (self.overwritten, "overwritten"),
            (self.skipped, "skipped"),
        )
        words += [f"{number:,} {what}" for number, what in counts if number]
        return [*words, *([counted(self.lost, "loss", "losses")] if self.lost else [])]

    def __add__(self, other: Added) -> Added:
        names = dict.fromkeys((*self.added, *other.added))
        return Added(
            {name: self.added.get(name, 0) + other.added.get(name, 0) for name in names},
            self.duplicates + other.duplicates,
            self.skipped + other.skipped,
            self.overwritten + other.overwritten,
            {**self.renamed, **other.renamed},
            self.files + other.files,
            self.lost + other.lost,
            Losses((*self.losses, *other.losses)[:MOST_LOSSES]),
        )


class LibraryTaker:
    """Takes libraries into a workspace, one after the other; the hashes of what is there are looked up once."""

    def __init__(self, store: Store, on_duplicate: OnDuplicate) -> None:
        self._store = store
        self._on_duplicate: OnDuplicate = on_duplicate
        self._known: dict[str, _Known] = {}
        self._origins: dict[str, dict[str, str]] = {}

    def keep_origins(self) -> None:
        """Write down which program and which file the sessions that were taken in came from."""
        self._store.arrangement.came_from("sessions", self._origins)
        self._origins = {}

    def take(self, library: Library, *, progress: ProgressOption = False) -> Added:
        """Take one library in, files first, then what others name."""
        taking = _Taking(self._store, self._on_duplicate)
        paths = taking.files(self._store.assets, library.files)
        total = sum(len(getattr(library, name)) for name in ORDER)
        with WorkProgress("values", total, progress) as shown:
            for name in ORDER:
                for value in cast("Iterable[Stored]", getattr(library, name)):
                    moved = with_paths(value, paths) if name in ("sessions", "agents") else value
                    taking.take(KINDS[name], self._known_of(name), moved)
                    shown.advance(1)
        self._note_origins(library, taking)
        losses = (*(library.losses if isinstance(library, Import) else ()), *taking.losses)
        return taking.result(losses)

    def _note_origins(self, library: Library, taking: _Taking) -> None:
        origins = library.session_origins if isinstance(library, Import) else ()
        for session, origin in zip(library.sessions, origins, strict=False):
            known_as = taking.known_as.get(("sessions", session.id), session.id)
            fields = {name: text for name, text in zip(origin._fields, origin, strict=True) if text}
            if fields and known_as not in taking.skipped:
                self._origins[known_as] = fields

    def _known_of(self, kind: str) -> _Known:
        if kind not in self._known:
            self._known[kind] = _Known.of(self._store, kind)
        return self._known[kind]


@dataclass(slots=True)
class _Known:
    """Hashes of what is there: by id of its content, and by hash of its body the ids that have it."""

    contents: dict[str, str] = field(default_factory=dict[str, str])
    bodies: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    @classmethod
    def of(cls, store: Store, kind: str) -> _Known:
        known = cls()
        for row in store.rows(kind):
            revision = Revision.parse(row["revision"])
            known.add(row["id"], revision.digest if revision else "", row["body"])
        return known

    def add(self, id: str, content: str, body: str) -> None:
        self.contents[id] = content
        self.bodies.setdefault(body, set()).add(id)

    def copy_of(self, id: str, body: str) -> str | None:
        """The id under which a value of this id came in before, when its own was taken."""
        return next((each for each in self.bodies.get(body, ()) if re.fullmatch(re.escape(id) + r"-\d+", each)), None)


@dataclass(slots=True)
class _Taking:
    store: Store
    on_duplicate: OnDuplicate
    counts: Counter[str] = field(default_factory=Counter[str])
    renamed: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    known_as: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    losses: list[Loss] = field(default_factory=list[Loss])
    skipped: set[str] = field(default_factory=set[str])

    def files(self, assets: AssetFolder | None, files: Mapping[str, bytes]) -> dict[str, str]:
        """Keep the files by their content; gives the path of each in the workspace."""
        if assets is None:
            lost = f"{counted(len(files), 'file')} can't be kept at an address; left out"
            self.losses += [Loss("files", lost)] if files else []
            return {}
        paths: dict[str, str] = {}
        for path, data in files.items():
            paths[path] = f"{ARTIFACT}{assets.add(data, name=path.rpartition('/')[2]).id}"
            self.counts["files"] += 1
        return paths

    def take(self, kind: Kind, known: _Known, value: Any) -> None:
        value = self._with_new_ids(without_revision(value))
        value = value if id_of(value) else self._named(kind, value)
        id, data = id_of(value), value.to_data()
        content, body = content_digest(data), body_digest(data)
        if id not in known.contents:
            self._save(kind, known, value, content, body)
        elif known.contents[id] == content:
            self.counts["duplicates"] += 1
        elif (there := known.copy_of(id, body)) is not None:
            self.known_as[kind.name, id] = there
            self.counts["duplicates"] += 1
        elif self.on_duplicate == "skip":
            self.counts["skipped"] += 1
            self.skipped.add(id)
        elif self.on_duplicate == "overwrite":
            self.counts["overwritten"] += 1
            self._save(kind, known, value, content, body)
        else:
            self._keep_beside(kind, known, value, id, body)

    def _named(self, kind: Kind, value: Any) -> Any:
        return value.model_copy(update={"id": f"{kind.folder}-{content_digest(value.to_data())[:10]}"})

    def _keep_beside(self, kind: Kind, known: _Known, value: Any, id: str, body: str) -> None:
        free = self.store.free_id(kind, id, known.contents)
        self.renamed[kind.name, id] = self.known_as[kind.name, id] = free
        fields: dict[str, Any] = {"id": free}
        there = self.store.indexes[kind.name].row(id) or {}
        if getattr(value, "name", None) and value.name == there.get("name"):
            fields["name"] = f"{value.name} (copy)"
        renamed = value.model_copy(update=fields)
        self._save(kind, known, renamed, content_digest(renamed.to_data()), body)

    def _save(self, kind: Kind, known: _Known, value: Any, content: str, body: str) -> None:
        self.store.save(value, on_conflict="overwrite" if self.on_duplicate == "overwrite" else "merge")
        known.add(id_of(value), content, body)
        self.counts[kind.name] += 1

    def _with_new_ids(self, value: Any) -> Any:
        """The value, naming others of the same library by the ids that they have here."""
        if not self.known_as:
            return value
        changed: dict[str, Any] = {}
        for name, kind in NAMED_IN.items():
            ids = getattr(value, name, None)
            if ids and any((kind, id) in self.known_as for id in ids):
                changed[name] = tuple(self.known_as.get((kind, id), id) for id in ids)
        if isinstance(value, Agent) and (user := self.known_as.get(("users", value.user_profile_id or ""))):
            changed["user_profile_id"] = user
        if isinstance(value, Session):
            nodes = {id: self._with_new_agent(node) for id, node in value.nodes.items()}
            if any(nodes[id] is not node for id, node in value.nodes.items()):
                changed["nodes"] = nodes
        return value.model_copy(update=changed) if changed else value

    def _with_new_agent(self, node: MessageNode) -> MessageNode:
        agent = (node.metadata or {}).get("agentId")
        new = self.known_as.get(("agents", agent)) if isinstance(agent, str) else None
        return node.with_(metadata={**(node.metadata or {}), "agentId": new}) if new else node

    def result(self, losses: Iterable[Loss]) -> Added:
        listed = tuple(losses)
        count = self.counts
        return Added(
            added={name: count[name] for name in ORDER if count[name]},
            duplicates=count["duplicates"],
            skipped=count["skipped"],
            overwritten=count["overwritten"],
            renamed=self.renamed,
            files=count["files"],
            lost=len(listed),
            losses=Losses(listed[:MOST_LOSSES]),
        )
