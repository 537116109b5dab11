"""A long recording: opening it, and asking it for its findings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ctxlab


def open_long() -> Iterator[None]:
    """2,000 recorded requests of up to 150,000 tokens, opened"""
    path = _written()
    yield
    _opened(path)


def findings_of_long() -> Iterator[None]:
    """`ctxlab.check` of 500 recorded requests"""
    recording = _opened(_written(500))
    yield
    ctxlab.check(recording, progress=False)


def _written(requests: int = 2_000) -> Path:
    from tests.bench.recordings import write_long

    path = Path(f"long-{requests}.ctxrec.jsonl")
    if not path.exists():
        write_long(path, requests)
    return path


def _opened(path: Path) -> ctxlab.Recording:
    return ctxlab.read_recording(path)
