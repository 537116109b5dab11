"""Cards inside PNG pictures."""

import json
import os
import zlib
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import BrokenFile, UnknownFormat, WriteError
from ctxlab.formats import card_data, card_png, read, write
from ctxlab.formats.sillytavern import card_from
from ctxlab.formats.sillytavern.cards import png
from ctxlab.formats.sillytavern.cards.png import chunks, plain_picture, read_chunks, with_chunks, written

SHARED = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[4] / "shared"))
SERAPHINA = SHARED / "data" / "sillytavern" / "default_Seraphina.png"
V2: dict[str, Any] = {"spec": "chara_card_v2", "data": {"name": "Old", "first_mes": "嗨", "description": ""}}
V3: dict[str, Any] = {"spec": "chara_card_v3", "spec_version": "3.0", "data": {**V2["data"], "name": "New"}}

needs_seraphina = pytest.mark.skipif(not SERAPHINA.is_file(), reason=f"the real card {SERAPHINA} is not at hand")


def encoded(card: Any) -> str:
    return b64encode(json.dumps(card).encode()).decode()


def picture(*texts: tuple[bytes, bytes]) -> bytes:
    """A picture with these pieces before its end."""
    plain = plain_picture()
    return plain[:-12] + b"".join(written(kind, body) for kind, body in texts) + plain[-12:]


def file(folder: Path, content: bytes) -> Path:
    path = folder / "card.png"
    path.write_bytes(content)
    return path


def pieces(raw: bytes) -> list[bytes]:
    return [raw[piece.start : piece.end] for piece in chunks(raw, "x") if piece.kind not in png.TEXTS]


# --- in


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (b"tEXt", b"chara\x00" + encoded(V2).encode()),
        (b"tEXt", b"Chara\x00" + encoded(V2).encode()),
        (b"zTXt", b"chara\x00\x00" + zlib.compress(encoded(V2).encode())),
        (b"iTXt", b"chara\x00\x00\x00zh\x00\xe5\x8d\xa1\x00" + encoded(V2).encode()),
        (b"iTXt", b"chara\x00\x01\x00\x00\x00" + zlib.compress(encoded(V2).encode())),
    ],
)
def test_a_card_is_found_in_any_kind_of_text(tmp_path: Path, kind: bytes, body: bytes) -> None:
    found = read(file(tmp_path, picture((kind, body))))

    assert [(agent.name, agent.greetings[0].content) for agent in found.agents] == [("Old", "嗨")]


def test_the_newer_of_two_cards_counts(tmp_path: Path) -> None:
    raw = with_chunks(plain_picture(), {"ccv3": encoded(V3), "chara": encoded(V2)})

    assert read(file(tmp_path, raw)).agents[0].name == "New"


