"""The content router: artifacts as a model of given capabilities gets them, and the messages that carry them."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
