"""What-ifs in bulk: two configurations over old conversations, one change after another, the smallest context."""

from ctxlab.public_names import listed
from ctxlab.studies.what_if.context_change import ContextChange
from ctxlab.studies.what_if.minimise import Minimised, NeededPiece
from ctxlab.studies.what_if.replay import Replay, ReplayTurn

__all__ = ["ContextChange", "Minimised", "NeededPiece", "Replay", "ReplayTurn"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