@needs_seraphina
def test_the_real_card_is_read() -> None:
    found = read(SERAPHINA)

    assert (found.agents[0].name, len(found.books[0].entries), found.losses) == ("Seraphina", 4, ())


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n", "cut off at byte 8, before its end"),
        (plain_picture()[:40], r"cut off: the piece PLTE at byte 33 says|cut off at byte 40"),
        (plain_picture()[:-12], "cut off at byte"),
        (plain_picture().replace(b"IHDR", b"IHDX"), "wrong checksum"),
        (b"\x89PNG\r\n\x1a\n" + written(b"IDAT", b""), "without a header; it begins with IDAT"),
        (b"\x89PNG\r\n\x1a\nhello world!!", "no known kind at byte 8"),
        (picture((b"tEXt", b"chara\x00!!!")), "text 'chara' is not Base64"),
        (picture((b"tEXt", b"chara\x00" + b64encode(b"{"))), "text 'chara':1:2: "),
        (picture((b"tEXt", b"chara")), "has a keyword and no text"),
        (picture((b"zTXt", b"chara\x00\x00junk")), "can't be unpacked"),
        (picture((b"zTXt", b"chara\x00\x05junk")), "packed in a way"),
        (picture((b"zTXt", b"chara\x00\x00" + zlib.compress(b"abc" * 99)[:-9])), "can't be unpacked: it is cut off"),
        (picture((b"iTXt", b"chara\x00\x00\x00")), "ends before its text"),
        (picture((b"iTXt", b"chara\x00\x00\x00\x00\x00\xff")), "is not UTF-8"),
    ],
)
def test_a_broken_picture_is_refused_with_the_place(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(BrokenFile, match=said) as refusal:
        read(file(tmp_path, content))

    assert "card.png" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_picture_without_a_card_names_what_it_has(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormat, match="without a card in it: its texts are 'comment'"):
        read(file(tmp_path, picture((b"tEXt", b"Comment\x00hi"))))


@pytest.mark.parametrize("kind", [b"zTXt", b"iTXt"])
def test_a_text_that_unpacks_to_too_much_is_refused(tmp_path: Path, kind: bytes) -> None:
    bomb = zlib.compress(bytes(40 * 2**20))
    head = b"chara\x00\x00" if kind == b"zTXt" else b"chara\x00\x01\x00\x00\x00"

    with pytest.raises(BrokenFile, match=r"longer than the 16,777,216 bytes"):
        read(file(tmp_path, picture((kind, head + bomb))))


def test_many_texts_together_are_bounded() -> None:
    packed = zlib.compress(bytes(15 * 2**20))
    texts = [(b"zTXt", f"k{n}".encode() + b"\x00\x00" + packed) for n in range(5)]

    with pytest.raises(BrokenFile, match="longer than"):
        read_chunks(picture(*texts), "x.png")


# --- out


def test_writing_keeps_every_other_piece(tmp_path: Path) -> None:
    raw = picture((b"tEXt", b"Comment\x00kept"), (b"vpAg", b"private"), (b"tEXt", b"Chara\x00old"))

    write(card_png(card_from(V2).agent, raw + b"tail"), tmp_path / "out.png")

    out = (tmp_path / "out.png").read_bytes()
    assert pieces(out) == pieces(raw)
    assert out.endswith(b"tail")
    assert list(read_chunks(out, "x")) == ["comment", "chara"]
    found = read(tmp_path / "out.png")
    assert found.agents == (card_from(V2).agent.with_(icon="assets/card-Old/icon/picture.png"),)
    assert list(read_chunks(found.files[found.agents[0].icon or ""], "x")) == ["comment"]


def test_version_3_goes_under_both_names() -> None:
    out = read_chunks(card_png(card_from(V3).agent).data, "x")

    assert list(out) == ["chara", "ccv3"]
    assert '"chara_card_v2"' in zlib_free(out["chara"])
    assert json.loads(zlib_free(out["ccv3"])) == V3


def zlib_free(text: str) -> str:
    from base64 import b64decode

    return b64decode(text).decode()


def test_a_stale_card_of_version_3_does_not_hide_the_new_one(tmp_path: Path) -> None:
    old = with_chunks(plain_picture(), {"ccv3": encoded(V3), "aiob": "e30="})

    export = write(card_png(card_from(V2).agent, old), tmp_path / "out.png")

    assert read(tmp_path / "out.png").agents[0].name == "Old"
    assert [loss.place for loss in export.losses] == ["picture"]


def test_a_card_without_a_picture_gets_a_plain_one(tmp_path: Path) -> None:
    write(card_from(V2).agent, tmp_path / "out.png")

    assert card_data(read(tmp_path / "out.png").agents[0]).data == V2


@needs_seraphina
def test_the_real_card_goes_into_its_own_picture(tmp_path: Path) -> None:
    found = read(SERAPHINA)

    write(card_png(found.agents[0], SERAPHINA, book=found.books[0]), tmp_path / "out.png")

    again = read(tmp_path / "out.png")
    assert (again.agents, again.books) == (found.agents, found.books)
    assert pieces((tmp_path / "out.png").read_bytes()) == pieces(SERAPHINA.read_bytes())


def test_a_picture_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match="no PNG picture"):
        card_png(card_from(V2).agent, b"GIF89a")
    with pytest.raises(WriteError, match="can't be read"):
        card_png(card_from(V2).agent, tmp_path / "none.png")


def test_a_text_beyond_latin_1_survives() -> None:
    assert read_chunks(with_chunks(plain_picture(), {"note": "灯塔 💡"}), "x") == {"note": "灯塔 💡"}


def test_a_file_that_is_only_called_a_picture_is_refused(tmp_path: Path) -> None:
    fake = tmp_path / "card.png"
    fake.write_bytes(b"GIF89a, perhaps")

    with pytest.raises(BrokenFile, match="is called a PNG picture and is none"):
        read(fake)


def test_a_broken_newer_card_gives_way_to_a_sound_older_one(tmp_path: Path) -> None:
    sound = b64encode(json.dumps(V2).encode()).decode()
    (tmp_path / "torn.png").write_bytes(with_chunks(plain_picture(), {"ccv3": "eyJ", "chara": sound}))

    found = read(tmp_path / "torn.png")

    assert found.agents[0].name == V2["data"]["name"]
    assert any("'ccv3'" in str(loss) and "'chara' is read in its place" in str(loss) for loss in found.losses)


def test_of_two_cards_in_one_picture_the_first_is_read_with_a_loss(tmp_path: Path) -> None:
    other = encoded({**V2, "data": {**V2["data"], "name": "Other"}})
    texts = ((b"tEXt", b"chara\x00" + encoded(V2).encode()), (b"tEXt", b"Chara\x00" + other.encode()))
    (tmp_path / "two.png").write_bytes(picture(*texts))
    found = read(tmp_path / "two.png")
    assert found.agents[0].name == V2["data"]["name"]
    assert any("has 2 texts 'chara'; the first is read" in str(loss) for loss in found.losses)
