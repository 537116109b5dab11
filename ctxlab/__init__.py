"""See what an LLM chat program builds before it sends: every character, every cut, every cause.

Importing the package loads nothing; each name of `__init__.pyi` is imported when it is first used.
"""

from ctxlab.public_names import names_of_stub

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
