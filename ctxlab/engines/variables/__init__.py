"""Session variables: an agent's definitions, writes by `<svar …/>` in messages, reads by `$[path]`.

Another thing than the variables that macros set.
"""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
