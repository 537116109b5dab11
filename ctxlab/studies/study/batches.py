"""Batches of cells: cases of a stream, a few at a time, with the cells that are still to be built."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache
from typing import Any

from ctxlab.documents import Session
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.studies.study.case import BrokenCase, Case
from ctxlab.studies.study.cell_key import CellKeys
from ctxlab.studies.study.cell_rows import Row, rows_of_case, sound_text
from ctxlab.studies.study.files_read import FilesRead
from ctxlab.studies.study.kept_results import results_kept
from ctxlab.studies.study.missing_agents import MissingAgents
from ctxlab.studies.study.plan import KEY, OWN_COLUMNS, Cell, StudyPlan
from ctxlab.studies.study.runs_of_one_task import RunsOfOneTask

CELLS_A_BATCH = 100
CELLS_A_COLLECTION = 1_000
"""Cells of a process after which its garbage is collected, which takes as long as some twenty of them."""
CHARACTERS_A_BATCH = 4_000_000
"""Characters of messages after which a batch is full, and garbage is collected: long conversations come a few at a
time. A build takes some twenty bytes of memory for each."""
CaseSource = Iterable[Case | BrokenCase] | Callable[[], Iterable[Case | BrokenCase]]
"""Cases, or a function that gives them, such as a generator function: it is called again to look at a case again."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Cases with the cells that are wanted of each, as keys and numbers of cells in the plan.

    `characters` are those of the messages of their conversations.
    """

    cases: tuple[tuple[Case | BrokenCase, tuple[tuple[str, int], ...]], ...]
    characters: int = 0

    @property
    def cells(self) -> int:
        return sum(len(wanted) for _, wanted in self.cases)


def cases_of(source: CaseSource) -> Iterator[Case | BrokenCase]:
    """The cases of a source, one at a time; raises WrongArgument for what is no case."""
    found: Iterable[Any] = source() if callable(source) else source
    for i, case in enumerate(found):
        if not isinstance(case, Case | BrokenCase):
            raise WrongArgument(f"cases[{i}] is a {type(case).__name__}; cases are values of ctxlab.Case")
        yield case


class BatchStream:
    """Batches of about a hundred cells each, made while cases and their files are read, without cells that are known.

    `keys` are those of every cell so far, in order, `hashes` those of their cases; `cases` counts the cases.
    """

    def __init__(
        self,
        source: CaseSource,
        plan: StudyPlan,
        known: Collection[str],
        *,
        size: int,
        files: FilesRead | None = None,
    ) -> None:
        self.keys: list[str] = []
        self.hashes: list[bytes] = []
        self.cases = 0
        self.reused = 0
        self._source, self._plan, self._known, self._size = source, plan, known, size
        self._cells = tuple(plan.cells())
        self._files = files or FilesRead()
        self._names = CellKeys(plan, self._files)
        self.missing_agents = MissingAgents(plan)
        self.runs = RunsOfOneTask()
        self._ids: set[str] = set()
        self._taken = {*OWN_COLUMNS, KEY, *(column.name for column in plan.columns)}
        self._taken |= {name for variant in plan.variants for name in variant.labels}

    def __iter__(self) -> Iterator[Batch]:
        cases: list[tuple[Case | BrokenCase, tuple[tuple[str, int], ...]]] = []
        cells = characters = 0
        for case in map(self._files.case, cases_of(self._source)):
            wanted = self._wanted(case)
            if wanted:
                if not cases or _session_of(cases[-1][0]) is not _session_of(case):
                    characters += _characters(case)
                cases.append((case, wanted))
                cells += len(wanted)
            if cells >= self._size or characters >= CHARACTERS_A_BATCH:
                batch = Batch(tuple(cases), characters)
                cases, cells, characters = [], 0, 0
                yield batch
                del batch  # else it would be held while the next one is read
        if cases:
            yield Batch(tuple(cases), characters)

    def _wanted(self, case: Case | BrokenCase) -> tuple[tuple[str, int], ...]:
        name = sound_text(case.id)
        if name in self._ids:
            raise WrongArgument(f"two cases are named {name!r}; each needs an id of its own")
        label = next((name for name in case.labels if name in self._taken), None)
        if label is not None:
            raise WrongArgument(f"case {case.id!r} has a label {label!r}, a column of the study; name it otherwise")
        self._ids.add(name)
        self.missing_agents.meet(case)
        self.runs.meet(case.conversation)
        self.cases += 1
        of_case = self._names.of_case(case)
        self.hashes.append(of_case)
        keys = [self._names.of_cell(of_case, cell) for cell in self._cells]
        wanted = tuple([(key, i) for i, key in enumerate(keys) if key not in self._known])
        self.keys += keys
        self.reused += len(keys) - len(wanted)
        return wanted


def _session_of(case: Case | BrokenCase) -> Session | None:
    return case.session if isinstance(case, Case) else None


def _characters(case: Case | BrokenCase) -> int:
    session: Any = _session_of(case)
    return sum(len(node.content) for node in session.nodes.values()) if isinstance(session, Session) else 0


class _Collector:
    """Full collections of garbage at intervals: runs leave circles, and put off the collections that Python makes."""

    def __init__(self) -> None:
        self.cells = self.characters = 0

    def after(self, cells: int, characters: int) -> None:
        self.cells += cells
        self.characters += characters
        if self.cells >= CELLS_A_COLLECTION or self.characters >= CHARACTERS_A_BATCH:
            self.cells = self.characters = 0
            gc.collect()


_COLLECTOR = _Collector()


@lru_cache(maxsize=2)
def _has_code_of(plan: StudyPlan) -> bool:
    """Whether this process has the code that the study began with."""
    from ctxlab.studies.study.code_version import installed_version, stamp_here

    return (plan.stamp and plan.stamp == stamp_here(plan.installed)) or plan.installed == installed_version()


def rows_of_batch(plan: StudyPlan, batch: Batch) -> list[Row]:
    """The rows of a batch, in any process; raises CtxlabError where that has other code than the study began with."""
    if not _has_code_of(plan):
        raise CtxlabError(
            "a process of the study has another version of ctxlab, of its plugins or of the libraries that it counts "
            "with; install the same ones everywhere"
        )
    cells: tuple[Cell, ...] = tuple(plan.cells())
    with results_kept(plan.results):
        rows = [
            row
            for case, wanted in batch.cases
            for row in rows_of_case(plan, case, [(key, cells[i]) for key, i in wanted])
        ]
    _COLLECTOR.after(len(rows), batch.characters)
    return rows


def size_of(source: Any, plan: StudyPlan) -> int | None:
    """The number of cells of a source that has a length; None for a stream."""
    count = len(source) if hasattr(source, "__len__") else None
    return None if count is None else count * sum(1 for _ in plan.cells())
