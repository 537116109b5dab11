"""Ranking: which messages of a conversation bear on a question, and why."""

from ctxlab.engines.ranking.ranker import Candidate, Ranker, RankerFunction, Ranking, as_ranker
from ctxlab.engines.ranking.ranks import ordinal, ranks
from ctxlab.public_names import listed

__all__ = ["Candidate", "Ranker", "RankerFunction", "Ranking", "as_ranker", "ordinal", "ranks"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
