"""The files of one kind of values: read, and saved so that nobody's changes are lost."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from threading import RLock
from typing import Any, Literal, TypeAlias, cast

from ctxlab.documents import Session
from ctxlab.documents.stored import Note, Stored, as_json
from ctxlab.errors import ChangedMeanwhile, ReadError, UnknownName, did_you_mean
from ctxlab.formats.decode import source_of
from ctxlab.formats.native.session import session_json
from ctxlab.formats.results import Loss
from ctxlab.lazy_dataclass import dataclass
from ctxlab.storage.file_names import file_stem
from ctxlab.storage.files import Files
from ctxlab.storage.index import Index
from ctxlab.storage.kinds import SUFFIX, Kind, id_of, name_of
from ctxlab.storage.merge_data import merged_data
from ctxlab.storage.merge_sessions import changes_in_words, merged_sessions
from ctxlab.storage.revisions import (
    Revision,
    content_digest,
    revision_in,
    revision_of,
    with_revision,
    without_revision,
)

Data = dict[str, Any]
OnConflict: TypeAlias = Literal["raise", "merge", "overwrite"]
MOST_KEPT = 64
"""Values of a kind that a workspace has in memory."""
VERSIONS = 4
"""Versions before the present one that are kept of each value, as the base of merges."""
VERSIONS_FOLDER = "versions"


@dataclass(frozen=True, slots=True)
class Loaded:
    """A value as its file has it now. A file with losses was read in part, and is never replaced without a copy."""

    value: Any
    revision: Revision
    stamp: str
    losses: tuple[Loss, ...] = ()

    @property
    def digests(self) -> tuple[str, str]:
        """Hashes of the content as it is in the file, and as the value writes it, which may be `4.0` for `4`."""
        return self.revision.digest, content_digest(self.value.to_data())


@dataclass(frozen=True, slots=True)
class Saved:
    """A value as it was saved; `notes` say what was merged, `copy` is ours of one that couldn't be merged."""

    value: Any
    wrote: bool
    notes: tuple[str, ...] = ()
    copy: Any = None


