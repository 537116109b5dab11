"""Comparisons of runs, analyses of one context, landings of injections, and figures of them."""

from ctxlab.public_names import listed
from ctxlab.studies.attachment_figure import attachment_figure
from ctxlab.studies.budget_figure import budget_figure
from ctxlab.studies.budget_share import budget_for_share
from ctxlab.studies.budget_sums import BudgetSums, border_sum, budget_sums
from ctxlab.studies.comparison import Cell, Comparison, ComparisonLine, NamedRun, compare
from ctxlab.studies.comparison_summary import ComparisonSummary, comparison_summary
from ctxlab.studies.context_analysis import Analysis, AnalysisRow, analysis_of
from ctxlab.studies.injection_figure import injection_figure
from ctxlab.studies.landings import Injection, Landing, Landings, landings
from ctxlab.studies.lore_timeline import LoreTimeline
from ctxlab.studies.request_comparison import RequestComparison, RequestDifference, compare_requests
from ctxlab.studies.run_changes import RunChange, RunChanges, run_changes
from ctxlab.studies.run_effect import MessageEffect, RunEffect, run_effect
from ctxlab.studies.run_summary import RunSummary, SummaryPart, run_summary
from ctxlab.studies.sent_files import SentFile, sent_files
from ctxlab.studies.sent_prompt import CutMessage, SentPrompt, sent_prompt

__all__ = [
    "Analysis",
    "AnalysisRow",
    "BudgetSums",
    "Cell",
    "Comparison",
    "ComparisonLine",
    "ComparisonSummary",
    "CutMessage",
    "Injection",
    "Landing",
    "Landings",
    "LoreTimeline",
    "MessageEffect",
    "NamedRun",
    "RequestComparison",
    "RequestDifference",
    "RunChange",
    "RunChanges",
    "RunEffect",
    "RunSummary",
    "SentFile",
    "SentPrompt",
    "SummaryPart",
    "analysis_of",
    "attachment_figure",
    "border_sum",
    "budget_figure",
    "budget_for_share",
    "budget_sums",
    "compare",
    "compare_requests",
    "comparison_summary",
    "injection_figure",
    "landings",
    "run_changes",
    "run_effect",
    "run_summary",
    "sent_files",
    "sent_prompt",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
