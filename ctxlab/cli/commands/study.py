"""`ctxlab study`: a study of a TOML file, and how much of the evidence each strategy keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypedDict

from ctxlab.api.study import RETENTION_BUDGETS, Study, retention_study, study_of
from ctxlab.cli.output.terminal import Column, Screen, columns, complain
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError
from ctxlab.studies.study import StudyResult
from ctxlab.studies.study.cell_means import cell_means
from ctxlab.studies.study.study_file import StudyFile, read_study_file

RETENTION_SCORES = ("all_evidence", "share_of_evidence")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The folder for cells, and the processes that build them; None is what a study's file says, or the default."""

    out: Path | None = None
    processes: int | None = None
    backend: Literal["local", "dask"] | None = None
    address: str | None = None

    def of_file(self, file: StudyFile) -> RunOptions:
        """These options, and those of a study's file where there are none."""
        backend = "dask" if file.backend == "dask" else "local"
        return RunOptions(
            self.out if self.out is not None else file.out,
            self.processes or file.processes,
            self.backend or backend,
            self.address if self.address is not None else file.address,
        )

    def arguments(self) -> RunArguments:
        """The arguments of `Study.run` and of `survey`."""
        return {
            "path": self.out,
            "processes": self.processes if self.processes is not None else 1,
            "backend": self.backend if self.backend is not None else "local",
            "address": self.address,
        }

    def run(self, study: Study) -> StudyResult:
        """The result of a study; its notes go to standard error."""
        result = study.run(**self.arguments())
        announce(result)
        return result


class RunArguments(TypedDict):
    path: Path | None
    processes: int
    backend: Literal["local", "dask"]
    address: str | None


def announce(result: StudyResult) -> None:
    """Print notes of a result, a line each on standard error; raises CtxlabError where no cell was built."""
    if not len(result):
        raise CtxlabError(_no_case(result))
    if result.errors == len(result):
        raise CtxlabError(f"no cell could be built: {result.cell_table.columns['error'][0]}")
    for note in result.notes:
        complain(note)


def _no_case(result: StudyResult) -> str:
    """That there is no case, and why not."""
    reasons = [f"left out: {counted(count, 'question')}, {reason}" for reason, count in result.left_out.items()]
    return "; ".join(["there is no case to build", *reasons, *result.notes])


def print_study_file(path: Path, options: RunOptions, *, as_json: bool) -> None:
    """Run the study of a file, and print the mean of each column for each variant and budget."""
    file = read_study_file(path)
    study = study_of(file)
    result = options.of_file(file).run(study)
    numbers = [each.name for each in result.columns if each.unit != "text"]
    print_means(result, ("tokens", "messages", "cut_messages", *numbers), as_json=as_json)


def print_retention(
    data: Path,
    options: RunOptions,
    *,
    strategies: Sequence[str],
    budgets: Sequence[int],
    tokenizer: str | None,
    labels: Path | None,
    as_json: bool,
) -> None:
    """Run the retention study of a file of conversations with questions, and print both scores."""
    study, notes = retention_study(
        data,
        labels=labels,
        strategies=strategies,
        budgets=budgets or RETENTION_BUDGETS,
        tokenizer=tokenizer if tokenizer is not None else "chars4+4",
    )
    for note in notes:
        complain(note)
    print_means(options.run(study), RETENTION_SCORES, as_json=as_json, variant="strategy")


def print_means(result: StudyResult, names: Sequence[str], *, as_json: bool, variant: str = "variant") -> None:
    """A table of means, or the same as a list of objects; what they rest on stands below the table."""
    rows = cell_means(result, names, variant=variant)
    screen = Screen()
    if as_json:
        print_rows(rows)
        return
    units: dict[str, str] = {each.name: each.unit for each in result.columns}
    titles = [Column(variant, style="step"), *[Column(name, right=True) for name in ("budget", "cases", *names)]]
    columns(screen, titles, [_cells(row, variant, names, units) for row in rows])
    screen.blank()
    conversations = counted(result.conversations, "conversation")
    screen.line(f"{counted(result.cases, 'case')} of {conversations}; tokens by {result.tokenizer}")
    if result.errors:
        screen.line(f"{counted(result.errors, 'cell')} with an error, which no mean counts")
    for reason, count in result.left_out.items():
        screen.line(f"left out: {counted(count, 'question')}, {reason}")


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    import typer

    typer.echo(json.dumps(rows, ensure_ascii=False, indent=1))


def _cells(row: dict[str, Any], variant: str, names: Sequence[str], units: Mapping[str, str]) -> tuple[str, ...]:
    budget = "none" if row["budget"] is None else f"{row['budget']:,}"
    return (row[variant], budget, f"{row['cases']:,}", *[_number(row[name], units.get(name, "")) for name in names])


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    if unit == "usd":
        return f"${value:.5f}"
    return f"{value:.1%}" if unit == "share" else f"{value:,.1f}"
