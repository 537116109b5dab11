"""Operations on a tree and its history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.golden.cases import Case
from tests.golden.forms import Data
from tests.golden.rules.plain_tree import MOST_STATES, ROLES, STRUCTURE, Tree
from tests.golden.rules.rule import Rule

CREATING = ("N.createMessagePair", "N.createRegenerateBranch", "N.createContinuationBranch")


def _ours(case: Case) -> Data:
    return Tree(case).result()


# --- the rules


def _operations(case: Case) -> Iterator[tuple[Any, ...]]:
    return (tuple(operation) for operation in case.input["operations"])


def _names(case: Case) -> list[str]:
    return [name for name, *_ in _operations(case)]


def _goes(case: Case, *after: str) -> bool:
    """Whether any of these operations is followed by undo, redo or a jump."""
    names = _names(case)
    first = min((names.index(name) for name in after if name in names), default=len(names))
    return any(name in ("undo", "redo", "jump") for name in names[first:])


def _makes_messages(case: Case) -> bool:
    return any(name in CREATING for name in _names(case))


def _moves_the_leaf_and_goes(case: Case) -> bool:
    return _goes(case, "createBranch", "createBranchFromEdit", "switchBranch", "deleteMessage")


def _moves_and_goes(case: Case) -> bool:
    return _goes(case, "moveNode")


def _grafts_to_where_it_is(case: Case) -> bool:
    nodes = case.input["nodes"]
    return any(
        name == "graftBranch" and nodes.get(args[0], {}).get("parentId") == args[1] for name, *args in _operations(case)
    )


def _deletes_a_summary_again(case: Case) -> bool:
    nodes = case.input["nodes"]
    summaries = {key for key, node in nodes.items() if node["metadata"].get("isCompressionNode")}
    deleted = {args[0] for name, *args in _operations(case) if name == "deleteMessage"}
    return bool(summaries & deleted) and _goes(case, "deleteMessage")


def _jumps_beyond_the_oldest_snapshot(case: Case) -> bool:
    return len(case.input["operations"]) >= MOST_STATES and _goes(case, "editMessage")


def _deletes_before_a_choice(case: Case) -> bool:
    """Whether the leaf goes with a branch, and there is more than one way down from the branch beside it."""
    tree = Tree(replace(case, input={**case.input, "operations": []}))
    return any(
        name == "deleteMessage"
        and args[0] in tree.up(tree.leaf)
        and tree.nodes[args[0]]["parentId"] is not None
        and any(
            len(tree.children(key)) > 1
            for sibling in tree.children(tree.nodes[args[0]]["parentId"])
            if sibling != args[0]
            for key in tree.down(sibling)
        )
        for name, *args in _operations(case)
    )


def _turns_to_the_sibling_of_an_only_child(case: Case) -> bool:
    nodes = case.input["nodes"]
    only = {node["childrenIds"][0] for node in nodes.values() if len(node["childrenIds"]) == 1}
    return any(name == "B.switchToSiblingBranch" and args[0] in only for name, *args in _operations(case))


def _updates_what_it_must_not(case: Case) -> bool:
    return any(
        name == "updateNodeData" and (STRUCTURE & args[1].keys() or args[1].get("role", "user") not in ROLES)
        for name, *args in _operations(case)
    )


def _clears(case: Case) -> bool:
    return "clearHistory" in _names(case)


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
        _turns_to_the_sibling_of_an_only_child,
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
)
