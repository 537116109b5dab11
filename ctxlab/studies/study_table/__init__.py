"""A study as a table of means with intervals, and its figures."""

from ctxlab.public_names import listed
from ctxlab.studies.study_table.difference_figure import difference_figure
from ctxlab.studies.study_table.mean_and_difference import mean_score, paired_difference
from ctxlab.studies.study_table.pareto import pareto_frontier
from ctxlab.studies.study_table.pareto_figure import pareto_figure
from ctxlab.studies.study_table.scores_figure import scores_figure
from ctxlab.studies.study_table.study_table import StudyTable, TableRow, study_table

__all__ = [
    "StudyTable",
    "TableRow",
    "difference_figure",
    "mean_score",
    "paired_difference",
    "pareto_figure",
    "pareto_frontier",
    "scores_figure",
    "study_table",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
