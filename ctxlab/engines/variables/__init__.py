"""Session variables: what an agent defines, what `<svar …/>` in messages writes, what `$[path]` reads.

Another thing than the variables that macros set.
"""

from ctxlab.engines.variables.definitions import Definition, Definitions, definitions_of
from ctxlab.engines.variables.folding import Change, Fold
from ctxlab.engines.variables.panels import FORMATS, panel
from ctxlab.engines.variables.reading import Reading, readings
from ctxlab.engines.variables.tags import Tag, Tags, tags_in
from ctxlab.engines.variables.values import MISSING, Compat, Values, as_text, look_up, number_of, put

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
