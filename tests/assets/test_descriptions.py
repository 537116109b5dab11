"""Three fixed lines for a file that a model doesn't read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab.assets.descriptions import (
    MOST_CHARACTERS,
    Language,
    describe_failed,
    describe_too_large,
    describe_unreadable,
    one_line,
    type_name,
)

OFFICE = "application/vnd.openxmlformats-officedocument"
NAMES = {
    "image/jpeg": ("JPEG 图片", "JPEG picture"),
    "image/png": ("PNG 图片", "PNG picture"),
    "image/gif": ("GIF 图片", "GIF picture"),
    "image/webp": ("WebP 图片", "WebP picture"),
    "image/bmp": ("BMP 图片", "BMP picture"),
    "image/svg+xml": ("SVG 图片", "SVG picture"),
    "application/pdf": ("PDF 文档", "PDF document"),
    "application/msword": ("Word 文档", "Word document"),
    f"{OFFICE}.wordprocessingml.document": ("Word 文档", "Word document"),
    "application/vnd.ms-excel": ("Excel 表格", "Excel spreadsheet"),
    f"{OFFICE}.spreadsheetml.sheet": ("Excel 表格", "Excel spreadsheet"),
    "application/vnd.ms-powerpoint": ("PowerPoint 演示", "PowerPoint presentation"),
    f"{OFFICE}.presentationml.presentation": ("PowerPoint 演示", "PowerPoint presentation"),
    "audio/mpeg": ("MP3 音频", "MP3 audio"),
    "audio/mp3": ("MP3 音频", "MP3 audio"),
    "audio/wav": ("WAV 音频", "WAV audio"),
    "audio/ogg": ("OGG 音频", "OGG audio"),
    "video/mp4": ("MP4 视频", "MP4 video"),
    "video/webm": ("WebM 视频", "WebM video"),
    "video/quicktime": ("QuickTime 视频", "QuickTime video"),
    "application/zip": ("ZIP 压缩包", "ZIP archive"),
    "application/x-rar-compressed": ("RAR 压缩包", "RAR archive"),
    "application/octet-stream": ("二进制文件", "binary file"),
}


@pytest.mark.parametrize(("mime_type", "names"), NAMES.items())
def test_types_have_a_name_in_both_languages(mime_type: str, names: tuple[str, str]) -> None:
    assert (type_name(mime_type, "zh"), type_name(mime_type, "en")) == names


@pytest.mark.parametrize(
    ("mime_type", "name"),
    [("Image/PNG; q=1", "PNG picture"), ("font/ttf", "font/ttf"), ("", "binary file"), ("a b/c\nd", "binary file")],
)
def test_a_type_without_a_name_is_its_mime_type_and_what_is_no_type_a_binary_file(mime_type: str, name: str) -> None:
    assert type_name(mime_type, "en") == name


def test_the_description_has_its_three_fixed_lines() -> None:
    of = {"name": "report.pdf", "id": "def456", "mime_type": "application/pdf"}

    assert describe_unreadable(**of, language="zh") == (
        "[无法读取] report.pdf (artifact:def456)\n"
        "类型: PDF 文档\n"
        "当前模型不支持读取此类文件。建议创建具备相应能力的智能体协助处理。"
    )
    assert describe_unreadable(**of, language="en") == (
        "[Cannot be read] report.pdf (artifact:def456)\n"
        "Type: PDF document\n"
        "The current model does not read files of this type. An agent whose model does could help with it."
    )


def test_a_file_without_name_and_id_is_an_unknown_one() -> None:
    assert describe_unreadable(name="", id="", mime_type="", language="zh").splitlines()[:2] == [
        "[无法读取] 未知文件 (artifact:未知)",
        "类型: 二进制文件",
    ]
    assert describe_unreadable(name="", id="a1", mime_type="", language="en").startswith(
        "[Cannot be read] a1 (artifact:a1)\n"
    )


def test_a_failed_and_a_too_large_file_say_so() -> None:
    assert describe_failed(name="xxx.pdf") == "[文件处理失败: xxx.pdf]\n错误: 无法读取文件内容\n请检查文件是否损坏"
    large = describe_too_large(name="a.mp4", id="a", mime_type="video/mp4", size_bytes=9, most_bytes=8, language="en")
    assert large.splitlines()[-1] == "It has 9 bytes, more than the 8 that can be sent, and is left out."


@given(st.text(), st.text(), st.text(), st.sampled_from(["zh", "en"]))
def test_names_never_break_the_lines(name: str, id: str, mime_type: str, language: Language) -> None:
    text = describe_unreadable(name=name, id=id, mime_type=mime_type, language=language)

    assert len(text.splitlines()) == len(text.split("\n")) == 3
    assert len(text) < 2 * MOST_CHARACTERS + 300
    assert text.encode()  # no half of a surrogate pair


def test_a_name_is_cut_and_loses_what_turns_the_writing_around() -> None:
    assert one_line("x" * 10**6) == "x" * (MOST_CHARACTERS - 1) + "…"
    assert one_line("报告\u202egpj.exe\x00") == "报告gpj.exe"
