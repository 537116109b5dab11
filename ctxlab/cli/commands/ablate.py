"""`ctxlab ablate`: single changes of a run and their effect."""

from __future__ import annotations

from collections.abc import Sequence

from ctxlab.cli.commands.build import print_json
from ctxlab.cli.inputs.files import Inputs
from ctxlab.cli.output.run_text import head, losses
from ctxlab.cli.output.terminal import Column, Screen, columns, one_line
from ctxlab.display.progress import progress_of
from ctxlab.display.short_texts import counted, nearest
from ctxlab.errors import CtxlabError
from ctxlab.studies.what_if import Ablation, AblationRow
from ctxlab.studies.what_if.ablate import ablate
from ctxlab.studies.what_if.single_changes import KINDS

MOST_CHANGES = 40
WIDEST_CHANGE, WIDEST_EFFECT = 64, 100


def print_ablation(inputs: Inputs, only: Sequence[str], *, as_json: bool) -> None:
    """One line a change that has an effect, the largest first, and how many have none."""
    wrong = next((kind for kind in only if kind not in KINDS), None)
    if wrong is not None:
        raise CtxlabError(f"--only takes {', '.join(KINDS)}, not {wrong!r}{nearest(wrong, KINDS)}")
    trace = inputs.trace()
    with progress_of("ablate", True) as report:
        found = ablate(trace, only=only or None, progress=report)
    inputs.announce()
    if as_json:
        print_json([row.as_data() for row in found])
        return
    screen = Screen()
    head(screen, trace)
    losses(screen, inputs.losses)
    screen.blank()
    _print_changes(screen, found)


def _print_changes(screen: Screen, found: Ablation) -> None:
    rows = [row for row in found if row.effect]
    if rows:
        titles = (Column("change", style="step"), Column("± tokens", right=True), Column("effect"))
        columns(screen, titles, [_line(row) for row in rows[:MOST_CHANGES]])
        screen.blank()
    if len(rows) > MOST_CHANGES:
        screen.line((f"{len(rows) - MOST_CHANGES:,} more have an effect; --format json has all", "dim"))
    idle = len(found) - len(rows)
    screen.line((f"{idle:,} of {counted(len(found), 'change')} without effect", "dim"))


def _line(row: AblationRow) -> tuple[str, str, str]:
    change, effect = row.change, row.effect
    title = f" ({change.title})" if change.title else ""
    words = one_line(f"{change}{title}", cells=WIDEST_CHANGE)
    return words, f"{effect.tokens:+,}" if effect.tokens else "·", one_line(str(effect), cells=WIDEST_EFFECT)
