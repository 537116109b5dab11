"""Bodies of requests, read as conversations: what is said where, and nothing lost without a word."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.errors import ReadError
from ctxlab.formats import Import
from tests.formats.requests.rich_bodies import RICH
from tests.wire_bodies import FOLDER, RecordedBody, bodies, ids

FORMATS = {"openai": "openai"}
CARRIED_OTHERWISE = {"type", "role", "display", "summary", "url", "image_url", "file_data", "responseMimeType"}
"""Keys whose words an Import says in others: kinds, roles, whether thoughts are shown; links can hold bytes."""


def strings(value: Any, path: str = "", key: str = "") -> Iterator[tuple[str, str, str]]:
    """Path, key and text of each string inside; JSON in a text is looked into."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from strings(inner, f"{path}.{name}".lstrip("."), name)
    elif isinstance(value, list | tuple):
        for number, inner in enumerate(value):
            yield from strings(inner, f"{path}[{number}]", key)
    elif isinstance(value, str):
        yield path, key, value


def kept(found: Import) -> str:
    values = [each.to_data() for each in (*found.sessions, *found.agents)]
    texts = [text for _, _, text in strings(values)]
    for text in [*texts]:
        if text[:1] in "{[" and text:
            try:
                texts += [inner for _, _, inner in strings(json.loads(text))]
            except ValueError:
                continue
    return "\0".join(texts).casefold()


def lost_in_silence(body: dict[str, Any], found: Import) -> list[str]:
    there = kept(found)
    places = [loss.place for loss in found.losses]
    fields = {loss.field for loss in found.losses if loss.field and "times in all" in loss.text}
    return [
        f"{path}: {text[:60]!r}"
        for path, key, text in strings(body)
        if len(text) >= 4
        and key not in CARRIED_OTHERWISE
        and text.rpartition(",")[2].casefold() not in there
        and not any(place and path.startswith(place) for place in places)
        and not any(f".{field}" in path for field in fields)
    ]


@pytest.mark.parametrize("vendor", RICH)
def test_a_body_is_read_whole(vendor: str) -> None:
    found = ctxlab.read_data(RICH[vendor])

    assert found.format == FORMATS.get(vendor, vendor)
    assert found.pick().check() == ()
    assert lost_in_silence(RICH[vendor], found) == []


@FOLDER
@pytest.mark.parametrize("recorded", bodies(), ids=ids)
def test_every_recorded_request_is_read_whole(recorded: RecordedBody) -> None:
    found = ctxlab.read_data(recorded.body)

    assert found.format == FORMATS.get(recorded.vendor, recorded.vendor)
    assert found.pick().check() == ()
    assert lost_in_silence(recorded.body, found) == []


WORDS = st.text(min_size=4, max_size=12).map(lambda text: f"w{text}")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=5,
)


def places(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(inner, (*at, key))


@st.composite
def broken(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A rich body that someone has cut into: values replaced, doubled, gone, put under other names."""
    vendor = draw(st.sampled_from([*RICH]))
    body = copy.deepcopy(RICH[vendor])
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.sampled_from([*places(body)]))
        holder = body
        for step in at[:-1]:
            holder = holder[step]
        match draw(st.sampled_from(["replace", "drop", "double", "add"])):
            case "replace":
                holder[at[-1]] = draw(JSON)
            case "drop":
                del holder[at[-1]]
            case "double" if isinstance(holder, list):
                holder.insert(at[-1], copy.deepcopy(holder[at[-1]]))
            case _ if isinstance(holder, dict):
                holder[draw(WORDS)] = draw(JSON)
            case _:
                holder.append(draw(JSON))
        if not body:
            break
    return vendor, body


@settings(max_examples=150, deadline=None)
@given(broken())
def test_a_broken_body_is_read_without_a_crash_and_without_silence(drawn: tuple[str, dict[str, Any]]) -> None:
    _, body = drawn
    try:
        found = ctxlab.read_data(body)
    except ReadError:
        return
    if not found.sessions or found.format == "openai":
        return  # a list of messages: what is around them is kept as it is

    assert found.pick().check() == ()
    assert lost_in_silence(body, found) == []
