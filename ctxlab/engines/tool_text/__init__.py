"""Tools in the text of messages: how a model is told of them, and the calls that it writes."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
