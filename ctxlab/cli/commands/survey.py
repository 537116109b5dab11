"""`ctxlab survey`: many conversations cut by every strategy at every budget."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ctxlab.api.survey import BUDGETS, survey
from ctxlab.cli.commands.study import RunOptions, announce, print_means, print_rows
from ctxlab.documents.atomic_file import replace_file
from ctxlab.errors import CtxlabError

COUNTS = ("tokens", "messages", "cut_messages")


def print_survey(
    files: Sequence[Path],
    options: RunOptions,
    *,
    strategies: Sequence[str],
    budgets: Sequence[int],
    tokenizer: str | None,
    figure: Path | None,
    as_json: bool,
) -> None:
    """Print a row a cell as JSON, or means for each strategy and budget; write the figure where one is wanted."""
    if figure is not None:
        _refuse_figure(figure)
    result = survey(
        [str(file) for file in files],
        strategies=strategies,
        budgets=tuple(budgets) or BUDGETS,
        tokenizer=tokenizer,
        **options.arguments(),
    )
    announce(result)
    if figure is not None:
        drawn: Any = result.figure()
        replace_file(figure, drawn.to_html(include_plotlyjs=True).encode())
    if as_json:
        columns = result.cell_table.columns
        names = [name for name in columns if name not in ("cell_key", "conversation", "kind", "seed")]
        print_rows([{name: columns[name][i] for name in names} for i in range(len(result))])
    else:
        print_means(result, COUNTS, as_json=False, variant="strategy")


def _refuse_figure(path: Path) -> None:
    """Raise before the run where the page can't be written."""
    if path.is_dir() or path.name in ("", "-"):
        raise CtxlabError(f"{path} is no name of a file to write; give one, such as survey.html")
    if path.suffix.lower() not in (".html", ".htm"):
        raise CtxlabError(f"a figure is HTML, and {path.name} is not; give a name such as {path.stem}.html")
    if not path.parent.is_dir():
        raise CtxlabError(f"there is no folder {str(path.parent)!r} to write {path.name} to")
