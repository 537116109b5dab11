"""The wheel and the sdist, and that one makes the other."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[2]


def built(kind: str, source: Path, folder: Path) -> Path:
    """The `wheel` or the `sdist` of a source tree, built by the backend that is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return next(folder.glob("*.whl" if kind == "wheel" else "*.tar.gz"))


def unpacked(sdist: Path, folder: Path) -> Path:
    """The tree of an sdist, unpacked into a folder."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return next(each for each in folder.iterdir() if each.is_dir())


def contents(wheel: Path) -> dict[str, int]:
    """Each file of a wheel with the checksum of its bytes."""
    with ZipFile(wheel) as archive:
        return {each.filename: each.CRC for each in archive.infolist()}
