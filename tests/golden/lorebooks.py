"""SillyTavern's lorebooks: the cases through ctxlab's public API."""

from __future__ import annotations

from tests.golden.adapter import Adapter

ADAPTERS: dict[str, Adapter] = {}
