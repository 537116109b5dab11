"""Commands that build many contexts, and their options; each does its work in a module that is loaded when it runs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ctxlab.cli.inputs.options import CommandOptions, Form, names_in, numbers_in, takes_build_options


@takes_build_options(without=("until",))
def minimise(
    options: CommandOptions,
    keeps: Annotated[
        list[str],
        typer.Option(
            "--keeps",
            metavar="K",
            help="A message's key, a text, or re: and a pattern; may be given again.",
            show_default=False,
        ),
    ],
    form: Annotated[Form, typer.Option("--format", help="For people, or the pieces as JSON.")] = Form.text,
) -> None:
    """Take out presets, lore entries and messages until every one that is left is needed for what --keeps names.

    A key is node:u5, preset:0, lore:book/3 or their like. It takes a build for each try.
    """
    from ctxlab.cli.commands.minimise import print_minimised
    from ctxlab.cli.inputs.files import load

    print_minimised(load(options), keeps, as_json=form is Form.json)


@takes_build_options(without=("until",))
def ablate(
    options: CommandOptions,
    only: Annotated[
        str, typer.Option("--only", metavar="K,K,...", help="Of step, setting, preset, entry, rule; else all.")
    ] = "",
    form: Annotated[Form, typer.Option("--format", help="For people, or a row a change as JSON.")] = Form.text,
) -> None:
    """Switch each step, move each setting by a notch, take out each preset, lore entry and rule, one at a time.

    The changes with the largest effect on what is sent come first. It takes a build for each.
    """
    from ctxlab.cli.commands.ablate import print_ablation
    from ctxlab.cli.inputs.files import load

    print_ablation(load(options), names_in(only), as_json=form is Form.json)


class StudyForm(StrEnum):
    """The form of a study's numbers."""

    text = "text"
    json = "json"
    csv = "csv"
    table = "table"


class CellsForm(StrEnum):
    """The form of a survey's cells."""

    text = "text"
    json = "json"
    csv = "csv"


class Backend(StrEnum):
    local = "local"
    dask = "dask"


StrategiesOption = Annotated[
    str,
    typer.Option("--strategies", metavar="S,S,...", help="Truncation strategies; without it, every one there is."),
]
BudgetsOption = Annotated[str, typer.Option("--budgets", metavar="N,N,...", help="Budgets in tokens.")]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out", metavar="FOLDER", help="Keep the cells there, and go on where a run ended.", show_default=False
    ),
]
ProcessesOption = Annotated[
    int | None, typer.Option("--processes", metavar="N", min=1, help="Processes that build, by default 1.")
]
BackendOption = Annotated[Backend | None, typer.Option("--backend", help="What runs them, by default local.")]
AddressOption = Annotated[
    str | None, typer.Option("--address", metavar="A", help="A dask scheduler's, such as tcp://host:8786.")
]
AnewOption = Annotated[bool, typer.Option("--anew", help="Build the cells that --out holds again, all of them.")]
FigureOption = Annotated[
    Path | None,
    typer.Option(
        "--figure",
        metavar="PAGE",
        help="Write a figure as a page of HTML, some 5 MB, for it draws without a network.",
        show_default=False,
    ),
]


def study(
    what: Annotated[str, typer.Argument(metavar="STUDY.toml|retention", help="A study's file, or the word retention.")],
    data: Annotated[
        Path | None,
        typer.Argument(metavar="[DATA]", help="Of retention: conversations with questions.", show_default=False),
    ] = None,
    labels: Annotated[
        Path | None, typer.Option("--labels", metavar="FILE", help="Of retention: questions, where DATA has none.")
    ] = None,
    strategies: Annotated[
        str,
        typer.Option(
            "--strategies", metavar="S,S,...", help="Of retention, by default all; oracle knows the evidence."
        ),
    ] = "",
    budgets: BudgetsOption = "",
    tokenizer: Annotated[
        str | None, typer.Option("--tokenizer", metavar="T", help="Of retention: chars4+4, o200k_base, ...")
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", metavar="N", min=1, help="Of retention: the first N cases of each conversation."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", metavar="NAME", help="What the others are compared with; else the first variant."),
    ] = None,
    score: Annotated[
        str | None, typer.Option("--score", metavar="NAME", help="The score of differences; else the first one.")
    ] = None,
    figure: FigureOption = None,
    out: FolderOption = None,
    processes: ProcessesOption = None,
    backend: BackendOption = None,
    address: AddressOption = None,
    anew: AnewOption = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="The table of one score as Markdown.")] = False,
    form: Annotated[
        StudyForm,
        typer.Option(
            "--format",
            help="For people, all means as JSON or CSV, or as table: one score with differences and p, in CSV.",
        ),
    ] = StudyForm.text,
) -> None:
    """Build every case under every variant at every budget, and print the means of the scores.

    Means have 95 % intervals, and each variant is compared with a baseline on the same cases. With the
    word retention: how much of the messages that answers need each strategy keeps, at budgets of the history alone.
    """
    from ctxlab.cli.commands.study import RunOptions, ShownAs, print_retention, print_study_file

    if markdown and form is not StudyForm.text:
        raise typer.BadParameter(f"--markdown and --format {form.value} are two forms; give one of them")
    shown = ShownAs(form.value, markdown, baseline, score, figure)
    run_options = RunOptions(out, processes, backend.value if backend else None, address, anew)
    if what != "retention":
        given = {"DATA": data, "--labels": labels, "--strategies": strategies, "--budgets": budgets, "--limit": limit}
        wrong = next((name for name, value in {**given, "--tokenizer": tokenizer}.items() if value), None)
        if wrong is not None:
            raise typer.BadParameter(f"{wrong} is for ctxlab study retention; a study's file says all that itself")
        print_study_file(Path(what), run_options, shown)
        return
    if data is None:
        raise typer.BadParameter("retention takes DATA: a file of conversations with questions")
    print_retention(
        data,
        run_options,
        shown,
        strategies=names_in(strategies),
        budgets=numbers_in(budgets),
        tokenizer=tokenizer,
        labels=labels,
        limit=limit,
    )


def survey(
    files: Annotated[list[Path], typer.Argument(metavar="FILES...", help="Files and folders with conversations.")],
    strategies: StrategiesOption = "",
    budgets: BudgetsOption = "",
    tokenizer: Annotated[
        str | None, typer.Option("--tokenizer", metavar="T", help="chars4+4, o200k_base, ...; else each model's own.")
    ] = None,
    figure: FigureOption = None,
    out: FolderOption = None,
    processes: ProcessesOption = None,
    backend: BackendOption = None,
    address: AddressOption = None,
    anew: AnewOption = False,
    form: Annotated[
        CellsForm, typer.Option("--format", help="For people, or a row a cell as JSON or CSV.")
    ] = CellsForm.text,
) -> None:
    """Cut many conversations by every strategy at every budget; one that can't be built is a row with its error."""
    from ctxlab.cli.commands.study import RunOptions
    from ctxlab.cli.commands.survey import print_survey

    print_survey(
        files,
        RunOptions(out, processes, backend.value if backend else None, address, anew),
        strategies=names_in(strategies),
        budgets=numbers_in(budgets),
        tokenizer=tokenizer,
        figure=figure,
        form=form.value,
    )
