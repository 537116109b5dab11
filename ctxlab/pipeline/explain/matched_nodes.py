"""The messages of two paths that are one message: by their ids where these can be trusted, else by what they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import count

from ctxlab.context import BuildInput, Draft
from ctxlab.documents import MessageNode
from ctxlab.pipeline.alignment import ALIKE, aligned, texts_alike

NODE = "node:"


def matched_keys(a: BuildInput, b: BuildInput) -> Callable[[str], str]:
    """For the key of a message of `b`, that of the message of `a` which it is; its own where it is new.

    A key that means another message in `a` gets a number behind it.
    """
    if a.session is b.session and a.leaf_id == b.leaf_id:
        return str
    names = matched_ids(path_of(a), path_of(b))
    if not names:
        return str
    return lambda key: NODE + names.get(key[len(NODE) :], key[len(NODE) :]) if key.startswith(NODE) else key


def path_of(build_input: BuildInput) -> Sequence[MessageNode]:
    """The messages that a run is built from, with the root; none without a leaf."""
    return build_input.session.path(build_input.leaf_id) if build_input.leaf_id else ()


def matched_ids(old: Sequence[MessageNode], new: Sequence[MessageNode]) -> Mapping[str, str]:
    """By the id of a message of the new path that of the old one, where the two differ."""
    known = {node.id: node for node in old}
    is_one_tree = any(known.get(node.id) is node and node.content for node in new)
    there = {node.id for node in new}
    one, other = (
        [node.id if is_one_tree and node.id in ids else _said(node) for node in row]
        for row, ids in ((old, there), (new, known))
    )
    if one == other and all(a.id == b.id for a, b in zip(old, new, strict=True)):
        return {}
    found = aligned(one, other)
    pairs: dict[str, str] = {new[j].id: old[i].id for i, j in found.pairs}
    pairs |= {new[j].id: old[i].id for i, j in found.moved.items()}
    has_own_ids = is_one_tree or all(mine == theirs for mine, theirs in pairs.items())
    taken = set(pairs.values())
    for gone, come in found.blocks():
        left = [old[i] for i in gone if old[i].id not in taken]
        came = [new[j] for j in come if new[j].id not in pairs]
        pairs.update(_other_versions(left, came, has_own_ids=has_own_ids))
    taken = {*pairs.values()}
    for node in new:
        if node.id not in pairs and node.id in known and (node.id in taken or not has_own_ids):
            names = (f"{node.id}~{n}" for n in count(2))
            pairs[node.id] = next(name for name in names if name not in known and name not in there)
    return {mine: theirs for mine, theirs in pairs.items() if mine != theirs}


def said_in(message: MessageNode | Draft) -> tuple[Hashable, ...]:
    """The role, words, calls and files of a message, without its ids, to be compared."""
    if isinstance(message, Draft):
        text, calls, files = str(message.text), message.calls, message.assets
    else:
        text, calls, files = message.content, message.tool_calls, message.attachments or ()
    asked = tuple((call.name, call.arguments) for call in calls)
    return (message.role, text, asked, tuple(file.name for file in files))


def _said(node: MessageNode) -> Hashable:
    return (*said_in(node), node.reasoning)


def are_of_one_conversation(a: BuildInput, b: BuildInput) -> bool:
    """Whether two sessions with one id have most messages of the shorter path in common, whatever their ids."""
    if a.session.id != b.session.id:
        return False
    mine, theirs = (Counter(_said(node) for node in path_of(side) if node.content) for side in (a, b))
    return 2 * (mine & theirs).total() > min(mine.total(), theirs.total())


def _other_versions(
    gone: Sequence[MessageNode], come: Sequence[MessageNode], *, has_own_ids: bool
) -> Iterator[tuple[str, str]]:
    """Messages of one stretch that are other versions of each other: by id, else by their words, in order."""
    ids = {node.id for node in gone}
    if has_own_ids:
        yield from ((node.id, node.id) for node in come if node.id in ids)
        return
    start = 0
    for node in come:
        alike = (n for n in range(start, len(gone)) if _is_version(gone[n], node, is_only_one=len(gone) == len(come)))
        at = next(alike, None)
        if at is not None:
            yield node.id, gone[at].id
            start = at + 1


def _is_version(old: MessageNode, new: MessageNode, *, is_only_one: bool) -> bool:
    if old.role != new.role:
        return False
    return is_only_one or texts_alike(old.content, new.content) >= ALIKE
