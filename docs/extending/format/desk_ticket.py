"""Tickets of a help desk: `{"ticket": 7, "talk": [{"by": "customer", "says": "..."}]}`."""

from typing import Any

from ctxlab.documents import Session
from ctxlab.formats import Export, Format, Import, Loss

ROLES = {"customer": "user", "desk": "assistant"}
WRITERS = {"user": "customer", "assistant": "desk"}


def sniff(data: Any) -> bool:
    """Whether parsed JSON is a ticket; every other format is asked before a plugin's."""
    return isinstance(data, dict) and "ticket" in data and isinstance(data.get("talk"), list)


def read(source: Any) -> Import:
    """The talk as a session of one branch; what can't be kept is named."""
    session = Session(id=f"ticket-{source.data['ticket']}")
    losses: list[Loss] = []
    for number, turn in enumerate(source.data["talk"]):
        if not isinstance(turn, dict) or not isinstance(turn.get("says"), str):
            losses.append(Loss(f"talk[{number}]", "nothing is said in it; left out"))
            continue
        if turn.get("by") not in ROLES:
            losses.append(Loss(f"talk[{number}]", f"by {turn.get('by')!r:.40}; it is the user's now", "by"))
        session = session.append(turn["says"], role=ROLES.get(str(turn.get("by")), "user"))
    return Import((session,), losses=tuple(losses))


def write(found: Import, pick: int | str | None) -> Export[bytes]:
    """The active branch as a ticket, with a loss for every message that has no place in one."""
    session = found.pick(pick)
    talk: list[dict[str, str]] = []
    losses: list[Loss] = []
    for node in session.path():
        if node.role in WRITERS:
            talk.append({"by": WRITERS[node.role], "says": node.content})
        elif node.content:
            losses.append(Loss(str(node.id), f"a {node.role} message; left out"))
    ticket = str(session.id).removeprefix("ticket-")
    return Export({"ticket": ticket, "talk": talk}, tuple(losses)).as_bytes()


DESK_TICKET = Format(
    "desk-ticket", "ticket", (".ticket.json",), sniff=sniff, read=read, write=write, holds=("sessions",)
)
