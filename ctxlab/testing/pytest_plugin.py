"""The fixture `fake_server`: a strict fake of the vendors' servers for one test, which pytest finds by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ctxlab.testing.fake_server.server import FakeServer


@pytest.fixture
def fake_server() -> Iterator[FakeServer]:
    """A strict server on this machine that speaks as the vendors do; it echoes, and keeps the requests that it got."""
    from ctxlab.testing.fake_server.server import FakeServer

    with FakeServer() as server:
        yield server
