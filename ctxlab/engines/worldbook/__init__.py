"""Lore activation: which entries fire, by which key, and the nearest change for the others. Usable alone.

>>> from ctxlab.documents.lore import LoreEntry, Worldbook
>>> book = Worldbook(id="b", entries={"0": LoreEntry(key=("dragon",), content="Dragons breathe fire.")})
>>> chat = Chat((ScannedMessage("m1", "A Dragon!"),))
>>> scan(ScanInput((ActiveBook(book),), chat))
LoreScan(1 of 1 entries fire, 21 tokens, 2 passes)
"""

from ctxlab.engines.worldbook.counterfactual.apply import with_change, with_entry
from ctxlab.engines.worldbook.counterfactual.change import NearestChange
from ctxlab.engines.worldbook.decision import Decision
from ctxlab.engines.worldbook.gates import GATES
from ctxlab.engines.worldbook.growing_chat import FirstItems, GrowingChat
from ctxlab.engines.worldbook.key_matches import MatchedKey
from ctxlab.engines.worldbook.prepared_entry import PreparedEntry, in_order
from ctxlab.engines.worldbook.scan import LoreScan, scan
from ctxlab.engines.worldbook.scan_input import ActiveBook, Chat, Level, ScanInput, ScannedMessage, ScanSettings, Source
from ctxlab.public_names import listed

__all__ = [
    "GATES",
    "ActiveBook",
    "Chat",
    "Decision",
    "FirstItems",
    "GrowingChat",
    "Level",
    "LoreScan",
    "MatchedKey",
    "NearestChange",
    "PreparedEntry",
    "ScanInput",
    "ScanSettings",
    "ScannedMessage",
    "Source",
    "in_order",
    "scan",
    "with_change",
    "with_entry",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
