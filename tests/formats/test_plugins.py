"""Formats of other packages, and what a format of our own takes."""

import ast
import sys
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest

import ctxlab
from ctxlab.documents import Session, Worldbook
from ctxlab.errors import UnknownFormat, WriteError
from ctxlab.formats import FORMATS, Format, convert, read, read_data, write

PLUGIN = """
from ctxlab.documents import Session
from ctxlab.formats import Export, Format, Import, Loss

def sniff(data):
    return isinstance(data, dict) and "moo" in data

def read(source):
    return Import((Session(id=source.data["moo"]),))

def write(found, pick):
    session = found.pick(pick)
    return Export({"moo": session.id}, (Loss("nodes", "left out"),)).as_bytes()

MOO = Format("moo", "cow", (".moo", ".moo.json"), sniff=sniff, read=read, write=write, holds=("sessions",))
"""
ROOT = Path(ctxlab.__file__).parent


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, *points: str) -> None:
    """A package with these entry points, as an installer leaves it."""
    (folder / "moo_format.py").write_text(PLUGIN)
    about = folder / "moo_format-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: moo-format\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("\n".join(["[ctxlab.formats]", *points, ""]))
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "moo_format", raising=False)


@pytest.fixture
def moo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, "moo = moo_format:MOO")


@pytest.mark.usefixtures("moo")
def test_a_format_of_another_package_is_read() -> None:
    found = read_data({"moo": "s"})

    assert (found.format, found.source, found.pick().id) == ("moo", "data", "s")


@pytest.mark.usefixtures("moo")
@pytest.mark.parametrize(
    ("name", "format"), [("out.moo", None), ("out.moo.json", None), ("v1.MOO.json", None), ("out.json", "moo")]
)
def test_a_format_of_another_package_is_written(tmp_path: Path, name: str, format: str | None) -> None:
    export = write(Session(id="s"), tmp_path / name, format=format)

    assert (tmp_path / name).read_bytes() == export.data == b'{\n  "moo": "s"\n}'
    assert [str(loss) for loss in export.losses] == ["nodes: left out"]
    assert read(tmp_path / name).format == "moo"


@pytest.mark.usefixtures("moo")
def test_a_file_is_converted_to_a_format_of_another_package(tmp_path: Path) -> None:
    write(Session(id="s"), tmp_path / "in.json")

    convert(tmp_path / "in.json", tmp_path / "out.moo")

    assert read(tmp_path / "out.moo").pick().id == "s"


@pytest.mark.usefixtures("moo")
def test_a_format_of_another_package_is_offered_and_refuses_like_our_own(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"end it in one of .*\.moo, \.moo\.json, or say format="):
        write(Session(id="s"), tmp_path / "out.cow")
    with pytest.raises(WriteError, match=r"Worldbook holds no session, which .* needs as moo; .*\.worldbook\.json"):
        write(Worldbook(id="w"), tmp_path / "out.moo")
    with pytest.raises(WriteError, match="did you mean 'moo'"):
        write(Session(id="s"), tmp_path / "out.moo", format="mooo")


def test_formats_that_cannot_be_loaded_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, "gone = moo_format:NOTHING", "wrong = moo_format:read")

    with pytest.raises(UnknownFormat) as refusal:
        read_data({"no": "format"})
    with pytest.raises(WriteError, match="plugin 'gone' of package 'moo-format' is left out"):
        write(Session(id="s"), tmp_path / "out.moo")

    assert "; plugin 'gone' of package 'moo-format' is left out: AttributeError: " in str(refusal.value)
    assert "; plugin 'wrong' of package 'moo-format' is left out: it is function, not a Format" in str(refusal.value)


def test_formats_of_our_own_dont_ask_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctxlab.formats.known_formats.announced", lambda *_: pytest.fail("entry points were loaded"))

    assert read_data([{"role": "user", "content": "Hi"}]).format == "openai"
    assert write(Session(id="s"), tmp_path / "out.tree.md").data.startswith(b"# Conversation tree")


@cache
def _imports() -> tuple[tuple[str, str, Path], ...]:
    """Module, name and file of everything that a file of ctxlab imports by name."""
    return tuple(
        (node.module or "", alias.name, path)
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    )


@pytest.mark.parametrize("form", [form for form in FORMATS if form.write], ids=lambda form: form.name)
def test_a_written_format_takes_its_own_file_and_a_row_of_the_list(form: Format) -> None:
    write = cast("Any", form.write)
    module = getattr(write, "func", write).__module__
    constant = next(name for name, value in vars(sys.modules[module]).items() if value is form)

    assert [path for there, name, path in _imports() if (there, name) == (module, constant)] == []


def test_names_and_endings_of_formats_are_their_own() -> None:
    endings = [ending for form in FORMATS for ending in form.endings]

    assert len({form.name for form in FORMATS}) == len(FORMATS)
    assert len(set(endings)) == len(endings)
    assert all(form.endings and form.holds for form in FORMATS if form.write)
    assert all((form.sniff is None) == (form.read is None) for form in FORMATS)
    assert all(form.read or form.write for form in FORMATS)
