"""Lorebooks that other programs wrote, cards behind a picture, and decorators."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import BrokenFile, UnknownFormat
from ctxlab.formats import read, read_data

NOVELAI: dict[str, Any] = {
    "lorebookVersion": 5,
    "entries": [
        {"text": "Ann keeps the light.", "displayName": "Ann", "keys": ["ann", "lamp"], "enabled": True, "id": "x",
         "contextConfig": {"budgetPriority": 400, "suffix": "\n"}},
        {"text": "It is old.", "displayName": "Lamp", "keys": ["lamp"], "enabled": False, "forceActivation": True},
    ],
}  # fmt: skip
AGNAI: dict[str, Any] = {
    "kind": "memory",
    "name": "Sea",
    "entries": [
        {"name": "Ann", "entry": "Ann keeps the light.", "keywords": ["ann", "lamp"], "weight": 400, "enabled": True},
        {"name": "Lamp", "entry": "It is old.", "keywords": ["lamp"], "weight": 0, "enabled": False},
    ],
}
RISU: dict[str, Any] = {
    "type": "risu",
    "ver": 1,
    "data": [
        {"key": "ann, lamp", "comment": "Ann", "content": "Ann keeps the light.", "insertorder": 400},
        {"key": "lamp", "comment": "Lamp", "content": "It is old.", "insertorder": 0, "alwaysActive": True},
    ],
}


@pytest.mark.parametrize(("name", "data"), [("NovelAI", NOVELAI), ("Agnai", AGNAI), ("RisuAI", RISU)])
def test_a_lorebook_of_another_program_keeps_its_keys_texts_and_order(name: str, data: Any) -> None:
    found = read_data(data)
    first, second = found.books[0].entries.values()
    assert (found.format, first.comment, first.content) == ("lorebook", "Ann", "Ann keeps the light.")
    assert ([*first.key], first.order, second.content) == (["ann", "lamp"], 400, "It is old.")
    assert [str(loss) for loss in found.losses] == [f"a lorebook of {name}, read as SillyTavern imports it"]


def test_keys_in_one_text_are_no_text_that_nothing_sends() -> None:
    entry = {**RISU["data"][0], "key": "the spring tide, the neap tide"}
    found = read_data({**RISU, "data": [entry]})
    assert [*found.books[0].entries["0"].key] == ["the spring tide", "the neap tide"]
    assert [str(loss) for loss in found.losses] == ["a lorebook of RisuAI, read as SillyTavern imports it"]


def test_what_sillytavern_has_no_place_for_is_a_loss() -> None:
    entry = {**NOVELAI["entries"][0], "contextConfig": {"prefix": "[Remember this: "}}
    found = read_data({**NOVELAI, "entries": [entry, "none"]})
    assert [loss.place for loss in found.losses] == ["entry 0", "entries[1]", "", "entries[0].contextConfig.prefix"]


def test_decorators_that_have_no_effect_are_a_loss_and_those_that_have_are_not() -> None:
    def book(content: str) -> Any:
        return {"spec": "lorebook_v3", "data": {"entries": [{"keys": ["ann"], "content": content, "enabled": True}]}}

    found = read_data(book("@@depth 3\n@@activate\nAnn keeps the light."))
    assert ["@@depth: SillyTavern gives" in str(loss) for loss in found.losses] == [True]
    for content in ("@@activate\nAnn.", "Ann. @@depth 3", "@@@\nAnn.", "@@"):
        assert read_data(book(content)).losses == ()


def archive(**files: Any) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as opened:
        for name, data in files.items():
            opened.writestr(f"{name}.json", json.dumps(data))
    return packed.getvalue()


CARD = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {"name": "Ann", "description": "d", "first_mes": "h"}}
FACE = b"\xff\xd8\xff\xe0" + bytes(100) + b"\xff\xd9"


@pytest.mark.parametrize("ending", ["charx", "jpg", "jpeg"])
def test_a_card_behind_a_picture_is_read(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"ann.{ending}"
    path.write_bytes(FACE + archive(card=CARD))
    found = read(path)
    assert (found.format, [agent.name for agent in found.agents]) == ("charx", ["Ann"])
    path.write_bytes(FACE)
    with pytest.raises(BrokenFile, match="JPEG picture"):
        read(path)


def test_archives_and_characters_of_other_programs_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "ann.byaf"
    path.write_bytes(
        archive(manifest={"schemaVersion": 1, "characters": ["a"]}, a={"schemaVersion": 1, "persona": "p"})
    )
    with pytest.raises(UnknownFormat, match="Backyard AI archive"):
        read(path)
    with pytest.raises(UnknownFormat, match="character of Agnai"):
        read_data({"kind": "character", "name": "Ann", "persona": {"kind": "text", "attributes": {}}})
