"""Transcripts that were made before, by the content of the file and the engine that read it."""

from __future__ import annotations

import hashlib
import os
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, cast

from ctxlab.context import Passage, Transcript
from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import WriteError
from ctxlab.lazy_dataclass import dataclass

MOST_CHARACTERS = 20_000_000
"""Characters of transcripts that the process keeps in memory."""
MOST_TRANSCRIPTS = 2_000
MOST_BYTES = 50_000_000
"""Bytes of a file of the cache that is read."""


class CacheKey(NamedTuple):
    """The key of a transcript: the SHA-256 of the bytes, and who read them in which version."""

    sha256: str
    engine: str
    version: str

    @property
    def file_name(self) -> str:
        return hashlib.sha256("\0".join(self).encode("utf-8", "surrogatepass")).hexdigest() + ".json"


_memory: OrderedDict[CacheKey, Transcript] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True, slots=True)
class TranscriptCache:
    """The process's memory, and a folder where one is given; two processes may use one folder.

    A file that is broken counts as none. An engine without a version is remembered by nobody.
    """

    folder: Path | None = None

    def get(self, key: CacheKey) -> Transcript | None:
        """The transcript of this content by this engine, if it was made before."""
        if not key.version:
            return None
        with _lock:
            if key in _memory:
                _memory.move_to_end(key)
                return _memory[key]
        found = self._from_folder(key)
        if found is not None:
            _remember(key, found)
        return found

    def put(self, key: CacheKey, transcript: Transcript) -> None:
        """Keep a transcript. A folder that can't be written to keeps nothing."""
        if not key.version:
            return
        _remember(key, transcript)
        if self.folder is None:
            return
        import orjson

        path = self._path(key)
        data = {"key": list(key), "transcript": transcript.as_data()}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, orjson.dumps(data))
        except (OSError, WriteError, TypeError):
            return

    def _path(self, key: CacheKey) -> Path:
        name = key.file_name
        return Path(self.folder or os.curdir) / name[:2] / name

    def _from_folder(self, key: CacheKey) -> Transcript | None:
        if self.folder is None:
            return None
        import orjson

        try:
            with self._path(key).open("rb") as file:
                data = file.read(MOST_BYTES + 1)
            found = orjson.loads(data) if len(data) <= MOST_BYTES else None
        except (OSError, ValueError):
            return None
        if not isinstance(found, Mapping) or found.get("key") != list(key):
            return None
        return transcript_of(found.get("transcript"))


def transcript_of(data: object) -> Transcript | None:
    """The transcript whose `as_data` this is; None where it is something else."""
    if not isinstance(data, Mapping):
        return None
    values = cast("Mapping[str, Any]", data)
    engine, problems, passages = (values.get(name) for name in ("engine", "problems", "passages"))
    if not isinstance(engine, str) or not isinstance(problems, list) or not isinstance(passages, list):
        return None
    found: list[Passage] = []
    for passage in passages:
        text, place = (passage.get("text"), passage.get("place")) if isinstance(passage, Mapping) else (None, None)
        if not isinstance(text, str) or not isinstance(place, str):
            return None
        found.append(Passage(text, place))
    return Transcript(tuple(found), engine, tuple(map(str, problems)))


def _remember(key: CacheKey, transcript: Transcript) -> None:
    with _lock:
        _memory[key] = transcript
        _memory.move_to_end(key)
        total = sum(len(each.text) for each in _memory.values())
        while len(_memory) > 1 and (total > MOST_CHARACTERS or len(_memory) > MOST_TRANSCRIPTS):
            total -= len(_memory.popitem(last=False)[1].text)


def forget_transcripts() -> None:
    """Empty the process's memory; folders stay."""
    with _lock:
        _memory.clear()
