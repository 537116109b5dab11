"""Users' patterns, run so that none can hang the program."""

from ctxlab.engines.regexes.find import Matches, first_matches
from ctxlab.engines.regexes.pattern import Pattern, parse_pattern
from ctxlab.engines.regexes.safe_search import BadPattern, found
from ctxlab.engines.regexes.v8 import RegexEngineUnavailable

__all__ = ["BadPattern", "Matches", "Pattern", "RegexEngineUnavailable", "first_matches", "found", "parse_pattern"]
