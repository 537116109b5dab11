"""Counts what the bundled sessions hold and keeps the table in README.md current.

python datasets/count.py            prints the table
python datasets/count.py --write    puts it into README.md
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ctxlab.providers import tokenizer_for

HERE = Path(__file__).parent
START, END = "<!-- counts -->", "<!-- /counts -->"

Node = dict[str, Any]


def path_to(nodes: dict[str, Node], leaf: str) -> list[Node]:
    """The nodes from below the root down to `leaf`."""
    path: list[Node] = []
    node = nodes[leaf]
    while node["parentId"] is not None:
        path.append(node)
        node = nodes[node["parentId"]]
    return path[::-1]


def row(session_file: Path) -> dict[str, str]:
    """One line of the table: column to cell. The root is not counted as a message."""
    session = json.loads(session_file.read_text(encoding="utf-8"))
    agent = json.loads(session_file.with_name(f"{session_name(session_file)}.agent.json").read_text(encoding="utf-8"))
    nodes: dict[str, Node] = session["nodes"]
    messages = [node for node in nodes.values() if node["parentId"] is not None]
    path = path_to(nodes, session["activeLeafId"])
    leaves = [node for node in messages if not node["childrenIds"]]
    roles = Counter(node["role"] for node in messages)
    count = tokenizer_for("gpt-4o").count
    cells = {
        "session": f"`{session_name(session_file)}`",
        "messages": len(messages),
        "on the active path": len(path),
        "leaves": len(leaves),
        "depth": max(len(path_to(nodes, leaf["id"])) for leaf in leaves),
        "user": roles["user"],
        "assistant": roles["assistant"],
        "tool": roles["tool"],
        "system": roles["system"],
        "presets": len(agent["presetMessages"]),
        "characters": sum(len(node["content"]) for node in messages),
        "tokens": sum(count(node["content"]) for node in messages),
        "tokens on the active path": sum(count(node["content"]) for node in path),
    }
    return {column: f"{cell:,}" if isinstance(cell, int) else cell for column, cell in cells.items()}


def session_name(session_file: Path) -> str:
    return session_file.name.removesuffix(".session.json")


def table() -> str:
    """The table as Markdown, one line per session, without a line break at the end."""
    rows = [row(session_file) for session_file in sorted(HERE.glob("*.session.json"))]
    return "\n".join(markdown_lines(rows))


def markdown_lines(rows: list[dict[str, str]]) -> Iterator[str]:
    columns = list(rows[0])
    yield f"| {' | '.join(columns)} |"
    yield f"|{'|'.join('---' if column == 'session' else '---:' for column in columns)}|"
    for cells in rows:
        yield f"| {' | '.join(cells.values())} |"


def with_table(readme: str, counts: str) -> str:
    """`readme` with what stands between the two markers replaced by `counts`."""
    before, rest = readme.split(START)
    _, after = rest.split(END)
    return f"{before}{START}\n{counts}\n{END}{after}"


def main(arguments: list[str]) -> None:
    counts = table()
    if "--write" in arguments:
        readme = HERE / "README.md"
        readme.write_text(with_table(readme.read_text(encoding="utf-8"), counts), encoding="utf-8")
    else:
        sys.stdout.write(counts + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
