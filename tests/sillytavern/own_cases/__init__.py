"""Conversations of our own for the program, and what it sent for them."""

from __future__ import annotations

from tests.sillytavern.own_cases import groups, limits, macros, notes, presets, timed
from tests.sillytavern.own_cases.description import OwnCase

OWN_CASES: tuple[OwnCase, ...] = (
    *(*macros.CASES, *notes.CASES, *timed.CASES, *groups.CASES, *limits.CASES, *presets.CASES),
)
