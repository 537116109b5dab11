"""See a run: widgets for the notebook, and reports of one file for everywhere else.

Importing the package loads nothing; each name of `__init__.pyi` is imported when it is first used.
"""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
