"""Parameters of requests: read from agent, session and call, then settled for one model."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
