"""The lines of a request are its body, whatever is in it."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxlab_widgets.request_view.body_lines import body_lines, body_text

SCALARS = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.text(max_size=60)
NAMES = st.sampled_from(["role", "content", "text", "type", "名字", "a b", ""])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)
BODIES = st.dictionaries(NAMES, VALUES, max_size=4)


@given(BODIES)
def test_the_lines_together_are_the_body(body: dict[str, Any]) -> None:
    assert json.loads(body_text(body)) == body


@given(BODIES)
def test_every_value_has_a_line_and_every_fold_its_end(body: dict[str, Any]) -> None:
    lines = body_lines(body)

    shown = {bit.path for line in lines for bit in line.bits} | {line.path for line in lines}
    assert paths(body, ()) <= shown | {()}
    for number, line in enumerate(lines, start=1):
        assert number <= line.end <= len(lines)
        assert lines[line.end - 1].depth == line.depth


def paths(value: object, at: tuple[str | int, ...]) -> set[tuple[str | int, ...]]:
    """The paths of all values in a value."""
    if isinstance(value, dict):
        return {at}.union(*(paths(each, (*at, name)) for name, each in value.items()))  # pyright: ignore
    if isinstance(value, list):
        return {at}.union(*(paths(each, (*at, number)) for number, each in enumerate(value)))  # pyright: ignore
    return {at}
