"""Pictures as vendors take them: scaled, upright, without what nobody wants to send."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from ctxlab.assets.pictures import MOST_PIXELS, fitted_size, scaled_picture, thumbnail, vendor_ready
from ctxlab.errors import CtxlabError

ORIENTATION, GPS = 0x0112, 0x8825


def made(mode: str, kind: str, size: tuple[int, int] = (40, 20), **options: Any) -> bytes:
    """A picture whose left half is dark and whose right half is light."""
    picture = Image.new("L", size, 20)
    picture.paste(220, (size[0] // 2, 0, *size))
    buffer = BytesIO()
    picture.convert(mode).save(buffer, kind, **options)
    return buffer.getvalue()


def opened(data: bytes) -> Image.Image:
    picture = Image.open(BytesIO(data))
    picture.load()
    return picture


def grey(picture: Image.Image, at: tuple[int, int]) -> int:
    value = picture.convert("L").getpixel(at)
    assert isinstance(value, int)
    return value


@given(st.integers(1, 20_000), st.integers(1, 20_000), st.integers(1, 5000))
def test_a_fitted_size_is_within_the_limit_in_the_same_proportion(width: int, height: int, most: int) -> None:
    fitted = fitted_size(width, height, most)

    assert max(fitted) == min(most, max(width, height))
    assert min(fitted) >= 1
    scale = max(fitted) / max(width, height)
    assert abs(fitted[0] - width * scale) <= 0.5 or fitted[0] == 1
    assert abs(fitted[1] - height * scale) <= 0.5 or fitted[1] == 1


@pytest.mark.parametrize(
    ("mode", "kind", "becomes"),
    [
        ("RGB", "JPEG", "image/jpeg"),
        ("L", "JPEG", "image/jpeg"),
        ("CMYK", "JPEG", "image/jpeg"),
        ("RGB", "PNG", "image/jpeg"),
        ("P", "PNG", "image/jpeg"),
        ("P", "GIF", "image/jpeg"),
        ("1", "PNG", "image/jpeg"),
        ("RGBA", "PNG", "image/jpeg"),
        ("RGB", "WEBP", "image/jpeg"),
        ("RGB", "BMP", "image/jpeg"),
        ("CMYK", "TIFF", "image/jpeg"),
        ("F", "TIFF", "image/jpeg"),
    ],
)
def test_a_picture_of_any_colours_is_scaled_and_still_looks_the_same(mode: str, kind: str, becomes: str) -> None:
    data = made(mode, kind)

    scaled, mime_type = scaled_picture(data, width=20, height=10)

    picture = opened(scaled)
    assert (mime_type, picture.size) == (becomes, (20, 10))
    assert grey(picture, (3, 5)) < 70
    assert grey(picture, (16, 5)) > 180
    assert scaled_picture(data, width=20, height=10) == (scaled, mime_type)


def test_sixteen_bits_become_eight() -> None:
    buffer = BytesIO()
    Image.new("I;16", (40, 20), 0x8000).save(buffer, "PNG")

    scaled, _ = scaled_picture(buffer.getvalue(), width=20, height=10)

    assert abs(grey(opened(scaled), (5, 5)) - 0x80) <= 2


@pytest.mark.parametrize(("kind", "becomes"), [("PNG", "image/png"), ("WEBP", "image/webp"), ("TIFF", "image/png")])
def test_what_is_see_through_stays_so(kind: str, becomes: str) -> None:
    picture = Image.new("RGBA", (40, 20), (200, 0, 0, 255))
    picture.paste((0, 0, 0, 0), (0, 0, 20, 20))
    buffer = BytesIO()
    picture.save(buffer, kind)

    scaled, mime_type = scaled_picture(buffer.getvalue(), width=20, height=10)

    alpha = opened(scaled).convert("RGBA").getchannel("A")
    assert mime_type == becomes
    assert (alpha.getpixel((2, 5)), alpha.getpixel((17, 5))) == (0, 255)


def test_a_picture_is_turned_as_it_is_shown_and_loses_its_place() -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = 6
    exif.get_ifd(GPS)[1] = "N"
    data = made("RGB", "JPEG", exif=exif)

    scaled, _ = scaled_picture(data, width=20, height=40)

    picture = opened(scaled)
    assert (len(picture.getexif()), b"Exif" in scaled) == (0, False)
    assert grey(picture, (10, 5)) < 70
    assert grey(picture, (10, 35)) > 180


def test_a_picture_of_the_right_size_goes_as_it_is() -> None:
    animated = made("P", "GIF", save_all=True, append_images=[Image.new("P", (40, 20), 3)], duration=50)

    assert scaled_picture(animated, width=40, height=20) == (animated, "image/gif")


def test_of_an_animated_picture_the_first_frame_is_scaled() -> None:
    animated = made("RGB", "WEBP", save_all=True, append_images=[Image.new("RGB", (40, 20), "white")], lossless=True)

    scaled, mime_type = scaled_picture(animated, width=20, height=10)

    assert mime_type == "image/jpeg"
    assert grey(opened(scaled), (3, 5)) < 70


@pytest.mark.parametrize(("kind", "mime_type"), [("PNG", "image/png"), ("JPEG", "image/jpeg"), ("GIF", "image/gif")])
def test_formats_that_vendors_read_stay_and_the_bytes_say_which(kind: str, mime_type: str) -> None:
    data = made("L", kind)

    assert vendor_ready(data, "image/whatever") == (data, mime_type)


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "ICO"])
def test_other_formats_become_png(kind: str) -> None:
    ready, mime_type = vendor_ready(made("RGB", kind, size=(32, 32)))

    assert (mime_type, opened(ready).size, opened(ready).format) == ("image/png", (32, 32), "PNG")


def test_a_bomb_is_refused_before_it_is_decoded() -> None:
    side = int(MOST_PIXELS**0.5) + 1
    header = made("1", "PNG", size=(8, 8))
    bomb = header[:16] + side.to_bytes(4, "big") * 2 + header[24:]
    for big in (bomb, header[:16] + (60_000).to_bytes(4, "big") * 2 + header[24:]):
        with pytest.raises(CtxlabError, match=r"pixels|decoded"):
            scaled_picture(big, width=10, height=10)
        assert thumbnail(big) is None


@pytest.mark.parametrize(
    "data",
    [b"", b"not a picture", b"\xff\xd8\xff\xe0", made("RGB", "JPEG")[:-40], made("RGB", "PNG")[:60], b"%!PS-Adobe"],
)
def test_a_broken_picture_is_refused_in_a_sentence(data: bytes) -> None:
    with pytest.raises(CtxlabError, match=r"the picture .*can't be decoded") as refusal:
        scaled_picture(data, width=10, height=10, mime_type="image/jpeg")

    assert "\n" not in str(refusal.value)
    assert thumbnail(data) is None


@given(st.integers(1, 300), st.integers(1, 300))
def test_a_thumbnail_is_small_and_never_larger_than_the_picture(width: int, height: int) -> None:
    small = thumbnail(made("RGB", "PNG", size=(width, height)), side=64)

    assert small is not None
    assert len(small) < 3000
    assert opened(small).size == fitted_size(width, height, 64)
