"""The registry of this process, which all transcribers share, so that equal files are read once."""

from __future__ import annotations

import os
from threading import Lock

from ctxlab.assets.transcription.registry import TranscriptionRegistry

_registries: dict[int, TranscriptionRegistry] = {}
_lock = Lock()


def process_registry() -> TranscriptionRegistry:
    """The registry of this process, made when it is first asked for; a forked process makes its own."""
    found = _registries.get(os.getpid())
    if found is None:
        with _lock:
            found = _registries.setdefault(os.getpid(), TranscriptionRegistry())
    return found
