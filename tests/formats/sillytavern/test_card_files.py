"""Files of character cards: the picture, what `assets` address, and CHARX archives."""

from __future__ import annotations

import io
import json
import zipfile
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab import Agent, Library
from ctxlab.errors import BrokenFile
from ctxlab.formats import card_json, charx, read_bytes
from ctxlab.formats.sillytavern.cards.png import plain_picture, with_chunks

WAVE, HORN = b"\x89PNG wave", b"RIFF horn"


def address(kind: str, uri: str, name: str, ext: str = "png") -> dict[str, str]:
    return {"type": kind, "uri": uri, "name": name, "ext": ext}


def card(*assets: Any, **more: Any) -> dict[str, Any]:
    data = {"name": "沈砚", "first_mes": "嗨", "description": "d", "assets": list(assets), **more}
    return {"spec": "chara_card_v3", "spec_version": "3.0", "data": data}


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return packed.getvalue()


def in_picture(data: dict[str, Any], **texts: str) -> bytes:
    return with_chunks(plain_picture(), {**texts, "ccv3": b64encode(json.dumps(data).encode()).decode()})


INLINE = address("emotion", f"data:image/png;base64,{b64encode(WAVE).decode()}", "wave")


def test_files_inside_a_card_s_json_are_the_agent_s_and_stay_in_the_card() -> None:
    raw = card(INLINE, address("icon", "ccdefault:", "main"), address("background", "https://example.org/b.png", "b"))

    found = ctxlab.read_data(raw)

    (asset,) = found.agent().own_assets()
    assert (asset.id, asset.group, asset.type, asset.size_bytes) == ("wave", "emotion", "image", len(WAVE))
    assert found.files == {asset.path: WAVE}
    assert (json.loads(card_json(found.agent()).data), card_json(found.agent()).losses) == (raw, ())


def test_the_picture_of_a_card_is_the_agent_s_icon_without_the_card_in_it(tmp_path: Path) -> None:
    uri = address("emotion", "__asset:0", "wave")
    raw = in_picture(card(uri), **{"chara-ext-asset_:0": b64encode(WAVE).decode()})
    (tmp_path / "a.png").write_bytes(raw)

    found = ctxlab.read(tmp_path / "a.png")
    export = ctxlab.write(found, tmp_path / "b.png")

    agent = found.agent()
    assert found.files[agent.icon or ""] == plain_picture()
    assert found.files[agent.own_assets()[0].path] == WAVE
    assert export.losses == ()
    assert ctxlab.read(tmp_path / "b.png").files == found.files


def test_another_icon_is_another_picture(tmp_path: Path) -> None:
    found = read_bytes(in_picture(card()), "a.png")
    other = plain_picture(width=2, height=2)
    changed = Library(agents=(found.agent().with_(icon="assets/new.png"),), files={"assets/new.png": other})

    ctxlab.write(changed, tmp_path / "b.png")

    again = ctxlab.read(tmp_path / "b.png")
    assert again.files[again.agent().icon or ""] == other


MEMBERS = {
    "card.json": json.dumps(
        card(
            address("icon", "embeded://assets/icon/face.png", "main"),
            address("x-sound", "embeded://assets/雾笛.wav", "horn", "wav"),
            address("emotion", "embeded://assets/gone.png", "gone"),
            address("emotion", "embeded://../out.png", "out"),
        )
    ).encode(),
    "assets/icon/face.png": WAVE,
    "assets/雾笛.wav": HORN,
    "../out.png": b"evil",
    "x_meta/1.json": b"{}",
}


def test_a_charx_archive_brings_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.charx").write_bytes(zipped(MEMBERS))

    found = ctxlab.read(tmp_path / "a.charx")

    agent = found.agent()
    assert found.format == "charx"
    assert [(asset.id, found.files[asset.path]) for asset in agent.own_assets()] == [("main", WAVE), ("horn", HORN)]
    assert (found.files[agent.icon or ""], len(found.files)) == (WAVE, 2)
    assert [loss.text for loss in found.losses[:2]] == [
        "'embeded://assets/gone.png' is not beside the card; named only",
        "'embeded://../out.png' is not beside the card; named only",
    ]


def test_what_a_charx_archive_had_it_has_again(tmp_path: Path) -> None:
    found = read_bytes(zipped(MEMBERS), "a.charx")

    ctxlab.write(found, tmp_path / "b.charx")
    again = ctxlab.read(tmp_path / "b.charx")

    assert again.files == found.files
    assert [asset.data for asset in again.agent().own_assets()] == [
        {**asset.data, "cardUri": again.agent().own_assets()[n].data["cardUri"]}
        for n, asset in enumerate(found.agent().own_assets())
    ]
    assert again.agent().icon == found.agent().icon


def test_an_agent_that_was_no_card_takes_its_files_into_a_charx(tmp_path: Path) -> None:
    held = ctxlab.example("harbour_attachments")

    ctxlab.write(held, tmp_path / "a.charx")
    again = ctxlab.read(tmp_path / "a.charx")

    before = {asset.id: held.files[asset.path] for asset in held.agent().own_assets()}
    assert {asset.id: again.files[asset.path] for asset in again.agent().own_assets()} == before


def test_a_card_without_an_archive_names_the_files_that_it_has_not() -> None:
    agent = Agent(id="a", name="A", assets=({"id": "wave", "path": "stickers/wave.png"},))

    assert [str(loss) for loss in card_json(agent).losses] == [
        "files: 1 of the agent's, such as 'stickers/wave.png', have no place here; a .charx holds them"
    ]
    assert "its file 'stickers/wave.png' is not at hand; left out" in str(charx(agent).losses)


def test_an_archive_whose_card_is_none_is_refused() -> None:
    with pytest.raises(BrokenFile, match="no character card"):
        read_bytes(zipped({"card.json": b"[1]"}), "a.charx")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (5, "assets[0]: 5 has no address; left out"),
        (address("icon", "data:image/png;base64,%%%", "x"), "assets[0]: its data URL is broken or too long"),
        (address("icon", "__asset:9", "x"), "assets[0]: '__asset:9' is not in the picture; named only"),
    ],
)
def test_what_addresses_no_file_is_named(entry: Any, said: str) -> None:
    assert str(ctxlab.read_data(card(entry)).losses[0]).startswith(said)
