"""Every text of a recording is in a request or its reply, or in a field that a loss or a list of bookkeeping names.

Over samples of all readers, and over what one change makes of them: a text more in any object, a text in another shape,
lines in another order.
"""

import json
import random
import re
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

import pytest

from ctxlab.errors import ReadError
from ctxlab.formats.source import Source
from ctxlab.recordings.read import BOOKKEEPING, FORMATS, RecordingFormat, recording_of
from ctxlab.recordings.recording import Recording
from tests.promises.recording_samples import MADE
from tests.promises.test_every_text_of_a_file import SHAPES, lists_in, objects_in, plain, spelled, text_fields_in

LONGER_THAN = 10
BY_NAME = {form.name: form for form in FORMATS}


def texts_in(data: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    """The long texts of JSON, and of JSON in them, each with the names of the fields that it is in."""
    if isinstance(data, str):
        inner = json.loads(data) if data.startswith(("{", "[")) else None
        if inner is not None:
            yield from texts_in(inner, place)
        elif len(data) > LONGER_THAN:
            yield place, data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield from texts_in(value, (*place, str(key)))
    elif isinstance(data, list):
        for value in data:
            yield from texts_in(value, place)


def texts_of(recording: Recording) -> str:
    """All that requests sent, and what came back."""
    found: list[Any] = [recording.program, [node.to_data() for node in recording.session.nodes.values()]]
    for request in recording:
        found += [request.messages, [*request.head.fields, *request.head.leading], request.reply, request.error]
        found += [request.model, request.agent, request.id, request.time, request.vendor]
    whole = spelled(found)
    files = re.findall(r'base64(?:,|": ")([A-Za-z0-9+/=]+)', whole)
    return plain(whole + "".join(b64decode(each).decode() for each in files))


def of_told_kinds(data: Any, losses: str) -> set[int]:
    """The objects that are left out as a whole, since a loss tells of their type."""
    return {
        id(inner)
        for each in objects_in(data)
        if isinstance(each.get("type"), str) and f"type {each['type']!r}" in losses
        for inner in objects_in(each)
    }


def missed(form: RecordingFormat, data: Any) -> list[tuple[tuple[str, ...], str]]:
    """The texts of a file that the law misses; none of one that is refused, or that is of another kind now."""
    try:
        recording = recording_of(Source(data, "day.json"))
    except ReadError:
        return []
    if next(each for each in FORMATS if each.sniff(data)) is not form:
        return []
    losses = " ".join(f"{loss.field} {loss.text}" for loss in recording.losses)
    told = {*re.findall(r"\w+", losses), *re.findall(r"[\w.]+", losses), *BOOKKEEPING, *form.bookkeeping}
    left = [loss.place for loss in recording.losses if "left out" in loss.text]
    lines = {int(number) for place in left for number in re.findall(r"^\[(\d+)\]", place)}
    data = [item for at, item in enumerate(data) if at not in lines] if isinstance(data, list) else data
    there, left_out = texts_of(recording), of_told_kinds(data, losses)
    whole = {text for each in objects_in(data) if id(each) in left_out for _, text in texts_in(each)}
    return [
        (place, text)
        for place, text in texts_in(data)
        if told.isdisjoint(place) and text not in whole and not is_in(text, there)
    ]


def is_in(text: str, there: str) -> bool:
    """Whether a text is there as it is, or inside JSON that is a text, at one or two levels."""
    form = text
    for _ in range(4):
        form = json.dumps(form, ensure_ascii=False)[1:-1]
        if plain(form) in there:
            return True
    return False


def test_there_is_a_sample_of_each_kind_of_recording() -> None:
    assert {form.name for form in FORMATS} == {form for form, _ in MADE.values()}


@pytest.mark.parametrize("name", MADE)
def test_every_text_of_a_sample_is_sent_or_told(name: str) -> None:
    form, make = MADE[name]

    assert next(each.name for each in FORMATS if each.sniff(make())) == form
    assert recording_of(Source(make(), "day.json")).requests
    assert missed(BY_NAME[form], make()) == []


@pytest.mark.parametrize("name", MADE)
def test_a_text_more_in_any_object_is_sent_or_told(name: str) -> None:
    form, make = MADE[name]
    for number, _ in enumerate(objects_in(make())):
        data = make()
        [*objects_in(data)][number]["excerpt"] = "words of a remark"

        assert missed(BY_NAME[form], data) == []


@pytest.mark.parametrize("name", MADE)
def test_a_text_in_another_shape_is_sent_or_told(name: str) -> None:
    form, make = MADE[name]
    for number, _ in enumerate(text_fields_in(make())):
        for shape in SHAPES:
            data = make()
            holder, key = [*text_fields_in(data)][number]
            holder[key] = shape("words of another shape")

            assert missed(BY_NAME[form], data) == [], (key, holder)


@pytest.mark.parametrize("name", MADE)
def test_in_another_order_every_text_is_sent_or_told(name: str) -> None:
    form, make = MADE[name]
    dice = random.Random(7)
    for number, _ in enumerate(lists_in(make())):
        for _ in range(3):
            data = make()
            dice.shuffle([*lists_in(data)][number])

            assert missed(BY_NAME[form], data) == []
