"""Two configurations over old conversations, single changes, places, the smallest context."""

from ctxlab.public_names import listed
from ctxlab.studies.what_if.ablate import Ablation, AblationRow
from ctxlab.studies.what_if.context_change import ContextChange
from ctxlab.studies.what_if.minimise import Minimised, NeededPiece
from ctxlab.studies.what_if.replay import Replay, ReplayTurn
from ctxlab.studies.what_if.single_changes import SingleChange
from ctxlab.studies.what_if.sweep import Sweep, SweepRow

__all__ = [
    "Ablation",
    "AblationRow",
    "ContextChange",
    "Minimised",
    "NeededPiece",
    "Replay",
    "ReplayTurn",
    "SingleChange",
    "Sweep",
    "SweepRow",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
