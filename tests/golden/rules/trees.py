"""Operations on a tree and its history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.rules.plain_tree import MOST_STATES, ROLES, STRUCTURE, Tree
from tests.golden.rules.rule import Rule
from tests.golden.tree_operations import Operation, read_operation

CREATING = ("pair", "regenerate", "continue", "add")
TRAVELS = ("undo", "redo", "jump")


def _ours(case: Case) -> Data:
    return Tree(case).result()


def _happens(event: str) -> Callable[[Case], bool]:
    """Whether the plain tree meets with this when it does what the case does."""
    return lambda case: event in Tree(case).events


# --- the rules


def _operations(case: Case) -> list[Operation]:
    return [read_operation(operation) for operation in case.input["operations"]]


def _names(case: Case) -> list[str]:
    return [operation.name for operation in _operations(case)]


def _goes(case: Case, *after: str) -> bool:
    """Whether any of these operations is followed by undo, redo or a jump."""
    names = _names(case)
    first = min((names.index(name) for name in after if name in names), default=len(names))
    return any(name in TRAVELS for name in names[first:])


def _makes_messages(case: Case) -> bool:
    return any(
        operation.name in CREATING or (operation.name == "branch from edit" and not operation.is_recorded)
        for operation in _operations(case)
    )


def _moves_the_leaf_and_goes(case: Case) -> bool:
    return _goes(case, "branch", "branch from edit", "switch", "delete")


def _moves_and_goes(case: Case) -> bool:
    return _goes(case, "move")


def _grafts_to_where_it_is(case: Case) -> bool:
    nodes = case.input["nodes"]
    return any(
        name == "graft" and nodes.get(args[0], {}).get("parentId") == args[1] for name, args, _ in _operations(case)
    )


def _deletes_a_summary_again(case: Case) -> bool:
    nodes = case.input["nodes"]
    summaries = {key for key, node in nodes.items() if (node.get("metadata") or {}).get("isCompressionNode")}
    deleted = {args[0] for name, args, _ in _operations(case) if name == "delete"}
    return bool(summaries & deleted) and _goes(case, "delete")


def _jumps_beyond_the_oldest_snapshot(case: Case) -> bool:
    return len(case.input["operations"]) >= MOST_STATES and _goes(case, "edit")


def _deletes_before_a_choice(case: Case) -> bool:
    """Whether the leaf goes with a branch, and there is more than one way down from the branch beside it."""
    tree = Tree(replace(case, input={**case.input, "operations": []}))
    return any(
        name == "delete"
        and args[0] in tree.up(tree.leaf)
        and tree.nodes[args[0]]["parentId"] in tree.nodes
        and any(
            len(tree.children(key)) > 1
            for sibling in tree.children(tree.nodes[args[0]]["parentId"])
            if sibling != args[0] and sibling in tree.nodes
            for key in tree.down(sibling)
        )
        for name, args, _ in _operations(case)
    )


def _updates_what_it_must_not(case: Case) -> bool:
    return any(
        name == "update" and (STRUCTURE & args[1].keys() or args[1].get("role", "user") not in ROLES)
        for name, args, _ in _operations(case)
    )


def _clears(case: Case) -> bool:
    return "clear history" in _names(case)


FILES = ("tree_ops",)
RULES = (
    Rule(
        "systems 1.3, new messages",
        "Who makes a message goes on from it: pair, regenerate and continue move the leaf and its memory themselves.",
        FILES,
        _makes_messages,
        _ours,
    ),
    Rule(
        "systems 1.3, leaf after delete",
        "After a branch is deleted one stands where switching to the branch beside it leads, not at its last leaf.",
        FILES,
        _deletes_before_a_choice,
        _ours,
    ),
    Rule(
        "systems 1.3, only child",
        "Where there is no branch beside, going to it changes nothing; the reference cuts the path off at the node.",
        FILES,
        _happens("only child"),
        _ours,
    ),
    Rule(
        "systems 1.3, data editor",
        "A role that doesn't exist and links that would break the tree are refused as a whole, not half of them set.",
        FILES,
        _updates_what_it_must_not,
        _ours,
    ),
    Rule(
        "systems 2.5.1",
        "Active leaf and branch memory are part of a state: they come back with it, in both directions.",
        FILES,
        _moves_the_leaf_and_goes,
        _ours,
    ),
    Rule(
        "systems 2.5.2",
        "Redoing a move is the move; the reference's takes the children along.",
        FILES,
        _moves_and_goes,
        _ours,
    ),
    Rule(
        "systems 2.5.3",
        "A graft to where the branch hangs already is no step, so it can't double a child when it is redone.",
        FILES,
        _grafts_to_where_it_is,
        _ours,
    ),
    Rule(
        "systems 2.5.4",
        "After a summary was deleted, restored and deleted again, its children hang where they hung the first time.",
        FILES,
        _deletes_a_summary_again,
        _ours,
    ),
    Rule(
        "systems 2.5.5",
        "The oldest state stays within reach when older ones go; the reference loses all of them.",
        FILES,
        _jumps_beyond_the_oldest_snapshot,
        _ours,
    ),
    Rule(
        "decisions, History",
        "Sending sets a breakpoint at which undo stops; the reference throws away what was before.",
        FILES,
        _clears,
        _ours,
    ),
    Rule(
        "systems 1.3, missing parents",
        "A message needs a place: ours refuses one below a node that isn't there, the reference loses it.",
        FILES,
        _happens("missing parent"),
        _ours,
    ),
    Rule(
        "systems 1.3, unknown nodes",
        "Beside a node that doesn't exist there is nothing to look at; the reference's leaf is then a node that isn't.",
        FILES,
        _happens("no such node"),
        _ours,
    ),
    Rule(
        "systems 1.3, one root",
        "A root has nothing beside it; the reference makes a second one, which no path reaches.",
        FILES,
        _happens("second root"),
        _ours,
    ),
    Rule(
        "systems 1.3, transferred children",
        "They come after the children that are there and never below themselves; the reference loses the former.",
        FILES,
        _happens("children of the heir"),
        _ours,
    ),
    Rule(
        "systems 1.3, moved messages",
        "The children of a message that is moved take its place, so that the branches beside it keep their order.",
        FILES,
        _happens("place of the moved"),
        _ours,
    ),
    Rule(
        "systems 1.3, relation to itself",
        "A message is the same as itself, and no sibling of its own.",
        FILES,
        _happens("itself"),
        _ours,
    ),
    Rule(
        "decisions, Nodes: caches",
        "What was computed from a text goes with it, and a copy has nothing of the run that wrote the original.",
        FILES,
        _happens("stale metadata"),
        _ours,
    ),
    Rule(
        "systems 1.5",
        "A tree is sound when all of its links fit; the reference doesn't look for circles, doubles and lost branches.",
        FILES,
        _happens("broken tree"),
        _ours,
    ),
    Rule(
        "systems 2.4",
        "Undo and redo keep what is no step of its own; the reference drops it without a word.",
        FILES,
        _happens("unrecorded"),
        _ours,
    ),
    Rule(
        "decisions, History: no change",
        "What changes nothing is no step.",
        FILES,
        _happens("no change"),
        _ours,
    ),
)
