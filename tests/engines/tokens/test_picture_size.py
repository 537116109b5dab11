"""The size of a picture, read from its bytes."""

from __future__ import annotations

import struct
from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.context import AssetRef
from ctxlab.documents import InlineFile, LinkedFile
from ctxlab.engines.tokens import MediaTokens, media_tokens
from ctxlab.engines.tokens.picture_size import size_in_header
from ctxlab.providers import media_rules_for

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sIIBBBBB", 13, b"IHDR", 640, 480, 8, 2, 0, 0, 0)
GIF = b"GIF89a" + struct.pack("<HH", 640, 480) + b"\0" * 10
WEBP = b"RIFF\x16\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + struct.pack("<I", 639)[:3] + struct.pack("<I", 479)[:3]
FRAME = b"\xff\xc0" + struct.pack(">HBHHB", 11, 8, 480, 640, 1) + b"\x01\x11\x00"
JPEG = b"\xff\xd8" + FRAME
LONG_JPEG = b"\xff\xd8" + (b"\xff\xed" + struct.pack(">H", 60_000) + b"x" * 59_998) * 3 + FRAME


def inline(data: bytes, **metadata: Any) -> AssetRef:
    return AssetRef("a", "image", metadata=metadata, source=InlineFile(b64encode(data).decode()))


@pytest.mark.parametrize("data", [PNG, GIF, WEBP, JPEG, LONG_JPEG], ids=["png", "gif", "webp", "jpeg", "long jpeg"])
def test_b5_a_picture_is_as_large_as_its_header_says(data: bytes) -> None:
    assert size_in_header(b64encode(data + b"\0" * 50).decode()) == (640, 480)


def test_b5_the_bytes_are_believed_before_the_metadata() -> None:
    rules = media_rules_for("gpt-4o")

    assert media_tokens(inline(PNG, width=1, height=1), rules) == MediaTokens(85 + 2 * 170)
    assert media_tokens(inline(b"no picture", width=1, height=1), rules) == MediaTokens(255)
    assert media_tokens(inline(b"no picture"), rules) == MediaTokens(765, estimated=True)


def test_b5_a_data_url_has_its_bytes_in_it() -> None:
    url = f"data:image/png;base64,{b64encode(PNG).decode()}"

    assert not media_tokens(AssetRef("a", "image", source=LinkedFile(url)), media_rules_for("o3")).estimated


@pytest.mark.parametrize(
    ("model", "tokens"),
    [
        ("gpt-4o", MediaTokens(85)),
        ("gpt-5", MediaTokens(70)),
        ("o3", MediaTokens(75)),
        ("gpt-4o-mini", MediaTokens(2833)),
        ("gpt-4.1-mini", MediaTokens(487, estimated=True)),  # 20 x 15 patches; what low detail saves isn't published
        ("claude-sonnet-4-5", MediaTokens(414)),  # it has no detail
    ],
)
def test_b5_low_detail_is_the_base_price_where_the_vendor_says_so(model: str, tokens: MediaTokens) -> None:
    assert media_tokens(inline(PNG, detail="low"), media_rules_for(model)) == tokens


def test_b5_a_form_that_no_vendor_takes_is_not_looked_into() -> None:
    assert size_in_header(b64encode(b"<svg width='3' height='4'></svg>").decode()) is None


@given(st.sampled_from([PNG, GIF, WEBP, JPEG, b"", b"RIFF", b"\xff\xd8\xff\xe1"]), st.binary(max_size=60))
def test_b5_broken_bytes_are_no_size_and_no_crash(head: bytes, rest: bytes) -> None:
    size = size_in_header(b64encode(head[:20] + rest).decode())

    assert size is None or min(size) > 0


@pytest.mark.parametrize("base64", ["", "!", "iVBOR", "你好", "A" * 5])
def test_b5_broken_base64_is_no_size(base64: str) -> None:
    assert size_in_header(base64) is None
