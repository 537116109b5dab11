"""`ctxlab assets`: one row a file, what is amiss below, and how a model would get each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ctxlab.cli.commands.assets import size_words
from tests.assets.file_samples import MAKERS, ole, picture


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    (folder / "sub").mkdir(parents=True)
    (folder / "港口.png").write_bytes(picture("PNG", size=(2_000, 100)))
    (folder / "sub" / "script.png").write_bytes(b"#!/bin/sh\necho hi\n")
    (folder / "horn.wav").write_bytes(MAKERS["a.wav"][1]())
    (folder / "locked.docx").write_bytes(ole("EncryptionInfo", "EncryptedPackage"))
    (folder / "page.html").write_bytes(MAKERS["a.html"][1]())
    return folder


def rows(out: str) -> dict[str, dict[str, Any]]:
    return {row["name"]: row for row in json.loads(out)}


def test_each_file_of_a_folder_has_a_row_and_lies_are_named(run, files: Path) -> None:
    result = run("assets", files)

    lines = result.out.splitlines()
    assert (result.code, result.err) == (0, "")
    assert lines[0].split() == ["file", "type", "sure", "size", "measures"]
    assert [line.split()[0] for line in lines[1:6]] == [
        "horn.wav",
        "locked.docx",
        "page.html",
        "sub/script.png",
        "港口.png",
    ]
    assert "2000 x 100" in lines[5]
    assert lines[6:] == [
        "! locked.docx: it is encrypted: without its password it can't be read",
        "! sub/script.png: its name says it is a PNG picture, but its bytes are a shell script",
    ]


@pytest.mark.parametrize(
    ("model", "sent_as"),
    [
        ("claude-sonnet-4-5", {"港口.png": "picture", "page.html": "text", "horn.wav": "description"}),
        ("gemini-2.5-pro", {"港口.png": "picture", "horn.wav": "audio", "locked.docx": "description"}),
        ("deepseek-chat", {"港口.png": "description", "sub/script.png": "text", "locked.docx": "description"}),
        ("nobody-knows", {"港口.png": "description", "page.html": "text"}),
    ],
)
def test_the_form_in_which_a_model_gets_each_file(run, files: Path, model: str, sent_as: dict[str, str]) -> None:
    found = rows(run("assets", files, "--model", model, "--format", "json").out)

    assert {name: found[name]["goes"]["sent_as"] for name in sent_as} == sent_as
    assert all(found[name]["goes"]["reason"] for name in found)


def test_a_large_picture_is_scaled_to_the_models_limit(run, files: Path) -> None:
    goes = rows(run("assets", files, "--model", "claude-sonnet-4-5", "--format", "json").out)["港口.png"]["goes"]

    assert 0 < goes["width"] < 2_000
    assert goes["width"] / goes["height"] == pytest.approx(20, rel=0.02)
    assert (
        f"picture, scaled to {goes['width']} x {goes['height']}"
        in run("assets", files, "--model", "claude-sonnet-4-5").out
    )


def test_types_and_descriptions_are_in_either_language(run, files: Path) -> None:
    chinese = rows(run("assets", files, "--model", "deepseek-chat", "--language", "zh", "--format", "json").out)
    english = rows(run("assets", files, "--model", "deepseek-chat", "--format", "json").out)

    assert chinese["港口.png"]["type"] == "PNG 图片"
    assert english["港口.png"]["type"] == "PNG picture"
    assert chinese["港口.png"]["goes"]["text"].startswith("[无法读取] 港口.png")
    assert len(english["港口.png"]["goes"]["text"].splitlines()) == 3


def test_an_unknown_model_is_said_to_be_unknown(run, files: Path) -> None:
    assert "nothing is known of nobody-knows: text only" in run("assets", files, "--model", "nobody-knows").out


def test_what_is_not_there_is_one_line(run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()

    for path, words in (("nothing.png", "there is no file"), ("empty", "holds no file")):
        result = run("assets", tmp_path / path)
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert words in result.err


def test_a_name_cannot_command_the_terminal(run, tmp_path: Path) -> None:
    path = tmp_path / "a\x1b[31m\n.png"
    path.write_bytes(b"#!/bin/sh\n")

    result = run("assets", path)

    assert "\x1b" not in result.out
    assert len(result.out.splitlines()) == 3


@pytest.mark.parametrize(
    ("size", "words"),
    [(0, "0 bytes"), (1, "1 byte"), (999, "999 bytes"), (1_000, "1.0 kB"), (999_949, "999.9 kB"), (999_950, "1.0 MB")],
)
def test_sizes_have_a_unit(size: int, words: str) -> None:
    assert size_words(size) == words
