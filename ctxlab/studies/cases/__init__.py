"""Cases for studies: conversations with questions and labelled evidence, and the setting in which they are built."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
