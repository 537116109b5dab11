"""The message at which two conversations, requests or runs part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.context import Context, Draft
from ctxlab.context.equal_stretch import equal_after
from ctxlab.display.html_table import fields_table, heading
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import MessageNode, Session
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Trace
from ctxlab.pipeline.alignment import aligned
from ctxlab.pipeline.explain.matched_nodes import said_in
from ctxlab.recordings.recorded_request import RecordedRequest

SHOWN = 40
"""Characters of each side that the sentence shows."""
Messages = Sequence[MessageNode] | Sequence[Draft]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parting:
    """The end of what two conversations begin with; falsy where they are the same to the end.

    `same` are the messages of both in front of it. `a` and `b` are the first messages that differ, None where a
    conversation has ended; `at` is the character, from 0, up to which their words agree. `later` are messages behind
    it that both have again, in the same order.
    """

    same: int
    a: MessageNode | Draft | None
    b: MessageNode | Draft | None
    at: int = 0
    later: int = 0

    def __bool__(self) -> bool:
        return self.a is not None or self.b is not None

    @property
    def sentence(self) -> str:
        """The place and both sides in words."""
        begins = f"Both begin with the same {counted(self.same, 'message')}" if self.same else "No message is the same"
        if self.a is None or self.b is None:
            going_on = "b" if self.b is not None else "a"
            if self:
                return f"{begins}; {going_on} goes on."
            return f"{begins}, and that is all of them." if self.same else "Neither has a message."
        words = [short(_text(each)[self.at :], SHOWN) for each in (self.a, self.b)]
        roles = self.a.role if self.a.role == self.b.role else f"{self.a.role} in a, {self.b.role} in b"
        again = f"; {counted(self.later, 'message')} behind it {'is' if self.later == 1 else 'are'} in both again"
        return (
            f"{begins}; message {self.same + 1:,} ({roles}) differs from character {self.at + 1:,} on: "
            f"{words[0]!r} in a, {words[1]!r} in b{again if self.later else ''}."
        )

    def row(self) -> dict[str, Any]:
        """The place as a row of a table."""
        texts = [_text(each) if each is not None else None for each in (self.a, self.b)]
        number = self.same + 1 if self else None
        return {"number": number, "same": self.same, "at": self.at, "a": texts[0], "b": texts[1], "later": self.later}

    def __repr__(self) -> str:
        return f"Parting({self.sentence!r})"

    def _repr_html_(self) -> str:
        return heading(self) + fields_table(self.row())


@checked_arguments
def parted(a: Session | RecordedRequest | Trace | Context, b: Session | RecordedRequest | Trace | Context) -> Parting:
    """The first message at which two conversations are no longer the same, by what they say; ids don't count.

    Of a session the path to its active leaf is compared, of a run or a recorded request what is sent. Messages without
    words and calls, such as a session's root, are left out.
    """
    one, other = (_messages(each) for each in (a, b))
    mine, theirs = ([said_in(each) for each in side] for side in (one, other))
    shortest = min(len(mine), len(theirs))
    same = next((n for n in range(shortest) if mine[n] != theirs[n]), shortest)
    first, second = (side[same] if same < len(side) else None for side in (one, other))
    at = equal_after(_text(first), _text(second)) if first is not None and second is not None else 0
    return Parting(same, first, second, at, len(aligned(mine[same:], theirs[same:]).pairs))


def _messages(of: Session | RecordedRequest | Trace | Context) -> Messages:
    if isinstance(of, Session):
        nodes = of.path() if of.leaf else ()
        return [node for node in nodes if node.content or node.tool_calls or node.attachments]
    if isinstance(of, RecordedRequest):
        of = of.trace
    return (of.result if isinstance(of, Trace) else of).drafts


def _text(message: MessageNode | Draft) -> str:
    return message.content if isinstance(message, MessageNode) else str(message.text)
