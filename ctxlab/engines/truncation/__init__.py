"""Which messages go when not all fit: units, a protocol, and the strategies."""

from ctxlab.engines.truncation.adaptive import Adaptive
from ctxlab.engines.truncation.budget_report import BudgetReport
from ctxlab.engines.truncation.by_priority import ByPriority
from ctxlab.engines.truncation.by_rank import RanksMessages
from ctxlab.engines.truncation.head_and_tail import HeadAndTail
from ctxlab.engines.truncation.least_room import Kept, KeptRange, LeastRoom, least_room
from ctxlab.engines.truncation.middle_out import MiddleOut
from ctxlab.engines.truncation.recent_and_relevant import RecentAndRelevant
from ctxlab.engines.truncation.registry import GROUP, STRATEGIES, Strategies, settings_of, strategies
from ctxlab.engines.truncation.relevant import ByMeaning, ByWords, ByWordsAndMeaning, Relevant
from ctxlab.engines.truncation.shorten_messages import SHORTENED, Shortening, head_length
from ctxlab.engines.truncation.sliding import Sliding
from ctxlab.engines.truncation.steady_block_cut import Block
from ctxlab.engines.truncation.strategy import Border, Reason, Strategy, Traits, Verdict, Window
from ctxlab.engines.truncation.summary_and_relevant import SummaryAndRelevant
from ctxlab.engines.truncation.unit_costs import MessageCost, Unit, UnitCost, UnitCosts, newest_first
from ctxlab.engines.truncation.whole_exchanges import WholeExchanges
from ctxlab.public_names import listed

__all__ = [
    "GROUP",
    "SHORTENED",
    "STRATEGIES",
    "Adaptive",
    "Block",
    "Border",
    "BudgetReport",
    "ByMeaning",
    "ByPriority",
    "ByWords",
    "ByWordsAndMeaning",
    "HeadAndTail",
    "Kept",
    "KeptRange",
    "LeastRoom",
    "MessageCost",
    "MiddleOut",
    "RanksMessages",
    "Reason",
    "RecentAndRelevant",
    "Relevant",
    "Shortening",
    "Sliding",
    "Strategies",
    "Strategy",
    "SummaryAndRelevant",
    "Traits",
    "Unit",
    "UnitCost",
    "UnitCosts",
    "Verdict",
    "WholeExchanges",
    "Window",
    "head_length",
    "least_room",
    "newest_first",
    "settings_of",
    "strategies",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
