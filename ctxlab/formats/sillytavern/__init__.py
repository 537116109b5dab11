"""SillyTavern's files: cards, presets, lorebooks, regex scripts and chats, in and out.

Reading goes by `ctxlab.read`; here is what takes more than a file's name to say.
"""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
