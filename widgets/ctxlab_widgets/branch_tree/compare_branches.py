"""The shared history of two branches, in messages and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from ctxlab.documents import MessageNode, Session
    from ctxlab.pipeline.services import TokenCounter


class SharedHistory(TypedDict):
    """Counts of what the paths to two messages share, and of what each has of its own after that."""

    ids: tuple[str, str]
    fork: str | None
    """The last message that both have, where they part; None where they have none."""
    shared: int
    shared_tokens: int
    own: tuple[int, int]
    own_tokens: tuple[int, int]


def shared_history(session: Session, a: str, b: str, tokenizer: TokenCounter) -> SharedHistory:
    """Messages and tokens of the contents alone, without roles, calls and presets."""
    ways = session.path(a), session.path(b)
    same = 0
    for one, other in zip(*ways, strict=False):
        if one.id != other.id:
            break
        same += 1

    def tokens(nodes: tuple[MessageNode, ...]) -> int:
        return sum(tokenizer.count(node.content) for node in nodes)

    shared, (own_a, own_b) = ways[0][:same], (way[same:] for way in ways)
    return {
        "ids": (a, b),
        "fork": shared[-1].id if shared else None,
        "shared": sum(not node.is_empty_root for node in shared),
        "shared_tokens": tokens(shared),
        "own": (len(own_a), len(own_b)),
        "own_tokens": (tokens(own_a), tokens(own_b)),
    }
