"""A folder of files by their content: equal bytes are kept once, and every file is there whole or not at all.

`blobs/ab/<sha256>` holds the bytes, `about/ab/<id>.json` the name and the facts; an id is the first 16 digits of the
hash, more where two contents share them. `incoming` holds what is being written.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from ctxlab.argument_checks import checked_arguments
from ctxlab.assets.about_file import HASH_DIGITS, MOST_ABOUT_BYTES, AboutFile
from ctxlab.assets.byte_window import ByteWindow
from ctxlab.assets.file_types import facts_of, facts_of_window
from ctxlab.assets.incoming_file import IncomingFile, Readable, incoming, sweep
from ctxlab.assets.references import ARTIFACT, ARTIFACT_ID, parse_reference
from ctxlab.assets.safe_path import open_inside, safe_name
from ctxlab.context import AssetRef, FileFacts
from ctxlab.display.html_table import heading, html_table
from ctxlab.display.short_texts import counted
from ctxlab.documents import Asset, AssetSource, LibraryFile, LinkedFile, Note
from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import ReadError, UnknownName, WriteError

ID_DIGITS = 16
MOST_BYTES = 2_000_000_000
BLOBS, ABOUT, INCOMING = "blobs", "about", "incoming"


class AssetFolder:
    """A store of files in a folder, which is made when the first file is added.

    Equal bytes are kept once, whatever their names. Several processes may add at the same time. It opens
    `artifact:<id>` for a build (`services.assets`). A file above `max_bytes` is refused.
    """

    @checked_arguments
    def __init__(self, folder: str | os.PathLike[str], *, max_bytes: int = MOST_BYTES) -> None:
        self.folder = Path(folder).expanduser()
        self.max_bytes = max_bytes
        self._is_swept = False
        if self.folder.exists() and not self.folder.is_dir():
            raise ReadError(f"{self.folder} is a file; a store of files takes a folder")

    def __repr__(self) -> str:
        return f"AssetFolder({str(self.folder)!r}, {counted(len(self), 'file')})"

    def _repr_html_(self) -> str:
        rows = ((asset.id, asset.name, asset.mime_type, asset.size) for asset in self)
        return heading(self) + html_table(("id", "name", "type", "bytes"), rows, of="files")

    def __len__(self) -> int:
        return sum(1 for _ in self._ids())

    def __iter__(self) -> Iterator[Asset]:
        """The files in the order of their ids."""
        for id in self._ids():
            if about := self._about(id):
                yield about.asset(id)

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, str) and self._id(ref) is not None

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened, (self.folder, self.max_bytes)

    # --- adding and removing

    @checked_arguments
    def add(self, data: bytes | str | os.PathLike[str] | Readable, *, name: str = "", mime_type: str = "") -> Asset:
        """Keep a file, of bytes, a path or a stream; gives it as a message attaches it.

        A stream is read once, from where it is to its end. Bytes that are there already are not kept a second time;
        what is given then has the name of this call.
        """
        if isinstance(data, str | os.PathLike):
            path = Path(data).expanduser()
            try:
                with path.open("rb") as file:
                    return self._add(file, name or path.name, mime_type)
            except OSError as error:
                raise ReadError(f"{path} can't be read: {error.strerror or error}") from error
        return self._add(BytesIO(data) if isinstance(data, bytes) else data, name, mime_type)

    def _add(self, source: Readable, name: str, mime_type: str) -> Asset:
        place = self.folder / INCOMING
        try:
            place.mkdir(parents=True, exist_ok=True)
            if not self._is_swept:
                sweep(place)
                self._is_swept = True
            with incoming(source, place, most=self.max_bytes, name=name) as file:
                with file.path.open("rb") as copy:
                    window = ByteWindow(copy, head=file.head)
                    facts = replace(facts_of_window(window, name=name, mime_type=mime_type), sha256=file.sha256)
                return self._keep(file, AboutFile(safe_name(name, instead=""), mime_type, facts))
        except OSError as error:
            raise WriteError(f"{self.folder} can't be written: {error.strerror or error}") from error

    def _keep(self, file: IncomingFile, about: AboutFile) -> Asset:
        """Move the bytes to their place, then write what is known of them, so that no id is without its bytes."""
        blob = self.folder / _blob(file.sha256)
        _place(file.path, blob)
        id = self._claim_id(file.sha256, about)
        _place(file.path, blob)  # another process may have removed the same bytes in between
        return about.asset(id)

    def _claim_id(self, digest: str, about: AboutFile) -> str:
        """The shortest id that no other content has; the first writer of an id keeps it."""
        for digits in range(ID_DIGITS, HASH_DIGITS + 1):
            id = digest[:digits]
            there = self._about(id)
            if there is None:
                place = self.folder / _about_path(id)
                place.parent.mkdir(parents=True, exist_ok=True)
                replace_file(place, about.written())
                there = self._about(id)
            if there is None or there.sha256 == digest:  # none: another has removed it in between
                return id
        raise AssertionError("a hash is its own id")

    @checked_arguments
    def remove(self, ref: str | Asset) -> None:
        """Take a file out of the folder, with what is known of it; raises UnknownName where it isn't there."""
        about, asset = self._known(ref)
        (self.folder / _about_path(asset.id)).unlink(missing_ok=True)
        (self.folder / _blob(about.sha256)).unlink(missing_ok=True)

    # --- reading

    @checked_arguments
    def get(self, ref: str | Asset) -> Asset:
        """The file of this id or `artifact:<id>`, as a message attaches it; raises UnknownName where it isn't there."""
        return self._known(ref)[1]

    def open(self, source: AssetSource | Asset | str) -> BinaryIO | None:
        """The bytes of a file as a stream that the caller closes; None where the folder hasn't got it."""
        id = self._id(_reference(source))
        about = self._about(id) if id else None
        return open_inside(self.folder, _blob(about.sha256)) if about else None

    def facts(self, asset: AssetRef | Asset | str) -> FileFacts | None:
        """The type and the measures of a file, under the name that it goes by; None where the folder hasn't got it."""
        id = self._id(_reference(asset if isinstance(asset, str) else asset.source))
        about = self._about(id) if id else None
        if id is None or about is None:
            return None
        name, mime_type = ("", "") if isinstance(asset, str) else (asset.name, asset.mime_type)
        if name in ("", about.name) and mime_type in ("", about.mime_type, about.facts.mime_type):
            return about.facts
        if (file := open_inside(self.folder, _blob(about.sha256))) is None:
            return None
        with file:
            return replace(facts_of(file, name=name, mime_type=mime_type), sha256=about.sha256)

    def check(self, *, content: bool = True) -> tuple[Note, ...]:
        """Notes on files without bytes, bytes of no file, and bytes that have changed; with `content` all are read."""
        notes: list[Note] = []
        named: set[str] = set()
        for path in sorted((self.folder / ABOUT).glob("*/*.json")):
            about = self._about(path.stem)
            if about is None:
                notes.append(Note("error", f"what is known of {path.stem} can't be read: add the file again"))
                continue
            named.add(about.sha256)
            notes += self._check_bytes(path.stem, about.sha256, content=content)
        for blob in sorted((self.folder / BLOBS).glob("*/*")):
            if blob.name not in named:
                notes.append(Note("warning", f"bytes {blob.name[:ID_DIGITS]} belong to no file: they can be deleted"))
        return tuple(notes)

    def _check_bytes(self, id: str, digest: str, *, content: bool) -> Iterator[Note]:
        file = open_inside(self.folder, _blob(digest))
        if file is None:
            yield Note("error", f"the bytes of {id} are missing: add the file again")
            return
        with file:
            if content and _hash(file) != digest:
                yield Note("error", f"the bytes of {id} have changed: remove it and add the file again")

    # --- ids

    def _ids(self) -> Iterator[str]:
        return iter(
            sorted(path.stem for path in (self.folder / ABOUT).glob("*/*.json") if ARTIFACT_ID.fullmatch(path.stem))
        )

    def _id(self, ref: str) -> str | None:
        """The id that is kept for a reference: an id, `artifact:<id>`, or a longer beginning of the hash."""
        found = parse_reference(ref)
        id = found.value if found.kind in ("artifact", "path") else ""
        if not ARTIFACT_ID.fullmatch(id) or len(id) < ID_DIGITS:
            return None
        for digits in range(len(id), ID_DIGITS - 1, -1):
            about = self._about(id[:digits])
            if about:
                return id[:digits] if about.sha256.startswith(id) else None
        return None

    def _known(self, ref: str | Asset) -> tuple[AboutFile, Asset]:
        """The facts of a file, and the file as a message attaches it."""
        words = _reference(ref)
        id = self._id(words)
        about = self._about(id) if id else None
        if id is None or about is None:
            raise UnknownName(f"{self.folder} has no file {words[:80]!r}; there are {counted(len(self), 'file')}")
        return about, about.asset(id)

    def _about(self, id: str) -> AboutFile | None:
        """The facts of a file; None where it isn't there, or where that can't be read."""
        file = open_inside(self.folder, _about_path(id))
        if file is None:
            return None
        with file:
            return AboutFile.read(file.read(MOST_ABOUT_BYTES), id)


