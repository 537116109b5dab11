"""The cause that a report tells is the edit that was made, however often a text comes again."""

from __future__ import annotations

from random import Random

import pytest

from tests.recordings.prefix.single_edits import EditedRequest, edited_request
from tests.recordings.prefix.test_prefix import recorded

EDITS = 400


def is_told(made: EditedRequest) -> str:
    """What is said that isn't the edit; "" where it is told."""
    cause = recorded(made.before, made.after, wire=made.wire).prefix().requests[-1].cause
    if cause is None:
        return "no cause"
    is_so = made.kind in ("any", cause.kind) and cause.sentence.startswith(made.words)
    return "" if is_so else f"{cause.kind}: {cause.sentence}"


@pytest.mark.parametrize("seed", range(4))
def test_the_cause_is_the_edit(seed: int) -> None:
    dice = Random(seed)
    for _ in range(EDITS // 4):
        made = edited_request(dice)
        assert not is_told(made), made
