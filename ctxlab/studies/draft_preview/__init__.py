"""A message that is being typed, before it is sent: what it takes, what goes and what fires because of it."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
