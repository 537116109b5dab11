"""The session of a run as its tree shows it."""

from __future__ import annotations

from ctxlab.documents import Session
from ctxlab.pipeline import Trace


def session_of_run(trace: Trace) -> Session:
    """The session of a run, looking at the leaf that was built."""
    session, leaf = trace.start.input.session, trace.start.input.leaf
    return session if leaf in (None, session.active_leaf_id) else session.switched(leaf)
