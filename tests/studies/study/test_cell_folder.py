"""The folder of a study: the same bytes however it was run, nothing built twice, nothing of others touched."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import ctxlab
from ctxlab.errors import MissingExtra, WriteError
from ctxlab.studies.study.cell_folder import CellFolder
from tests.studies.study.samples import cases, run

ROOT = Path(__file__).parents[3]
CELLS = "cells.parquet"
KILLED_AT = """
import os, signal, sys
from tests.studies.study.samples import cases, run

def until_killed():
    for i, case in enumerate(cases()):
        if i == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        yield case

run(sys.argv[1], source=until_killed)
"""


def content(folder: Path) -> str:
    return sha256((folder / CELLS).read_bytes()).hexdigest()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != ".cells.lock")


class Counting:
    """Cases of which the builds are counted, by the sessions that are asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from ctxlab.studies.study import batches

        self.cells = 0
        rows = batches.rows_of_case

        def counted(plan: Any, case: Any, wanted: Any) -> Any:
            self.cells += len(wanted)
            return rows(plan, case, wanted)

        monkeypatch.setattr(batches, "rows_of_case", counted)


def test_a_run_again_builds_nothing_and_a_change_only_what_it_touches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = run(tmp_path / "a")
    counting = Counting(monkeypatch)

    again = run(tmp_path / "a")
    assert (counting.cells, content(tmp_path / "a")) == (0, content(tmp_path / "a"))
    assert again.frame().equals(first.frame())

    run(tmp_path / "a", budgets=(60, 200, 300))
    assert counting.cells == 6 * 3
    run(tmp_path / "a", budgets=(60, 200, 300), variants=["sliding", "block", "middle-out"])
    assert counting.cells == 6 * 3 + 6 * 3
    run(tmp_path / "a", source=lambda: [*cases(), ctxlab.Case("new", "new", ctxlab.Session(id="n").append("Hi"))])
    assert counting.cells == 6 * 3 + 6 * 3 + 6 * 2 + 6


def test_the_file_holds_the_frame(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    result = run(tmp_path / "a")

    kept = pq.read_table(tmp_path / "a" / CELLS).drop_columns("cell_key")
    assert kept.to_pylist() == result.frame().to_dict("records")
    assert names(tmp_path / "a") == [CELLS]
    assert run().frame().equals(result.frame())


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize("case", [3, pytest.param(5, marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: int) -> None:
    run(tmp_path / "whole")

    killed = subprocess.run([sys.executable, "-c", KILLED_AT, tmp_path / "a", str(case)], cwd=ROOT)
    kept = names(tmp_path / "a")
    counting = Counting(monkeypatch)
    run(tmp_path / "a")

    assert killed.returncode == -signal.SIGKILL
    assert kept and all(name.startswith("part-") for name in kept)
    assert 0 < counting.cells < 36
    assert content(tmp_path / "a") == content(tmp_path / "whole")
    assert names(tmp_path / "a") == [CELLS]


def test_an_interrupted_run_says_how_much_is_kept(tmp_path: Path) -> None:
    def until(last: int) -> Callable[[], Iterator[ctxlab.Case]]:
        def given() -> Iterator[ctxlab.Case]:
            for i, case in enumerate(cases()):
                if i == last:
                    raise KeyboardInterrupt
                yield case

        return given

    folder = tmp_path / "cells"
    for last, words in ((4, "interrupted: 24 cells are kept"), (3, "interrupted: at least 18 cells are kept")):
        with pytest.raises(KeyboardInterrupt, match=f"^{words} in .*cells; the same command goes on from there$"):
            run(folder, source=until(last))
    with pytest.raises(KeyboardInterrupt) as nothing_kept:
        run(source=until(2))
    assert str(nothing_kept.value) == ""
    assert len(run(folder)) == 36


def stopped(folder: Path) -> None:
    """A run that an error ends when some of its cells are kept."""

    def ending() -> Iterator[ctxlab.Case]:
        yield from list(cases())[:4]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(folder, source=ending)


@pytest.mark.parametrize(
    "harm",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:60] + bytes([data[60] ^ 1]) + data[61:],
        lambda data: b"PAR1" + bytes(100) + b"PAR1",
    ],
)
def test_a_broken_part_is_built_again_with_a_note(tmp_path: Path, harm: Callable[[bytes], bytes]) -> None:
    run(tmp_path / "whole")
    stopped(tmp_path / "a")
    part = min((tmp_path / "a").glob("part-*"))
    part.write_bytes(harm(part.read_bytes()))

    result = run(tmp_path / "a")

    assert [note.partition(" (")[0] for note in result.notes] == [f"{part.name} can't be read"]
    assert result.notes[0].endswith("its cells are built again")
    assert content(tmp_path / "a") == content(tmp_path / "whole")


def test_broken_cells_are_built_again_with_a_note(tmp_path: Path) -> None:
    run(tmp_path / "a")
    before = content(tmp_path / "a")
    (tmp_path / "a" / CELLS).write_bytes(b"PAR1")

    assert len(run(tmp_path / "a").notes) == 1
    assert content(tmp_path / "a") == before


def test_other_files_of_the_folder_stay_as_they_are(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    for name in ("notes.txt", "part-1.parquet", "part-0123456789abcdef.parquet.old", ".cells.parquet.tmp"):
        (folder / name).write_text("mine")
    (folder / ".part-0123456789abcdef.parquet.77-0.tmp").write_text("of a killed run")
    before = names(folder)

    run(folder)

    assert set(names(folder)) == {*before, CELLS} - {".part-0123456789abcdef.parquet.77-0.tmp"}
    assert (folder / "notes.txt").read_text() == "mine"


def test_cells_of_somebody_else_are_not_replaced(tmp_path: Path) -> None:
    import pandas as pd

    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / CELLS)
    before = content(tmp_path)

    with pytest.raises(WriteError, match="is not of a study; name another folder"):
        run(tmp_path)
    assert content(tmp_path) == before


def test_two_runs_in_one_folder_are_one_too_many(tmp_path: Path) -> None:
    with CellFolder(tmp_path / "a"), pytest.raises(WriteError, match="another run writes to"):
        run(tmp_path / "a")

    assert len(run(tmp_path / "a")) == 36


def test_a_place_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")

    for place, sentence in (("file", "is a file; a study is kept in a folder"), ("no/such", "there is no folder")):
        with pytest.raises(WriteError, match=sentence):
            run(tmp_path / place)
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize("module", ["pyarrow", "filelock"])
def test_what_a_folder_needs_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(MissingExtra, match=rf"a folder needs {module}.*pip install 'ctxlab\[studies\]'"):
        run(tmp_path / "a")
    assert len(run()) == 36
    assert [*tmp_path.iterdir()] == []


def test_texts_that_no_file_holds_are_kept_as_far_as_they_can_be(tmp_path: Path) -> None:
    case = ctxlab.Case("\ud800 沈砚", "c\x00", ctxlab.Session(id="n").append("Hi \ud800"), labels={"x": "\udfff"})

    frame = run(tmp_path / "a", source=[case]).frame()

    assert set(frame["case"]) == {"\\ud800 沈砚"}
    assert run(tmp_path / "a", source=[case]).frame().equals(frame)