class ValueFiles:
    """The values of a kind. `set_aside` keeps a copy of a file before it is replaced with something else."""

    def __init__(self, files: Files, kind: Kind, index: Index, *, set_aside: Callable[[str, str], None]) -> None:
        self._files, self._kind, self._index, self._set_aside = files, kind, index, set_aside
        self._kept: OrderedDict[tuple[str, str], Stored] = OrderedDict()
        self._loaded: OrderedDict[str, Loaded] = OrderedDict()
        self._lock = RLock()

    # --- reading

    def load(self, id: str) -> Loaded:
        """The value of an id; raises UnknownName where there is none, ReadError where its file can't be read."""
        file = self._index.file_of(id)
        if file is not None and (found := self._read(file)) is not None:
            if id_of(found.value) in (id, _whole_characters(id)):
                return found
            other = self._index.listed_file_of(id)  # that file has another id now
            if other is not None and (found := self._read(other)) is not None:
                return found
        known = [row["id"] for row in self._index.rows()]
        near = did_you_mean(id, known[:2000]) if known else "; there is none"
        raise UnknownName(f"{self._files.place} has no {self._kind.noun} {id!r}{near}")

    def _read(self, file: str) -> Loaded | None:
        """The content of a file now; None where it isn't there."""
        path = self._kind.path(file)
        stamp = self._files.stamp(path)
        with self._lock:
            known = self._loaded.get(file)
            if known is not None and known.stamp == stamp:
                return known
        if stamp is None:
            return None
        try:
            raw = self._files.read(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ReadError(f"{self._files.place}/{path} can't be read: {error.strerror or error}") from error
        data, found = self._parsed(raw, path)
        stem = file.removeprefix(self._kind.prefix).removesuffix(SUFFIX)
        loaded = _loaded(self._kind, data, stamp, stem)
        loaded = replace(loaded, losses=(*found, *loaded.losses))
        if self._files.stamp(path) == stamp:  # else another has replaced it in between
            self._remember(file, loaded)
        return loaded

    def _parsed(self, raw: bytes, path: str) -> tuple[Data, tuple[Loss, ...]]:
        source = source_of(raw, path)
        if not isinstance(source.data, dict):
            raise ReadError(f"{self._files.place}/{path} is no {self._kind.noun}: it holds no object")
        return cast("Data", source.data), source.losses

    def _remember(self, file: str, loaded: Loaded) -> None:
        with self._lock:
            self._loaded[file] = loaded
            self._loaded.move_to_end(file)
            self._kept[file, str(loaded.revision)] = loaded.value
            while len(self._loaded) > MOST_KEPT:
                self._loaded.popitem(last=False)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    def forget(self, file: str) -> None:
        """Read a file anew the next time."""
        with self._lock:
            self._loaded.pop(file, None)

    # --- saving

    def save(self, value: Stored, *, on_conflict: OnConflict) -> Saved:
        """Save a value, whole or not at all; what another saved meanwhile is merged or refused.

        Raises ChangedMeanwhile, WriteError.
        """
        id = id_of(value)
        file = self._index.file_of(id, is_new=True) or self._kind.file_name(id)
        with self._files.lock(self._kind.path(file)):
            return self._save(value, file, on_conflict)

    def _save(self, value: Stored, file: str, on_conflict: OnConflict) -> Saved:
        base = revision_of(value)
        ours = without_revision(value)
        if isinstance(ours, Session) and not ours.nodes:
            ours = ours.model_copy(update={"nodes": {}})  # so that a file has the field, as readers want it
        try:
            there = self._read(file)
        except ReadError as error:
            self._set_aside(self._kind.path(file), f"it couldn't be read and was saved anew: {error}")
            there = None
        if there is None:
            again = f"{self._kind.noun} {id_of(ours)!r} was deleted since it was read, and is there again"
            notes = (again,) if base and self._files.stamp(self._kind.path(file)) is None else ()
            return Saved(self._write(ours, file, None, after=base.number if base else 0), True, notes)
        if content_digest(ours.to_data()) in there.digests:
            return Saved(with_revision(ours, there.revision), False)
        if base == there.revision:
            return Saved(self._write(ours, file, there), True)
        if on_conflict == "overwrite":
            self._set_aside(self._kind.path(file), "it was overwritten")
            return Saved(self._write(ours, file, there), True)
        return self._merge(ours, file, there, base, on_conflict)

    def _merge(self, ours: Stored, file: str, there: Loaded, base: Revision | None, on_conflict: OnConflict) -> Saved:
        held = self._version(file, base)
        theirs = without_revision(there.value)
        merged, conflicts = _merged(self._kind, held, theirs, ours)
        digest = content_digest(merged.to_data())
        if not conflicts and digest in there.digests:
            return Saved(there.value, False, ("what is kept has all of it already",))
        if not conflicts and digest == content_digest(ours.to_data()):
            return Saved(self._write(ours, file, there), True)  # ours has all of theirs
        words = self._in_words(held, theirs, ours)
        if on_conflict == "raise":
            raise ChangedMeanwhile(
                f"{words}; nothing was written: on_conflict='merge' keeps both, and what save returns is the value "
                "to go on with",
                theirs=there.value,
                ours=ours if base is None else with_revision(ours, base),
                base=held,
                merged=with_revision(merged, there.revision),
            )
        saved = there.value if digest in there.digests else self._write(merged, file, there)
        copy = ours if conflicts and not isinstance(ours, Session) else None
        return Saved(saved, True, (f"{words}; both are kept", *conflicts), copy)

    def _in_words(self, base: Any, theirs: Any, ours: Any) -> str:
        which = f"{self._kind.noun} {id_of(ours)!r}"
        if not isinstance(theirs, Session):
            return f"{which} was saved by another since it was read"
        if base is None:
            what = changes_in_words(ours, theirs)
            return f"{which} is kept already, and it isn't known which state of it this one came from; it has {what}"
        return f"{which} was saved by another since it was read: {changes_in_words(base, theirs)}"

    def _write(self, value: Any, file: str, there: Loaded | None, *, after: int = 0) -> Any:
        """Write a value as the revision after the present one, of which a version is kept."""
        path = self._kind.path(file)
        number = max(there.revision.number if there else 0, after) + 1
        if there is not None:
            if there.losses:
                self._set_aside(path, f"it could be read in part only: {there.losses[0]}")
            with suppress(OSError):  # without it a merge has no base, and keeps both
                self._files.copy(path, self._version_path(file, there.revision))
        saved = with_revision(value, Revision(number, content_digest(value.to_data())))
        raw = session_json(saved).data if isinstance(saved, Session) else as_json(saved.to_data(), indent=2)
        stamp = self._files.write_whole(path, raw)
        revision = cast("Revision", revision_of(saved))
        self._remember(file, Loaded(saved, revision, stamp))
        self._index.put(file, stamp, saved.to_data())
        return saved

    # --- versions

    def _version_path(self, file: str, revision: Revision) -> str:
        stem = file.removesuffix(SUFFIX)
        return f"{VERSIONS_FOLDER}/{self._kind.folder}/{stem}.{revision.number % VERSIONS}{SUFFIX}"

    def _version(self, file: str, revision: Revision | None) -> Any:
        """The value as it was at a revision, from memory or from the versions that are kept; None where it is gone."""
        if revision is None:
            return None
        with self._lock:
            if (known := self._kept.get((file, str(revision)))) is not None:
                return without_revision(known)
        path = self._version_path(file, revision)
        try:
            data, _ = self._parsed(self._files.read(path), path)
        except (OSError, ReadError):
            return None
        found = _loaded(self._kind, data, "", file_stem(""))
        return without_revision(found.value) if found.revision == revision else None

    def version_paths(self, file: str) -> list[str]:
        """The paths at which versions of a file may be kept."""
        return [self._version_path(file, Revision(number, "")) for number in range(VERSIONS)]


def _whole_characters(text: str) -> str:
    """The text as files are read: with a mark for each half of a character."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _loaded(kind: Kind, data: Data, stamp: str, stem: str) -> Loaded:
    value, losses = kind.read(data)
    revision = revision_in(data)
    if not id_of(value):
        value = value.model_copy(update={"id": stem})
    return Loaded(with_revision(value, revision), revision, stamp, tuple(losses))


def _merged(kind: Kind, base: Any, theirs: Any, ours: Any) -> tuple[Any, tuple[str, ...]]:
    """Both in one value, with what couldn't be settled in words."""
    if isinstance(theirs, Session):
        merged = merged_sessions(base, theirs, ours)
        return merged.session, merged.conflicts
    found = merged_data(base.to_data() if base is not None else {}, theirs.to_data(), ours.to_data())
    value, _ = kind.read(found.data)
    where = ", ".join(found.conflicts[:5])
    words = f"{where} of {name_of(ours)!r} was changed by both: theirs stays, ours is kept beside it"
    return value, (words,) if found.conflicts else ()


def notes_of(kind: Kind, loaded: Loaded) -> tuple[Note, ...]:
    """Notes on all that couldn't be read of a value."""
    return tuple(
        Note("warning", f"{kind.noun} {id_of(loaded.value)!r}: {loss}", details={"kind": kind.name})
        for loss in loaded.losses
    )
