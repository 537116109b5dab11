"""`ctxlab mcp` and its argument."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

MCP = """\b
Examples:
  ctxlab mcp datasets
  ctxlab mcp ~/chats
"""


def mcp(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder whose files may be read.")],
) -> int:
    """Answer other programs' questions about the conversations of a folder, over the Model Context Protocol.

    It speaks over standard input and output, reads nothing outside FOLDER, writes nothing and contacts nobody. Its
    tools are build, why, where, lore_scan, diff and check. It needs the extra mcp, and ends when its input is closed.
    """
    from ctxlab.cli.mcp_server.server import serve

    return serve(folder)
