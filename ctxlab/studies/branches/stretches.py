"""Stretches of messages without forks: the sectors of a sunburst, the smallest put together where there are many."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from typing import Literal

from ctxlab.display.short_texts import counted
from ctxlab.lazy_dataclass import dataclass
from ctxlab.secrets import masked_beginning
from ctxlab.studies.branches.measured_tree import MeasuredTree


@dataclass(slots=True, eq=False)
class Stretch:
    """Messages one after another without a fork; `all_tokens` are theirs and those of everything below.

    `parent` is the number of the stretch above, -1 for none. A *corpus* is above several sessions, *others* are small
    stretches that were put together.
    """

    name: str
    kind: Literal["corpus", "messages", "others"]
    parent: int
    tokens: int = 0
    messages: int = 0
    all_tokens: int = 0
    is_active: bool = True


def stretches(trees: Sequence[MeasuredTree], most: int) -> list[Stretch]:
    """The stretches of all trees, those above before those below; tokens add up whatever is put together."""
    found: list[Stretch] = []
    if len(trees) != 1:
        found.append(Stretch(counted(len(trees), "session"), "corpus", -1))
    for tree in trees:
        _add(found, tree, 0 if found and found[0].kind == "corpus" else -1)
    for number in range(len(found) - 1, -1, -1):
        found[number].all_tokens += found[number].tokens
        if found[number].parent >= 0:
            found[found[number].parent].all_tokens += found[number].all_tokens
    return _fewer(found, most)


def _add(found: list[Stretch], tree: MeasuredTree, above: int) -> None:
    """Append the stretches of one tree."""
    children = tree.shape.children
    at: list[int] = []  # by node, the number of its stretch
    for number, parent in enumerate(tree.shape.parents):
        alone = parent >= 0 and len(children[parent]) == 1 and tree.active[parent] == tree.active[number]
        if alone:
            own = at[parent]
        else:
            node = tree.nodes[number]
            name = (tree.name or tree.id) if parent < 0 else node.content or node.role
            own = len(found)
            found.append(Stretch(masked_beginning(name, 200), "messages", at[parent] if parent >= 0 else above))
            found[own].is_active = tree.active[number]
        at.append(own)
        found[own].tokens += tree.tokens[number]
        found[own].messages += not tree.nodes[number].is_empty_root


def _fewer(found: list[Stretch], most: int) -> list[Stretch]:
    """At most so many of the largest stretches, and one for the rest below each of them."""
    if len(found) <= most:
        return found
    # Half, because each may get a stretch for the rest; one above has no fewer tokens than those below, and is before.
    kept = sorted(nlargest(most // 2, range(len(found)), key=lambda number: (found[number].all_tokens, -number)))
    numbers = {old: new for new, old in enumerate(kept)}
    made = [found[old] for old in kept]
    for each in made:
        each.parent = numbers.get(each.parent, -1)
    rest: dict[int, Stretch] = {}
    for number, each in enumerate(found):
        if number in numbers or each.parent not in numbers:
            continue
        others = rest.setdefault(numbers[each.parent], Stretch("smaller ones", "others", numbers[each.parent]))
        others.tokens += each.all_tokens
        others.all_tokens += each.all_tokens
        others.is_active = False
    return [*made, *rest.values()]
