"""`ctxlab study`: a study of a TOML file, and how much of the evidence each strategy keeps."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, TypedDict

from ctxlab.api.study import RETENTION_BUDGETS, Study, retention_study, study_of
from ctxlab.cli.output.figure_page import refuse_page, write_page
from ctxlab.cli.output.study_text import print_differences, print_foot, print_means_table
from ctxlab.cli.output.terminal import Screen, complain
from ctxlab.display.short_texts import counted, nearest
from ctxlab.errors import CtxlabError, MissingExtra, WrongArgument
from ctxlab.lazy_dataclass import dataclass
from ctxlab.secrets import masked, masked_data
from ctxlab.studies.study import StudyResult
from ctxlab.studies.study.cell_means import cell_means
from ctxlab.studies.study.study_file import StudyFile, read_study_file
from ctxlab.studies.study_table import StudyTable

TableForm = Literal["text", "json", "csv"]
StudyForm = Literal["text", "json", "csv", "table"]
RETENTION_SCORES = ("all_evidence", "share_of_evidence")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The folder for cells, and the processes that build them; None is what a study's file says, or the default."""

    out: Path | None = None
    processes: int | None = None
    backend: Literal["local", "dask"] | None = None
    address: str | None = None
    anew: bool = False

    def of_file(self, file: StudyFile) -> RunOptions:
        """These options, and those of a study's file where there are none."""
        backend = "dask" if file.backend == "dask" else "local"
        return RunOptions(
            self.out if self.out is not None else file.out,
            self.processes or file.processes,
            self.backend or backend,
            self.address if self.address is not None else file.address,
            self.anew,
        )

    def arguments(self) -> RunArguments:
        """The arguments of `Study.run` and of `survey`."""
        return {
            "path": self.out,
            "processes": self.processes if self.processes is not None else 1,
            "backend": self.backend if self.backend is not None else "local",
            "address": self.address,
            "anew": self.anew,
        }

    def check(self) -> None:
        """Raise where cells are to be built again and no folder holds any."""
        if self.anew and self.out is None:
            raise CtxlabError("--anew builds the cells of a folder again; name the folder with --out")

    def run(self, study: Study) -> StudyResult:
        """The result of a study; its notes go to standard error."""
        self.check()
        with interrupts_told():
            result = study.run(**self.arguments())
        announce(result, self.out)
        return result


@contextmanager
def interrupts_told() -> Generator[None]:
    """Say how much an interrupted run keeps, where it keeps anything."""
    try:
        yield
    except KeyboardInterrupt as stopped:
        if str(stopped):
            complain(str(stopped))
        raise


class RunArguments(TypedDict):
    path: Path | None
    processes: int
    backend: Literal["local", "dask"]
    address: str | None
    anew: bool


def announce(result: StudyResult, out: Path | None = None) -> None:
    """Print notes of a result, a line each on standard error; raises CtxlabError where no cell was built.

    With a folder for its cells the last line says how many were there already.
    """
    if not len(result):
        raise CtxlabError(_no_case(result))
    if result.errors == len(result):
        raise CtxlabError(f"no cell could be built: {result.cell_table.columns['error'][0]}")
    for note in result.notes:
        complain(note)
    if out is not None:
        complain(f"{counted(result.reused, 'cell')} kept in {out}, {len(result) - result.reused:,} built")


def _no_case(result: StudyResult) -> str:
    """That there is no case, and why not."""
    reasons = [f"left out: {counted(count, 'question')}, {reason}" for reason, count in result.left_out.items()]
    return "; ".join(["there is no case to build", *reasons, *result.notes])


@dataclass(frozen=True, slots=True)
class ShownAs:
    """The form of a shown study, and the score and the baseline of its differences.

    As text, JSON and CSV it has the means of all scores, as a `table` in CSV or in Markdown the differences of one.
    """

    form: StudyForm = "text"
    as_markdown: bool = False
    baseline: str | None = None
    score: str | None = None
    figure: Path | None = None

    def check(self, study: Study) -> None:
        """Raise before the run where it could not be shown."""
        if self.figure is not None:
            refuse_page(self.figure, "study.html")
        numbers = [column.name for column in study.plan.columns if column.unit != "text"]
        if (self.as_markdown or self.form == "table") and not numbers:
            raise CtxlabError("a table is of a score, and the study has none; scorers = [...] names some")
        _refuse_unknown("score", self.score, numbers)
        _refuse_unknown("variant", self.baseline, [variant.name for variant in study.plan.variants])

    def base(self, result: StudyResult) -> str:
        """The name of the baseline, by default the first variant."""
        return self.baseline if self.baseline is not None else result.variants[0].name


