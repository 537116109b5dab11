"""Run a study: cases are streamed in batches through a backend, and their cells are kept as they come."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ctxlab.display.progress import ProgressOption, WorkProgress
from ctxlab.display.short_texts import counted
from ctxlab.errors import WrongArgument
from ctxlab.studies.study.backends import Backend, rows_of_batches
from ctxlab.studies.study.batches import CELLS_A_BATCH, BatchStream, CaseSource, size_of
from ctxlab.studies.study.cell_folder import CellFolder, CellsInMemory
from ctxlab.studies.study.files_read import FilesRead
from ctxlab.studies.study.frame_facts import FrameFacts, left_out_lines
from ctxlab.studies.study.missing_scores import missing_scores
from ctxlab.studies.study.plan import StudyPlan
from ctxlab.studies.study.plugins_used import refuse_changed_plugins
from ctxlab.studies.study.study_record import hash_of_cases, study_record
from ctxlab.studies.study.study_result import StudyResult


@runtime_checkable
class StreamedCases(Protocol):
    """Cases that are read while the study runs, which know how much of their sources is read."""

    share: float

    def prepare(self, progress: ProgressOption) -> None: ...
    @property
    def work(self) -> str | None: ...
    @property
    def files_left_out(self) -> tuple[str, ...]: ...


def run_study(
    plan: StudyPlan,
    source: CaseSource,
    *,
    path: str | Path | None = None,
    backend: Backend = "local",
    processes: int = 1,
    address: str | None = None,
    progress: ProgressOption = True,
    cells_a_batch: int = CELLS_A_BATCH,
    notes: Sequence[str] = (),
    anew: bool = False,
) -> StudyResult:
    """Every case under every variant, budget and seed.

    With `path` the cells are kept there, and those that are there already are not built again, unless it is made
    `anew`; a KeyboardInterrupt then says how many there are. Files that options name are read once, when the run meets
    them. The result and the file `cells.parquet` are the same for every backend and number of processes.
    """
    if processes < 1:
        raise WrongArgument(f"processes takes a number from 1 on, got {processes}")
    if anew and path is None:
        raise WrongArgument("anew builds the cells of a folder again; give path, the folder, with it")
    if address is not None and backend != "dask":
        raise WrongArgument('address is that of a dask scheduler; give backend="dask" with it')
    refuse_changed_plugins(plan)
    files = FilesRead()
    plan = files.plan(plan)
    kept = CellFolder(path, anew=anew) if path is not None else CellsInMemory()
    cases: Any = source
    streamed = cases if isinstance(cases, StreamedCases) else None
    if streamed is not None:
        streamed.prepare(progress)
    work = streamed.work if streamed is not None else None
    of_sources = streamed if work is not None else None  # their share is told where nobody knows the number of cells
    with kept, WorkProgress(work or "cells", 1.0 if work else size_of(source, plan), progress) as shown:
        stream = BatchStream(source, plan, kept.known, size=cells_a_batch, files=files)
        reused = 0
        shared = plan if address is not None else replace(plan, results=kept.results(plan.installed))
        runs = rows_of_batches(shared, stream, backend=backend, processes=processes, address=address)
        made = 0
        try:
            with closing(runs) as batches:
                for rows in batches:
                    kept.add(rows)
                    made += len(rows)
                    known, reused = stream.reused - reused, stream.reused
                    _advance(shown, of_sources, known, len(rows))
        except KeyboardInterrupt:
            if path is None:
                raise
            least = "" if stream.reused == len(kept.known) else "at least "
            words = _interrupted(made + stream.reused, size_of(source, plan), path, least)
            raise KeyboardInterrupt(words) from None
        _advance(shown, of_sources, stream.reused - reused, 0)
        left_out = _left_out(source)
        record = study_record(plan, files, hash_of_cases(stream.hashes))
        out = (*left_out_lines(left_out), *(streamed.files_left_out if streamed is not None else ()))
        facts = FrameFacts(plan.columns, plan.tokenizer_name, out, record)
        table = kept.finish(stream.keys, facts)
    lacking = (*stream.missing_agents.notes(), *stream.runs.notes(), *missing_scores(table, plan.scorers))
    told = (*notes, *_notes(source), *lacking, *kept.notes)
    return StudyResult(plan, table, source, stream.cases, told, left_out, files, reused=stream.reused)


def _advance(shown: WorkProgress, streamed: StreamedCases | None, known: int, made: int) -> None:
    """Count cells that were there and cells that were made; of a stream the share of its sources, divided by these."""
    if streamed is None:
        shown.advance(known, reused=True)
        shown.advance(made)
        return
    share = streamed.share - shown.done
    reused = share * known / (known + made) if known + made else 0.0
    shown.advance(reused, reused=True)
    shown.advance(share - reused)


def _interrupted(kept: int, total: int | None, path: str | Path, least: str) -> str:
    """The sentence that says how many cells are kept where a run was interrupted.

    It is `least` where cells of an earlier run may be there whose cases were not met yet.
    """
    many = f"{kept:,} of {total:,} cells" if total is not None else counted(kept, "cell")
    return (
        f"interrupted: {least}{many} {'is' if kept == 1 else 'are'} kept in {path}; the same command goes on from there"
    )


def _notes(source: Any) -> tuple[str, ...]:
    """Sentences of a source on the files that it read."""
    return tuple(getattr(source, "notes", ()))


def _left_out(source: Any) -> dict[str, int]:
    """Numbers of cases that a source says it left out, by reason; nothing where it says nothing."""
    counts = getattr(source, "left_out_counts", dict[str, int])
    found: dict[str, int] = dict(counts())
    return found
