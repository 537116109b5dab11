"""The branches of one session or of many, as frames and figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.data_frame import frame_of
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted
from ctxlab.display.theme import ThemeName
from ctxlab.documents import Session
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline.services import TokenCounter
from ctxlab.providers.tokenizers import tokenizer_for
from ctxlab.studies.branches.measured_tree import MeasuredTree, measured_tree

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

NODE_COLUMNS = (
    *("session", "node", "parent", "branch", "depth", "role", "kind", "tokens", "path_tokens", "prompt_tokens"),
    *("siblings", "children", "on_active_path", "leaf", "edited", "model", "timestamp", "seconds"),
)
BRANCH_COLUMNS = (
    *("session", "branch", "node", "diverges_at", "diverges_depth", "kind", "depth", "messages", "tokens"),
    *("path_tokens", "shared_tokens", "prompt_tokens", "on_active_path", "first", "last", "seconds"),
)
SHOWN_OF_A_BRANCH = ("branch", "node", "diverges_at", "kind", "messages", "tokens", "path_tokens")
"""Columns of the table of one session, the leaf's id in `node`."""
SUMMARY_COLUMNS = (
    *(
        "session",
        "program",
        "file",
        "messages",
        "leaves",
        "depth",
        "tokens",
        "active_tokens",
        "disabled_tokens",
        "abandoned_tokens",
    ),
    *(
        "abandoned_share",
        "regenerations",
        "edits",
        "prompt_tokens",
        "surviving_tokens",
        "prompt_tokens_per_surviving_token",
    ),
    *("user_tokens", "assistant_tokens", "tool_tokens", "system_tokens", "first", "last", "seconds"),
)


