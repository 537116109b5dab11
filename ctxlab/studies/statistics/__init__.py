"""Means with intervals, paired differences, tests and power, over conversations."""

from ctxlab.public_names import listed
from ctxlab.studies.statistics.conversation_totals import ConversationTotals, totals_of
from ctxlab.studies.statistics.effect_size import conversations_needed, paired_effect, power_of
from ctxlab.studies.statistics.interval import Interval, Method, interval_of
from ctxlab.studies.statistics.mean_score import MeanScore, mean_of
from ctxlab.studies.statistics.paired_difference import PairedDifference, Verdict, difference_of, with_holm
from ctxlab.studies.statistics.significance import holm, least_p, sign_flip_test, sign_test

__all__ = [
    "ConversationTotals",
    "Interval",
    "MeanScore",
    "Method",
    "PairedDifference",
    "Verdict",
    "conversations_needed",
    "difference_of",
    "holm",
    "interval_of",
    "least_p",
    "mean_of",
    "paired_effect",
    "power_of",
    "sign_flip_test",
    "sign_test",
    "totals_of",
    "with_holm",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
