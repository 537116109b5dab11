"""Requests of vendors: the body that is posted, its places, what would be refused and what it has no room for."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
