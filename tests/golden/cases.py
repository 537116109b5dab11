"""The golden cases: where they are, and how they are read."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT = Path(__file__).resolve().parents[3] / "shared" / "golden"
FOLDER = Path(os.environ.get("CTXLAB_GOLDEN") or DEFAULT)


@dataclass(frozen=True)
class Case:
    """One input of the reference and what came out; `file` is without its ending."""

    file: str
    name: str
    input: Any
    expected: Any

    @property
    def id(self) -> str:
        return f"{self.file}::{self.name}"


def is_default(folder: Path = FOLDER) -> bool:
    return folder.resolve() == DEFAULT


def read_cases(folder: Path = FOLDER) -> Iterator[Case]:
    for path in sorted(folder.glob("*.json")):
        for data in json.loads(path.read_bytes()):
            yield Case(path.stem, data["name"], data["input"], data["expected"])
