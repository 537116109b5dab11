"""Users' regular expressions, run with limits so that none can hang the program."""

from ctxlab.engines.regexes.first_matches import FirstMatches, first_matches
from ctxlab.engines.regexes.pattern import Pattern, parse_pattern
from ctxlab.engines.regexes.python_limited_search import BadPattern, found
from ctxlab.engines.regexes.v8 import RegexEngineUnavailable
from ctxlab.engines.regexes.words_or_pattern import WordsOrPattern

__all__ = [
    "BadPattern",
    "FirstMatches",
    "Pattern",
    "RegexEngineUnavailable",
    "WordsOrPattern",
    "first_matches",
    "found",
    "parse_pattern",
]
