"""Requests that other programs sent, read as conversations and built again for their own vendor."""

from __future__ import annotations

import copy
from functools import cache
from typing import Any

import pytest

import ctxlab
from tests.providers.recorded_differences import DIFFERENCES, Difference
from tests.wire_bodies import FOLDER, RecordedBody, bodies, ids


@cache
def built_again(recorded: RecordedBody) -> dict[str, Any]:
    trace = ctxlab.build(ctxlab.read_data(recorded.body))
    return ctxlab.payload(trace, recorded.vendor, model=recorded.model).body


def both(recorded: RecordedBody, *, but: Difference | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The recorded body and ours without the differences that have a name, `but` one."""
    theirs, ours = copy.deepcopy((recorded.body, built_again(recorded)))
    for difference in DIFFERENCES:
        if difference is not but:
            theirs, ours = difference.alike(theirs), difference.alike(ours)
    return theirs, ours


@FOLDER
@pytest.mark.parametrize("recorded", bodies(), ids=ids)
def test_a_recorded_request_is_built_again(recorded: RecordedBody) -> None:
    theirs, ours = both(recorded)

    assert ours == theirs


@FOLDER
@pytest.mark.parametrize("difference", DIFFERENCES, ids=lambda each: each.name)
def test_each_difference_is_one(difference: Difference) -> None:
    assert any(theirs != ours for theirs, ours in (both(recorded, but=difference) for recorded in bodies()))
