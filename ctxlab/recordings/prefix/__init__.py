"""The prefix of recorded requests: how much each begins as the one before, what broke it, and what that costs."""

from ctxlab.recordings.prefix.report import FrozenPrefix, PrefixReport
from ctxlab.recordings.prefix.request_prefix import (
    CAUSES,
    STATES,
    CauseKind,
    PrefixCause,
    PrefixState,
    ReportedPrefix,
    RequestPrefix,
)

__all__ = [
    "CAUSES",
    "STATES",
    "CauseKind",
    "FrozenPrefix",
    "PrefixCause",
    "PrefixReport",
    "PrefixState",
    "ReportedPrefix",
    "RequestPrefix",
]
