"""A session's tree as a networkx graph, a pandas frame and a figure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.one_line import plain
from ctxlab.display.theme import ThemeName
from ctxlab.documents.tree.layout import LayoutName
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    import plotly.graph_objects as go

    from ctxlab.documents.session.session import Session


@dataclass(frozen=True, slots=True, eq=False)
class TreeShape:
    """All nodes by number, parents before children and siblings in order; parent -1 is none.

    `branches` number the lines of the conversation: a first child goes on with its parent's, every other begins one.
    """

    keys: tuple[str, ...]
    parents: tuple[int, ...]
    depths: tuple[int, ...]
    branches: tuple[int, ...]

    @property
    def children(self) -> list[list[int]]:
        """Numbers of the children of each node."""
        found: list[list[int]] = [[] for _ in self.keys]
        for i, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(i)
        return found


def shape_of(session: Session) -> TreeShape:
    """Every node once, whatever is wrong with the tree: from the root, then what has no parent, then circles."""
    numbers: dict[str, int] = {}
    parents: list[int] = []
    depths: list[int] = []
    branches: list[int] = []
    continued: set[int] = set()
    newest = -1
    nodes, below = session.nodes, session.children_by_parent
    for start in _starts(session):
        stack = [(start, -1)]
        while stack:
            key, parent = stack.pop()
            if key in numbers:
                continue
            number = numbers[key] = len(numbers)
            parents.append(parent)
            depths.append(depths[parent] + 1 if parent >= 0 else 0)
            if parent >= 0 and parent not in continued:
                continued.add(parent)
                branches.append(branches[parent])
            else:
                newest += 1
                branches.append(newest)
            stack.extend((child, number) for child in reversed(below.get(key, ())) if child in nodes)
    return TreeShape(tuple(numbers), tuple(parents), tuple(depths), tuple(branches))


def _starts(session: Session) -> Iterator[str]:
    nodes = session.nodes
    root = (session.root_node_id,) if session.root_node_id in nodes else ()
    lone = (key for key, node in nodes.items() if node.parent_id is None or node.parent_id not in nodes)
    return (key for key in chain(root, lone, nodes) if key is not None)


def graph(session: Session) -> nx.DiGraph[str]:
    """A networkx graph with an edge from each message to those that answer it.

    Nodes have role, text (its start), depth, branch, enabled, summary, leaf and on_active_path. In a sound session it
    is a tree; where parents run in a circle, the edge that closes it is left out.
    """
    import networkx as nx

    shape = shape_of(session)
    active = active_keys(session)
    made: nx.DiGraph[str] = nx.DiGraph(id=session.id, name=session.name)
    above = {parent for parent in shape.parents if parent >= 0}
    for i, key in enumerate(shape.keys):
        node = session.nodes[key]
        made.add_node(
            key,
            role=node.role,
            text=plain(node.content),
            depth=shape.depths[i],
            branch=shape.branches[i],
            enabled=node.enabled,
            summary=node.is_summary,
            leaf=i not in above,
            on_active_path=key in active,
        )
    made.add_edges_from(
        (shape.keys[parent], key) for key, parent in zip(shape.keys, shape.parents, strict=True) if parent >= 0
    )
    return made


def frame(session: Session) -> pd.DataFrame:
    """One row a message, parents before children; `node` is its id, `parent` that of the message above it.

    `characters` are those of its content, `depth` 0 is the root.

    `branch` numbers the lines of the conversation: a first child goes on with its parent's, every other begins one.
    """
    import pandas as pd

    shape = shape_of(session)
    active = active_keys(session)
    children = shape.children
    nodes = [session.nodes[key] for key in shape.keys]
    above = [shape.keys[parent] if parent >= 0 else None for parent in shape.parents]

    def words(values: Iterable[object]) -> pd.Series[Any]:
        return pd.Series(list(values), dtype=object)

    columns: dict[str, Any] = {
        "node": words(shape.keys),
        "parent": words(above),
        "depth": shape.depths,
        "role": words(node.role for node in nodes),
        "characters": [len(node.content) for node in nodes],
        "children": [len(below) for below in children],
        "on_active_path": [key in active for key in shape.keys],
        "leaf": [not below for below in children],
        "enabled": [node.enabled for node in nodes],
        "summary": [node.is_summary for node in nodes],
        "agent": words(node.agent_id for node in nodes),
        "model": words(node.meta("modelId") for node in nodes),
        "timestamp": words(node.timestamp for node in nodes),
        "branch": shape.branches,
    }
    return pd.DataFrame(columns, index=pd.RangeIndex(len(shape.keys)))


@checked_arguments
def figure(session: Session, layout: LayoutName = "tidy", *, theme: ThemeName = "light") -> go.Figure:
    """The tree as a figure, root at the left, at the top with layout="top-down", or spread out by springs with "force".

    Above 2,000 messages straight chains are one sign each, which says how many it stands for.
    """
    from ctxlab.documents.tree.figure import shape_figure

    return shape_figure(session, shape_of(session), layout, theme)


def active_keys(session: Session) -> set[str]:
    """Keys of the messages from the root to the active leaf."""
    path = session.path()
    if not path:
        return set()
    return {*(node.parent_id for node in path[1:] if node.parent_id is not None), session.active_leaf_id or ""}