@dataclass(frozen=True, slots=True, eq=False)
class SessionBranches:
    """Sessions as trees whose messages are counted once, however many branches share them.

    Active is the path from the root to the active leaf; what isn't on it is abandoned, and what is on it but switched
    off counts apart. Tokens are those of texts and calls as the tokenizer counts them, without what a wire format adds.
    """

    trees: tuple[MeasuredTree, ...]
    tokenizer: str
    origins: tuple[tuple[str, str], ...] = ()
    """The program and the file of each session, where they are known."""
    notes: tuple[str, ...] = ()
    """Sentences on files of a folder that were left out."""

    def __repr__(self) -> str:
        leaves = sum(len(tree.lines) for tree in self.trees)
        messages = sum(tree.messages for tree in self.trees)
        shown = [
            counted(len(self.trees), "session"),
            counted(messages, "message"),
            counted(leaves, "branch", "branches"),
        ]
        shown += [counted(self.tokens, "token"), f"{self.abandoned_share:.0%} abandoned"]
        return f"SessionBranches({', '.join(shown)})"

    def _repr_html_(self) -> str:
        if len(self.trees) == 1:
            tree = self.trees[0]
            branches = (
                [*(_rounded(row[name]) for name in SHOWN_OF_A_BRANCH), "yes" if row["on_active_path"] else ""]
                for row in _branch_rows(tree)
            )
            head = (*SHOWN_OF_A_BRANCH, "active")
            return heading(self) + html_table(head, branches, of="branches") + lines(self.notes)
        columns = ("session", "messages", "leaves", "depth", "tokens", "abandoned_share", "regenerations", "edits")
        rows = ([_rounded(row[name]) for name in columns] for row in map(_summary_row, self.trees))
        return heading(self) + html_table(columns, rows, of="sessions") + lines(self.notes)

    @property
    def tokens(self) -> int:
        """Tokens of all messages, each counted once."""
        return sum(tree.total for tree in self.trees)

    @property
    def abandoned_share(self) -> float:
        """The share of the tokens that is not on an active path; 0 where there are none."""
        return sum(tree.abandoned_tokens for tree in self.trees) / self.tokens if self.tokens else 0.0

    def frame(self) -> pd.DataFrame:
        """One row a message, parents before children.

        `tokens` are its own, `path_tokens` those from the root to it, `prompt_tokens` those that were read to write it
        (a reply's path above it). `siblings` counts the messages in its place, itself included. `kind`: *regeneration*,
        a second answer to one message; *edit*, a second question in one place; *branch*, another second message;
        *message*, the first in its place. `edited`: it was changed after it was written. `seconds` since the one above.
        """
        return frame_of((row for tree in self.trees for row in _node_rows(tree)), NODE_COLUMNS)

    def branches(self) -> pd.DataFrame:
        """One row a branch, whose `node` is its leaf; a first answer goes on with a branch, every other begins one.

        `tokens` and `messages` are its own, so that their sum is the tree's; `shared_tokens` those above the place
        where it diverges, `path_tokens` both. `branch` numbers begin at 0, which goes through the first answers alone,
        whether the active path does or not. `diverges_at` is the message at which the branch leaves the one that goes
        through the first answer there; None for branch 0.
        """
        return frame_of((row for tree in self.trees for row in _branch_rows(tree)), BRANCH_COLUMNS)

    def summary(self) -> pd.DataFrame:
        """One row a session; `program` and `file` say where it was read from, empty where nobody knows.

        `tokens` are `active_tokens`, of messages on the active path that are on, `disabled_tokens`, of those on it that
        are switched off, and `abandoned_tokens`, of all beside it. `prompt_tokens` were read to write all replies, the
        abandoned ones too, `surviving_tokens` are those of replies on the active path; their ratio is what a surviving
        token cost in tokens of prompts.
        """
        return frame_of(self._summary_rows(), SUMMARY_COLUMNS)

    def _summary_rows(self) -> Iterator[dict[str, Any]]:
        unknown = repeat(("", ""))
        for tree, (program, file) in zip(self.trees, chain(self.origins, unknown), strict=False):
            yield {"program": program, "file": file, **_summary_row(tree)}

    @checked_arguments
    def clusters(self, *, likeness: float = 0.8, least_characters: int = 20, whole: bool = False) -> pd.DataFrame:
        """Branches that are nearly equal: one row a branch that is in a cluster, the largest clusters first.

        The first message behind each fork is compared, and `node` is that; with `whole`, all words from the last fork
        to the leaf, which is `node` then.

        `likeness` is the least Jaccard index of the sets of 5 characters in a row of two texts; `first_likeness` that
        with the first of the cluster, which may be less where others are between them. Texts with fewer characters
        than `least_characters` are left out.
        """
        from ctxlab.studies.branches.near_equal import CLUSTER_COLUMNS, cluster_rows

        return frame_of(cluster_rows(self.trees, likeness, least_characters, whole=whole), CLUSTER_COLUMNS)

    @checked_arguments
    def sunburst(self, *, theme: ThemeName = "light") -> go.Figure:
        """Tokens by branch, the root in the middle: a ring's sector is a stretch without forks, its angle tokens."""
        from ctxlab.studies.branches.branch_figures import sunburst

        return sunburst(self.trees, theme)

    @checked_arguments
    def divergence(self, *, theme: ThemeName = "light") -> go.Figure:
        """By depth, how many branches are there and how many begin."""
        from ctxlab.studies.branches.branch_figures import divergence

        return divergence(self.trees, theme)

    @checked_arguments
    def survival(self, *, theme: ThemeName = "light") -> go.Figure:
        """By depth, the tokens that are on an active path and those that were abandoned."""
        from ctxlab.studies.branches.branch_figures import survival

        return survival(self.trees, theme)

    @checked_arguments
    def timeline(self, *, theme: ThemeName = "light") -> go.Figure:
        """Messages in time, a row a branch."""
        from ctxlab.studies.branches.branch_figures import timeline

        return timeline(self.trees, theme)


def session_branches(
    sessions: Iterable[Session],
    tokenizer: TokenCounter | str | None = None,
    origins: Iterable[tuple[str, str]] = (),
) -> SessionBranches:
    """The branches of these sessions; `tokenizer` is a tokenizer, or the name of a model or an encoding.

    `origins` are the program and the file of each session, where they are known. A session is let go when it is
    measured.
    """
    counter = tokenizer if tokenizer is not None and not isinstance(tokenizer, str) else tokenizer_for(tokenizer)
    count: Callable[[str], int] = counter.count
    return SessionBranches(tuple([measured_tree(session, count) for session in sessions]), counter.name, tuple(origins))


