"""Functions that `import ctxlab` offers: read, load, write, build, debug, diff, and macros, rules and lore alone."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
