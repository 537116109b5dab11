"""`ctxlab survey`: many conversations cut by every strategy at every budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ctxlab.api.survey import BUDGETS, survey
from ctxlab.cli.commands.study import (
    RunOptions,
    ShownAs,
    TableForm,
    announce,
    interrupts_told,
    print_result,
    print_rows,
)
from ctxlab.cli.output.figure_page import refuse_page, write_page
from ctxlab.errors import ReadError

COUNTS = ("tokens", "messages", "cut_messages")


def print_survey(
    files: Sequence[Path],
    options: RunOptions,
    *,
    strategies: Sequence[str],
    budgets: Sequence[int],
    tokenizer: str | None,
    figure: Path | None,
    form: TableForm,
) -> None:
    """Print a row a cell as JSON or CSV, or means for each strategy and budget; write the figure if one is wanted."""
    options.check()
    if figure is not None:
        refuse_page(figure, "survey.html")
    missing = next((file for file in files if not file.expanduser().exists()), None)
    if missing is not None:
        raise ReadError(f"{missing} does not exist")
    with interrupts_told():
        result = survey(
            [str(file) for file in files],
            strategies=strategies,
            budgets=tuple(budgets) or BUDGETS,
            tokenizer=tokenizer,
            **options.arguments(),
        )
    announce(result, options.out)
    if figure is not None:
        write_page(result.figure(), figure)
    if form != "text":
        columns = result.cell_table.columns
        names = [name for name in columns if name not in ("cell_key", "conversation", "kind", "seed")]
        print_rows([{name: columns[name][i] for name in names} for i in range(len(result))], form)
    else:
        print_result(result, COUNTS, ShownAs(), variant="strategy")
