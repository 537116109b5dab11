"""What keeping 1,000 attachments costs, finding their facts, and opening them; and how often each byte is read."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ctxlab
from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.file_types import facts_of
from ctxlab.assets.transcription import FileTranscriber
from ctxlab.context import AssetRef
from ctxlab.documents import AssetSource, LibraryFile, ModelProfile
from ctxlab.pipeline import Services
from ctxlab.providers import tokenizer_for
from tests.assets.file_samples import MAKERS
from tests.bench.timing import Work, ms, timed

FILES = 1_000
PADDING = 20_000
"""Bytes behind each sample, so that files have a size."""


class Counting(io.BytesIO):
    """A stream that counts the bytes that are read of it."""

    total = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        Counting.total += len(data)
        return data


def attachments() -> list[tuple[str, bytes]]:
    """Files of all types in turn, each with content of its own."""
    samples = [(name, make()) for name, (_, make) in MAKERS.items()]
    made = []
    for i in range(FILES):
        name, data = samples[i % len(samples)]
        end = f"\n{i}\n".encode() + b" " * PADDING if MAKERS[name][0].startswith("text/") else i.to_bytes(4, "big")
        made.append((f"{i}-{name}", data + end))
    return made


def main() -> None:
    files = attachments()
    total = sum(len(data) for _, data in files)
    with TemporaryDirectory() as place:
        numbers = iter(range(1_000))

        def add() -> AssetFolder:
            store = AssetFolder(Path(place) / str(next(numbers)))
            for name, data in files:
                store.add(data, name=name)
            return store

        kept = add()
        refs = [AssetRef.of(asset) for asset in kept]
        in_memory = BuildFiles(dict(files))
        named = [AssetRef(name, "other", name, source=LibraryFile(name)) for name, _ in files]
        times = timed(
            {
                "adding them to a store, with fsync": Work(add),
                "adding them again": Work(lambda: [kept.add(data, name=name) for name, data in files]),
                "facts of bytes": Work(lambda: [facts_of(data, name=name) for name, data in files]),
                "facts from the store": Work(lambda: [kept.facts(ref) for ref in refs]),
                "facts again in a build": Work(lambda: [in_memory.facts(ref) for ref in named]),
            }
        )
        reads = _reads(Path(place) / "counted", files)
        session, counting = _conversation(kept), CountingStore(kept)
        sees = ModelProfile(id="all", capabilities={"input": ["text", "vision", "file", "audio", "video"]})
        trace = _built(session, sees, counting)
        sent = trace.table("attachments")
        wanted = sent.loc[sent["sent_as"] != "description", "size_bytes"].sum()
        read_in_build = counting.total
        again = {"transcription-processor.page_pictures": 3}
        times |= timed(
            {
                "routing and resolving them in a build": Work(lambda: _built(session, sees, kept)),
                "the same again from another setting": Work(lambda: trace.rerun(again)),
            }
        )
    print(f"\n| {FILES:,} attachments, {total / 1e6:.0f} MB | CPU |\n|---|--:|")
    for name, seconds in times.items():
        print(f"| {name} | {ms(seconds)} |")
    print(f"| bytes read of what is added, beside its size | {reads / total:.2f}x |")
    print(f"| bytes read in a build, beside those of what is sent | {read_in_build / wanted:.2f}x |")


def _reads(place: Path, files: list[tuple[str, bytes]]) -> int:
    """Bytes that are read of the sources while they are added."""
    Counting.total = 0
    store: Any = AssetFolder(place)
    for name, data in files:
        store.add(Counting(data), name=name)
    return Counting.total


class CountingStore:
    """A store that counts the bytes that are read of its files."""

    def __init__(self, store: AssetFolder) -> None:
        self.store, self.total = store, 0

    def facts(self, asset: AssetRef) -> Any:
        return self.store.facts(asset)

    def open(self, source: AssetSource) -> Any:
        file = self.store.open(source)
        if file is None:
            return None
        with file:
            data = file.read()
        return _Counted(data, self)


class _Counted(io.BytesIO):
    """A file whose bytes count when they are read."""

    def __init__(self, data: bytes, store: CountingStore) -> None:
        super().__init__(data)
        self.store = store

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.store.total += len(data)
        return data


def _conversation(kept: AssetFolder) -> ctxlab.Session:
    """A message for each file of a store."""
    session = ctxlab.Session(id="files")
    for asset in kept:
        session = session.append("see", attachments=[asset])
    return session


def _built(session: ctxlab.Session, model: ModelProfile, store: Any) -> ctxlab.Trace:
    reader = FileTranscriber(store, engines=())
    return ctxlab.build(session, model=model, services=Services(tokenizer_for(model), assets=store, transcriber=reader))


if __name__ == "__main__":
    main()
