"""Lore activation: which entries fire, by which key, and the nearest change for the others. Usable alone.

>>> from ctxlab.documents.lore import LoreEntry, Worldbook
>>> book = Worldbook(id="b", entries={"0": LoreEntry(key=("dragon",), content="Dragons breathe fire.")})
>>> chat = Chat((ScannedMessage("m1", "A Dragon!"),))
>>> scan(ScanInput((ActiveBook(book),), chat))
LoreScan(1 of 1 entries fire, 21 tokens, 2 passes)
"""

from ctxlab.public_names import names_of_stub

__getattr__, __dir__, __all__ = names_of_stub(__name__, __file__)
