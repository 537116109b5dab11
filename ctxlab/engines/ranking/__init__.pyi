from ctxlab.engines.ranking.ranker import Candidate as Candidate
from ctxlab.engines.ranking.ranker import Ranker as Ranker
from ctxlab.engines.ranking.ranker import RankerFunction as RankerFunction
from ctxlab.engines.ranking.ranker import Ranking as Ranking
from ctxlab.engines.ranking.ranker import as_ranker as as_ranker
from ctxlab.engines.ranking.ranks import ordinal as ordinal
from ctxlab.engines.ranking.ranks import ranks as ranks
