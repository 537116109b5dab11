"""Users' patterns, run so that none can hang the program."""

from ctxlab.engines.regexes.search import BadPattern, found

__all__ = ["BadPattern", "found"]
