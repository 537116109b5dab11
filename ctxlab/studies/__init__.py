"""What runs teach: contexts taken apart, runs side by side, and both as pictures."""

from ctxlab.studies.analysis import Analysis, Piece, analysis_of
from ctxlab.studies.budget_figure import budget_figure
from ctxlab.studies.comparison import Cell, Comparison, Line, compare
from ctxlab.studies.injection_figure import injection_figure
from ctxlab.studies.lore import book_frame, book_from_frame
from ctxlab.studies.lore_timeline import LoreTimeline
from ctxlab.studies.placing import Injection, Landing, Placing, placing

__all__ = [
    "Analysis",
    "Cell",
    "Comparison",
    "Injection",
    "Landing",
    "Line",
    "LoreTimeline",
    "Piece",
    "Placing",
    "analysis_of",
    "book_frame",
    "book_from_frame",
    "budget_figure",
    "compare",
    "injection_figure",
    "placing",
]
