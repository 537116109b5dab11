"""A workspace in a fresh folder, and a small conversation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ctxlab
from ctxlab import Session, Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with ctxlab.open_workspace(tmp_path / "kept") as opened:
        yield opened


@pytest.fixture
def chat() -> Session:
    return Session(id="chat", name="雾港").append("你好", id="q").append("Hello", id="a", role="assistant")