def _node_rows(tree: MeasuredTree) -> Iterator[dict[str, Any]]:
    shape, children = tree.shape, tree.shape.children
    for number, (key, node) in enumerate(zip(shape.keys, tree.nodes, strict=True)):
        parent = shape.parents[number]
        yield {
            "session": tree.id,
            "node": key,
            "parent": shape.keys[parent] if parent >= 0 else None,
            "branch": shape.branches[number],
            "depth": shape.depths[number],
            "role": node.role,
            "kind": tree.kinds[number],
            "tokens": tree.tokens[number],
            "path_tokens": tree.path_tokens[number],
            "prompt_tokens": tree.prompts[number],
            "siblings": len(children[parent]) if parent >= 0 else 1,
            "children": len(children[number]),
            "on_active_path": tree.active[number],
            "leaf": not children[number],
            "edited": node.edited,
            "model": node.model,
            "timestamp": node.timestamp,
            "seconds": _since(tree, parent, number),
        }


def _since(tree: MeasuredTree, parent: int, number: int) -> float | None:
    before, now = tree.seconds[parent] if parent >= 0 else None, tree.seconds[number]
    return now - before if before is not None and now is not None else None


def _branch_rows(tree: MeasuredTree) -> Iterator[dict[str, Any]]:
    shape = tree.shape
    for line in tree.lines:
        own = sum(tree.tokens[number] for number in line.own)
        above = tree.path_tokens[line.above] if line.above >= 0 else 0
        yield {
            "session": tree.id,
            "branch": shape.branches[line.leaf],
            "node": shape.keys[line.leaf],
            "diverges_at": shape.keys[line.above] if line.above >= 0 else None,
            "diverges_depth": shape.depths[line.above] if line.above >= 0 else None,
            "kind": tree.kinds[line.own[0]],
            "depth": shape.depths[line.leaf],
            "messages": sum(not tree.nodes[number].is_empty_root for number in line.own),
            "tokens": own,
            "path_tokens": own + above,
            "shared_tokens": above,
            "prompt_tokens": sum(tree.prompts[number] for number in line.own),
            "on_active_path": tree.active[line.leaf],
            **_span(tree, line.own),
        }


def _summary_row(tree: MeasuredTree) -> dict[str, Any]:
    prompts = sum(tree.prompts)
    of_role: dict[str, int] = dict.fromkeys(("user", "assistant", "tool", "system"), 0)
    for node, tokens in zip(tree.nodes, tree.tokens, strict=True):
        of_role[node.role] += tokens
    return {
        "session": tree.id,
        "messages": tree.messages,
        "leaves": len(tree.lines),
        "depth": max(tree.shape.depths, default=0),
        "tokens": tree.total,
        "active_tokens": tree.active_tokens,
        "disabled_tokens": tree.disabled_tokens,
        "abandoned_tokens": tree.abandoned_tokens,
        "abandoned_share": tree.abandoned_tokens / tree.total if tree.total else 0.0,
        "regenerations": tree.kinds.count("regeneration"),
        "edits": tree.kinds.count("edit"),
        "prompt_tokens": prompts,
        "surviving_tokens": tree.surviving_tokens,
        "prompt_tokens_per_surviving_token": prompts / tree.surviving_tokens if tree.surviving_tokens else None,
        **{f"{role}_tokens": tokens for role, tokens in of_role.items()},
        **_span(tree, range(len(tree.nodes))),
    }


def _span(tree: MeasuredTree, numbers: Iterable[int]) -> dict[str, Any]:
    """The first and the last time of some messages, and the seconds between them."""
    ends = tree.span(tuple(numbers))
    if ends is None:
        return {"first": None, "last": None, "seconds": None}
    first, last = ends
    seconds = (tree.seconds[last] or 0.0) - (tree.seconds[first] or 0.0)
    return {"first": tree.nodes[first].timestamp, "last": tree.nodes[last].timestamp, "seconds": seconds}


def _rounded(value: object) -> object:
    return round(value, 3) if isinstance(value, float) else value