def _refuse_unknown(what: str, name: str | None, known: Sequence[str]) -> None:
    if name is not None and name not in known:
        raise WrongArgument(f"the study has no {what} {name!r}{nearest(name, list(known))}")


def print_study_file(path: Path, options: RunOptions, shown: ShownAs) -> None:
    """Run the study of a file, and print the mean of each column for each variant and budget."""
    file = read_study_file(path)
    study = study_of(file)
    shown.check(study)
    result = options.of_file(file).run(study)
    numbers = [each.name for each in result.columns if each.unit != "text"]
    print_result(result, ("tokens", "messages", "cut_messages", *numbers), shown)


def print_retention(
    data: Path,
    options: RunOptions,
    shown: ShownAs,
    *,
    strategies: Sequence[str],
    budgets: Sequence[int],
    tokenizer: str | None,
    labels: Path | None,
    limit: int | None,
) -> None:
    """Run the retention study of a file of conversations with questions, and print both scores."""
    study, notes, setting = retention_study(
        data,
        labels=labels,
        strategies=strategies,
        budgets=budgets or RETENTION_BUDGETS,
        tokenizer=tokenizer if tokenizer is not None else "chars4+4",
        limit=limit,
    )
    shown.check(study)
    for note in notes:
        complain(note)
    print_result(options.run(study), RETENTION_SCORES, shown, variant="strategy", setting=setting)


def print_result(
    result: StudyResult,
    names: Sequence[str],
    shown: ShownAs,
    *,
    variant: str = "variant",
    setting: Sequence[str] = (),
) -> None:
    """Means with their intervals and the differences to a baseline, as text, Markdown or CSV; means as JSON or CSV."""
    scores = [each.name for each in result.columns if each.unit != "text"]
    score = shown.score or next(iter(scores), None)
    if shown.figure is not None:
        write_page(result.figure(shown.score), shown.figure)
    if shown.as_markdown:
        import typer

        typer.echo(result.table(score, baseline=shown.base(result)).markdown(), nl=False)
        return
    if shown.form == "table":
        print_rows([row.as_row() for row in result.table(score, baseline=shown.base(result)).rows], "csv")
        return
    tables = _tables(result, [name for name in names if name in scores], shown.base(result))
    rows = _with_intervals(cell_means(result, names, variant=variant), tables, [n for n in names if n in scores])
    if shown.form != "text":
        print_rows(rows, shown.form)
        return
    screen = Screen()
    print_means_table(screen, result, rows, names, variant=variant, tables=tables)
    screen.blank()
    table = tables.get(score) if score is not None else None
    if table is not None and len(result.variants) > 1:
        print_differences(screen, table, variant=variant)
        screen.blank()
    print_foot(screen, result, table, setting)


def _tables(result: StudyResult, scores: Sequence[str], baseline: str) -> dict[str, StudyTable]:
    """The table of each score; none where what computes intervals is not installed, which is said."""
    try:
        return {name: result.table(name, baseline=baseline) for name in scores}
    except MissingExtra as missing:
        complain(f"there are no intervals: {missing}")
        return {}


def _with_intervals(
    rows: Sequence[dict[str, Any]], tables: Mapping[str, StudyTable], scores: Sequence[str]
) -> list[dict[str, Any]]:
    """Rows with the ends of each score's interval, None where there is none."""
    found = {
        (name, row.variant, row.budget): row.mean.interval
        for name, table in tables.items()
        for row in table.rows
        if row.mean is not None
    }
    made: list[dict[str, Any]] = []
    for row in rows:
        name_of_variant, budget = next(iter(row.values())), row["budget"]
        ends: dict[str, float | None] = {}
        for score in scores:
            interval = found.get((score, name_of_variant, budget))
            ends[f"{score}_low"] = interval.low if interval is not None else None
            ends[f"{score}_high"] = interval.high if interval is not None else None
        made.append({**row, **ends})
    return made


def print_rows(rows: Sequence[dict[str, Any]], form: TableForm = "json") -> None:
    """Rows as a list of objects, or as CSV with a head; what is missing is null, or an empty cell."""
    import typer

    typer.echo(
        json.dumps(masked_data(rows), ensure_ascii=False, indent=1) if form == "json" else masked(_csv(rows)),
        nl=form == "json",
    )


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    import csv
    from io import StringIO

    out = StringIO()
    table = csv.DictWriter(out, list(dict.fromkeys(name for row in rows for name in row)), lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()
