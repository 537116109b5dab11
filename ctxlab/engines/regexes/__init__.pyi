from ctxlab.engines.regexes.first_matches import FirstMatches as FirstMatches
from ctxlab.engines.regexes.first_matches import first_matches as first_matches
from ctxlab.engines.regexes.pattern import Pattern as Pattern
from ctxlab.engines.regexes.pattern import parse_pattern as parse_pattern
from ctxlab.engines.regexes.python_limited_search import BadPattern as BadPattern
from ctxlab.engines.regexes.python_limited_search import found as found
from ctxlab.engines.regexes.v8 import RegexEngineUnavailable as RegexEngineUnavailable
from ctxlab.engines.regexes.words_or_pattern import WordsOrPattern as WordsOrPattern
