"""The last step: the text that a model reads of a run, with the origin of each character."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
