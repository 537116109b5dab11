"""Full-text search: SQLite's FTS5, Chinese as overlapping pairs of characters, over what stored values say."""

from ctxlab.public_names import listed
from ctxlab.storage.search.hits import Match, SearchHit, Snippet
from ctxlab.storage.search.index import CatchUp, SearchIndex, Source
from ctxlab.storage.search.result import SearchResult

__all__ = ["CatchUp", "Match", "SearchHit", "SearchIndex", "SearchResult", "Snippet", "Source"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
