"""The text of files: one file a type, behind one registry. Nothing is imported before a file of its type is read."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
