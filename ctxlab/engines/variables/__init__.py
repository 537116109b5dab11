"""Session variables: an agent's definitions, writes by `<svar …/>` in messages, reads by `$[path]`.

Another thing than the variables that macros set.
"""

from ctxlab.engines.variables.definitions import Definition, Definitions, definitions_of
from ctxlab.engines.variables.find_reads import FORMATS, Reading, readings, rendered_variables
from ctxlab.engines.variables.replay import Replay, VariableChange
from ctxlab.engines.variables.svar_tags import Tag, Tags, tags_in
from ctxlab.engines.variables.values_by_path import MISSING, Compat, Values, as_text, look_up, number_of, put
from ctxlab.public_names import listed

__all__ = [
    "FORMATS",
    "MISSING",
    "Compat",
    "Definition",
    "Definitions",
    "Reading",
    "Replay",
    "Tag",
    "Tags",
    "Values",
    "VariableChange",
    "as_text",
    "definitions_of",
    "look_up",
    "number_of",
    "put",
    "readings",
    "rendered_variables",
    "tags_in",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
