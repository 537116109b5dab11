"""Files that are no JSON are called what they are, with what to read instead."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxlab.errors import BrokenFile
from ctxlab.formats import convert, read
from ctxlab.formats.not_json import MARKDOWN, text_kind
from tests.cli.conftest import DATASETS

READ = "; ctxlab reads JSON, JSON lines, YAML, cards in PNG pictures, and zip archives"


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        (
            "a.json",
            b"# Conversation: Hi\n\n## User\n",
            "Markdown by its looks, which is not read; if ctxlab wrote it, read the",
        ),
        ("a.md", b"[a link](b.md) and words", "Markdown by its looks, which is not read"),
        ("a.json", b"<!DOCTYPE html>\n<p>", f"HTML{READ}"),
        ("a.json", b"role,content,at\nuser,Hi,1\n", "a table (CSV)"),
        ("a.csv", b"role\nuser", "a table (CSV)"),
        ("a.txt", b"Dear diary", "plain text"),
        ("a.txt", b"[INST] Where is it? [/INST]", "a prompt that is one text"),
        ("a.txt", b"[gMASK]<sop><|user|>Where?", "a prompt that is one text"),
        ("a.prompt", b"<|im_start|>user\nWhere?", "a prompt that is one text"),
        ("a.toml", b"[project]\nname = 1", "TOML"),
        ("a.json", b"GIF89a", f"a GIF picture{READ}"),
        ("a.json", b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP picture"),
        ("a.json", b"\x00\x00\x00\x18ftypmp42", "a film or a picture in MP4's container"),
        ("a.json", b"\x1f\x8b\x08", "gzip-compressed; unpack it first"),
        ("a.json", b"{\x00\x01\x02", "binary, of no kind that is read"),
    ],
)
def test_a_file_is_called_what_it_is(tmp_path: Path, name: str, content: bytes, kind: str) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(BrokenFile) as refusal:
        read(tmp_path / name)

    assert str(refusal.value).startswith(f"{tmp_path / name} is no JSON text: it is {kind}")


def test_markdown_that_ctxlab_wrote_is_known_again(tmp_path: Path) -> None:
    for name in ("branch.md", "chat.path.md", "chat.tree.md"):
        convert(DATASETS / "research_tree.session.json", tmp_path / name)

        with pytest.raises(BrokenFile, match="Markdown by its looks, which is not read"):
            read(tmp_path / name)


@pytest.mark.parametrize("content", [b"hello", b'{"a": ', b'[{"role": "user"'])
def test_json_that_is_broken_is_named_by_its_place(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.json").write_bytes(content)

    with pytest.raises(BrokenFile, match=r"a\.json:1:\d+: "):
        read(tmp_path / "a.json")


def test_a_comment_above_code_is_no_heading() -> None:
    assert text_kind("# How to build\nPYTHON ?= python3\n", "Makefile", no_json=True) is None
    assert text_kind("# A chat\n\nHello", "chat", no_json=True) == MARKDOWN
