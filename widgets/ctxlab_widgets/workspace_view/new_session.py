"""A session that begins now."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import ctxlab
from ctxlab.documents import Agent, Session

NAME = "New session"


def begun(agent: Agent | None) -> Session:
    """A new session with an id of its own and the greetings of the agent, if there is one."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")  # noqa: TID251  (it begins when it is asked for)
    id = f"session-{uuid4().hex[:12]}"
    if agent is not None:
        return ctxlab.begin(agent, id=id, name=NAME, timestamp=now).with_(created_at=now)
    return Session(id=id, name=NAME, created_at=now).append("", role="system", timestamp=now)
