"""What keeping 1,000 attachments costs, finding their facts, and opening them; and how often each byte is read."""

from __future__ import annotations

import io
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ctxlab.assets.asset_folder import AssetFolder
from ctxlab.assets.build_files import BuildFiles
from ctxlab.assets.file_types import facts_of
from ctxlab.context import AssetRef
from ctxlab.documents import LibraryFile
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
    print(f"\n| {FILES:,} attachments, {total / 1e6:.0f} MB | CPU |\n|---|--:|")
    for name, seconds in times.items():
        print(f"| {name} | {ms(seconds)} |")
    print(f"| bytes read of what is added, beside its size | {reads / total:.2f}x |")


def _reads(place: Path, files: list[tuple[str, bytes]]) -> int:
    """Bytes that are read of the sources while they are added."""
    Counting.total = 0
    store: Any = AssetFolder(place)
    for name, data in files:
        store.add(Counting(data), name=name)
    return Counting.total


if __name__ == "__main__":
    main()
