"""Readers of other packages."""

from pathlib import Path

import pytest

from ctxlab.errors import UnknownFormat
from ctxlab.formats import read_data

READER = """
from ctxlab.documents import Session
from ctxlab.formats import Import, Reader

def read(material):
    return Import((Session(id=material.data["moo"]),), format="moo", source=material.source)

READER = Reader("moo", lambda data: isinstance(data, dict) and "moo" in data, read)
"""


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, *points: str) -> None:
    """A package with these entry points, as an installer leaves it."""
    (folder / "moo_reader.py").write_text(READER)
    about = folder / "moo_reader-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: moo-reader\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("\n".join(["[ctxlab.formats]", *points, ""]))
    monkeypatch.syspath_prepend(str(folder))


def test_a_format_of_another_package_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, "moo = moo_reader:READER")

    found = read_data({"moo": "s"})

    assert (found.format, found.pick().id) == ("moo", "s")


def test_readers_that_cannot_be_loaded_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, "gone = moo_reader:NOTHING", "wrong = moo_reader:read")

    with pytest.raises(UnknownFormat) as refusal:
        read_data({"no": "format"})

    assert "; plugin 'gone' of package 'moo-reader' is left out: AttributeError: " in str(refusal.value)
    assert "; plugin 'wrong' of package 'moo-reader' is left out: it is function, not a Reader" in str(refusal.value)


def test_formats_of_our_own_dont_ask_other_packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch, "gone = moo_reader:NOTHING")

    assert read_data([{"role": "user", "content": "Hi"}]).format == "openai"
