"""Session variables: what an agent defines, what `<svar …/>` in messages writes, what `$[path]` reads.

Another thing than the variables that macros set.
"""

from ctxlab.engines.variables.definitions import Definition, Definitions, definitions_of
from ctxlab.engines.variables.reads import Reading, readings
from ctxlab.engines.variables.render import FORMATS, panel
from ctxlab.engines.variables.replay import Change, Fold
from ctxlab.engines.variables.values import MISSING, Compat, Values, as_text, look_up, number_of, put
from ctxlab.engines.variables.writes import Tag, Tags, tags_in

__all__ = [
    "FORMATS",
    "MISSING",
    "Change",
    "Compat",
    "Definition",
    "Definitions",
    "Fold",
    "Reading",
    "Tag",
    "Tags",
    "Values",
    "as_text",
    "definitions_of",
    "look_up",
    "number_of",
    "panel",
    "put",
    "readings",
    "tags_in",
]
