"""The prefix of recorded requests: how much each begins as the one before, what broke it, and what that costs."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
