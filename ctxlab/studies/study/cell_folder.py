"""A folder in which the cells of a study are kept: parts while it runs, one sorted file at the end."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Self

from ctxlab.assets.transcription.loaded_models import optional_module
from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import WriteError
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.studies.study.cell_rows import Row
from ctxlab.studies.study.cell_table import KINDS, CellTable
from ctxlab.studies.study.frame_facts import FrameFacts
from ctxlab.studies.study.kept_results import results_file, take_results_away
from ctxlab.studies.study.plan import KEY, OWN_COLUMNS

CELLS = "cells.parquet"
LOCK = ".cells.lock"
_PART = lazy_pattern(r"part-[0-9a-f]{16}\.parquet", re.ASCII)
_UNFINISHED = lazy_pattern(r"\.(?:part-[0-9a-f]{16}|cells)\.parquet\.[0-9]+-[0-9]+\.tmp", re.ASCII)
PURPOSE = "a study that is kept in a folder"


class CellFolder:
    """Cells on disk, held by one run at a time; files of other names in the folder are left alone.

    `known` are the keys of cells that are there, `notes` say which files can't be read. `anew` takes away all cells
    that are there.
    """

    def __init__(self, path: str | Path, *, anew: bool = False) -> None:
        self._anew = anew
        self.path = Path(path).expanduser()
        self.notes: list[str] = []
        self.known: set[str] = set()
        for name in ("pyarrow", "filelock"):
            optional_module(name, extra="studies", purpose=PURPOSE)
        self._lock: Any = None

    def __enter__(self) -> Self:
        import filelock

        if self.path.exists() and not self.path.is_dir():
            raise WriteError(f"{self.path} is a file; a study is kept in a folder")
        if not self.path.parent.is_dir():
            raise WriteError(f"{self.path} can't be made: there is no folder {self.path.parent}")
        try:
            self.path.mkdir(exist_ok=True)
            lock = filelock.FileLock(self.path / LOCK, timeout=0)
            lock.acquire()
        except filelock.Timeout:
            raise WriteError(f"another run writes to {self.path}; wait until it ends, or name another folder") from None
        except OSError as error:
            raise WriteError(f"{self.path} can't be written: {error.strerror or error}") from error
        self._lock = lock
        self._refuse_foreign_cells()
        if self._anew:
            (self.path / CELLS).unlink(missing_ok=True)
            self._take_parts_away()
            take_results_away(self.path)
        self.known = {row[KEY] for row in self._rows(self.notes)}
        return self

    def __exit__(self, *_: object) -> None:
        self._lock.release()

    def results(self, code: str) -> Path | None:
        """The file of rankings and vectors that this code made; those of other code go."""
        path = results_file(self.path, code)
        take_results_away(self.path, but=path)
        return path

    def add(self, rows: Sequence[Row]) -> None:
        """Keep the rows of a batch as a part, which is written whole or not at all."""
        import pyarrow as pa

        if not rows:
            return
        keys = blake2b("".join([row[KEY] for row in rows]).encode(), digest_size=8).hexdigest()
        types = {"text": pa.string(), "count": pa.int64()}
        columns = {name: pa.array([row[name] for row in rows], types[KINDS[name]]) for name in (KEY, *OWN_COLUMNS)} | {
            name: pa.array([json.dumps(row[name]) for row in rows], pa.string()) for name in ("labels", "scores")
        }
        self._write(f"part-{keys}.parquet", pa.table(columns))

    def finish(self, keys: Collection[str], facts: FrameFacts) -> CellTable:
        """Write the cells of these keys as one sorted file, in place of the parts; cells of other keys go."""
        wanted = set(keys)
        found = {row[KEY]: row for row in self._rows([]) if row[KEY] in wanted}
        missing = len(wanted) - len(found)
        if missing:
            raise WriteError(f"{missing:,} cells are gone from {self.path}, where they were written; run it again")
        table = CellTable.of_rows(list(found.values()), facts)
        self._write(CELLS, table.arrow())
        self._take_parts_away()
        return table

    def _take_parts_away(self) -> None:
        for path in self.path.iterdir():
            if _PART.fullmatch(path.name) or _UNFINISHED.fullmatch(path.name):
                path.unlink(missing_ok=True)

    def _rows(self, notes: list[str]) -> Iterator[Row]:
        """Rows of all files that can be read; of those that can't a note."""
        parts = sorted(path for path in self.path.iterdir() if _PART.fullmatch(path.name))
        for path in ([self.path / CELLS] if (self.path / CELLS).exists() else []) + parts:
            try:
                yield from self._rows_of(path)
            except Exception as problem:  # a broken file raises whatever pyarrow and json raise
                why = str(problem).partition("\n")[0][:120]
                notes.append(f"{path.name} can't be read ({why}); its cells are built again")

    def _rows_of(self, path: Path) -> list[Row]:
        import pyarrow.parquet as pq

        with path.open("rb") as file:
            table: Any = pq.ParquetFile(file, page_checksum_verification=True).read()  # read_table imports pandas
        if path.name == CELLS:
            return CellTable.of_arrow(table).rows()
        rows: list[Row] = table.to_pylist()
        for row in rows:
            row["labels"], row["scores"] = json.loads(row["labels"]), json.loads(row["scores"])
            if not all(name in row for name in (KEY, *OWN_COLUMNS)):
                raise ValueError("columns are missing")
        return rows

    def _refuse_foreign_cells(self) -> None:
        """Raise WriteError where a Parquet file of somebody else has the name of ours."""
        import pyarrow.parquet as pq

        path = self.path / CELLS
        names: list[str] = [KEY]
        with suppress(Exception):  # what can't be read is told as a note, and built again
            names = pq.read_schema(path).names
        if KEY not in names:
            raise WriteError(f"{path} is not of a study; name another folder")

    def _write(self, name: str, table: Any) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        out: Any = pa.BufferOutputStream()
        pq.write_table(table, out, compression="zstd", version="2.6", row_group_size=100_000, write_page_checksum=True)
        replace_file(self.path / name, out.getvalue().to_pybytes())


class CellsInMemory:
    """Cells of a run that is kept nowhere."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.known: set[str] = set()
        self._rows: list[Row] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...

    def results(self, code: str) -> Path | None:
        return None

    def add(self, rows: Sequence[Row]) -> None:
        self._rows += rows

    def finish(self, keys: Collection[str], facts: FrameFacts) -> CellTable:
        return CellTable.of_rows(self._rows, facts)
