"""The encoding of a text file is found without a mark, and its text comes back."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.assets.text_encoding import SAMPLE_BYTES, decode_text, guess_encoding

FILES = Path(os.environ.get("CTXLAB_SHARED", Path(__file__).parents[3] / "shared")) / "data" / "files"
CHINESE = "这是一个测试文件，内容很短。沈砚在港口等船，海上起了雾。"
TRADITIONAL = "這是一個測試檔案，內容很短。我們今天去臺灣的港口看船。"
JAPANESE = "これは日本語のテストです。漢字もカタカナも入っています。"
KOREAN = "이것은 한국어 시험 파일입니다. 오늘은 날씨가 좋습니다."
WESTERN = "Müller über die Straße; un café naïf – “déjà vu”, señor."
TABLE = "姓名,年龄,城市\n沈砚,34,泉州\n林舟,29,厦门\n"


@pytest.mark.parametrize(
    ("text", "encoding", "found"),
    [
        (CHINESE, "gb18030", "gb18030"),
        (TABLE, "gb18030", "gb18030"),
        ("港口", "gb18030", "gb18030"),
        (TRADITIONAL, "big5", "big5hkscs"),
        (JAPANESE, "shift_jis", "cp932"),
        (JAPANESE, "euc_jp", "euc_jp"),
        (KOREAN, "euc_kr", "cp949"),
        (WESTERN, "cp1252", "windows-1252"),
        ("café", "latin-1", "windows-1252"),
        ("plain ASCII", "ascii", "utf-8"),
        ("", "ascii", "utf-8"),
        *[(text, "utf-8", "utf-8") for text in (CHINESE, JAPANESE, KOREAN, WESTERN)],
        *[(text, "utf-8-sig", "utf-8-sig") for text in (CHINESE, WESTERN)],
        *[(text, "utf-16", "utf-16") for text in (CHINESE, WESTERN)],
        *[(text, "utf-32", "utf-32") for text in (CHINESE, WESTERN)],
        *[
            (text, encoding, encoding)
            for encoding in ("utf-16-le", "utf-16-be")
            for text in (CHINESE, TRADITIONAL, JAPANESE, KOREAN, WESTERN, TABLE, "a,b\n1,2\n")
        ],
        (WESTERN, "utf-32-le", "utf-32-le"),
        (WESTERN, "utf-32-be", "utf-32-be"),
    ],
)
def test_a_text_comes_back_from_each_encoding(text: str, encoding: str, found: str) -> None:
    data = text.encode(encoding)

    assert guess_encoding(data) == found
    assert decode_text(data) == (text, found, ())


@pytest.mark.parametrize(
    ("name", "encoding", "words"),
    [
        ("gb18030.txt", "gb18030", "语言是一种功能强大"),
        ("gb18030-utf8.txt", "utf-8", "语言是一种功能强大"),
        ("shift_jis.txt", "cp932", "開発者の"),
        ("test_utf16_little.csv", "utf-16", "1,2,3"),
    ],
)
def test_real_files_are_read(name: str, encoding: str, words: str) -> None:
    if not (FILES / name).is_file():
        pytest.skip("the folder of real files is not here")

    text, found, problems = decode_text((FILES / name).read_bytes())

    assert (found, problems) == (encoding, ())
    assert words in text


def test_gb18030_and_utf_8_of_one_text_are_the_same() -> None:
    if not FILES.is_dir():
        pytest.skip("the folder of real files is not here")

    assert (
        decode_text((FILES / "gb18030.txt").read_bytes())[0]
        == decode_text((FILES / "gb18030-utf8.txt").read_bytes())[0]
    )


@given(st.text(), st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-32"]))
def test_any_text_comes_back_from_unicode_with_its_mark(text: str, encoding: str) -> None:
    if encoding == "utf-8" and ("\x00" in text or text.startswith("\ufeff")):
        return  # looks like UTF-16, or has a mark of its own

    found = decode_text(text.encode(encoding))

    assert found[0] == text or found[2] or encoding == "utf-8"


@given(st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=50))
def test_utf_8_without_control_characters_is_utf_8(text: str) -> None:
    if not text.startswith("\ufeff"):
        assert decode_text(text.encode()) == (text, "utf-8", ())


@given(st.binary(max_size=400))
def test_a_text_is_always_given_and_what_is_lost_is_said(data: bytes) -> None:
    text, encoding, problems = decode_text(data)

    assert data.decode(encoding, errors="replace") == text
    assert bool(problems) >= ("\ufffd" in text and "\ufffd".encode() not in data and not encoding.startswith("utf-"))


@given(st.sampled_from([CHINESE, JAPANESE, WESTERN]), st.integers(1, 40))
def test_a_beginning_cut_within_a_character_has_the_encoding_of_the_whole(text: str, cut: int) -> None:
    data = (text * 20).encode()

    assert guess_encoding(data[:-cut], complete=False) == "utf-8"


def test_utf_8_with_a_broken_byte_stays_utf_8_and_says_so() -> None:
    text, encoding, problems = decode_text(CHINESE.encode() + b"\xff end")

    assert text == f"{CHINESE}\ufffd end"
    assert encoding == "utf-8"
    assert problems == ("1 place can't be decoded as utf-8; U+FFFD is there",)


def test_binary_data_has_no_encoding() -> None:
    dice = random.Random(1)
    found = [guess_encoding(dice.randbytes(200)) for _ in range(500)]

    assert sum(each is not None for each in found) <= 5
    assert guess_encoding(bytes(range(256))) is None
    assert decode_text(bytes(range(256)))[2][0] == "the encoding is not known; it is read as UTF-8"


def test_chinese_deep_in_a_long_file_is_found() -> None:
    data = ("x = 1\n" * SAMPLE_BYTES + CHINESE).encode("gb18030")

    assert guess_encoding(data) == "gb18030"
