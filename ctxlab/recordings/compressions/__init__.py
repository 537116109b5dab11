"""Compressions that other programs made of their conversations, and what each of them kept."""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