@checked_arguments
def open_assets(folder: str | os.PathLike[str]) -> AssetFolder:
    """The store of files in this folder; a folder that isn't there is made when the first file is added."""
    return AssetFolder(folder)


def _opened(folder: Path, max_bytes: int) -> AssetFolder:
    return AssetFolder(folder, max_bytes=max_bytes)


def _blob(digest: str) -> str:
    return f"{BLOBS}/{digest[:2]}/{digest}"


def _about_path(id: str) -> str:
    return f"{ABOUT}/{id[:2]}/{id}.json"


def _place(copy: Path, blob: Path) -> None:
    """Give the copy its place, unless the bytes are there; the copy stays where a file can have two names."""
    if blob.exists() or not copy.exists():
        return
    blob.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(copy, blob)
    except FileExistsError:  # another writer was faster, with the same bytes
        return
    except (OSError, AttributeError):  # a file system without second names
        copy.replace(blob)


def _hash(file: BinaryIO) -> str:
    digest = sha256()
    while piece := file.read(1_000_000):
        digest.update(piece)
    return digest.hexdigest()


def _reference(value: AssetSource | Asset | str) -> str:
    """The words of a reference, of whatever names a file of this store; empty for a file that is elsewhere."""
    if isinstance(value, str):
        return value
    source = value.source if isinstance(value, Asset) else value
    if isinstance(source, LibraryFile):
        return source.path or ""
    return source.url if isinstance(source, LinkedFile) and source.url.startswith(ARTIFACT) else ""
