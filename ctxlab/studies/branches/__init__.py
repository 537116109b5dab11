"""Branches of conversations: tokens counted once, what was abandoned, what it cost, branches that are nearly equal."""

from ctxlab.public_names import listed
from ctxlab.studies.branches.session_branches import SessionBranches, session_branches
from ctxlab.studies.branches.token_flow import TokenFlow, token_flow

__all__ = ["SessionBranches", "TokenFlow", "session_branches", "token_flow"]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
