"""Commands of a page that are heard while a cell runs."""

from __future__ import annotations

from typing import Any

from ipywidgets import Widget


def heard_beside_cells(widget: Widget, command: str) -> None:
    """Let a command be carried out while a cell runs, where kernel and page can; it comes in another thread then.

    JupyterLab sends messages of widgets to a subshell of the kernel. ipykernel 7 hands them to the thread that used
    the widget last, mostly that of the cells: there they wait for its end. Other kernels stay as they are.
    """
    comm: Any = widget.comm
    route = getattr(comm, "_reply_subshell_for", None)
    if route is None:
        return

    def chosen(data: Any, sent_to: str | None) -> str | None:
        content = data.get("content") if isinstance(data, dict) else None
        is_command = isinstance(content, dict) and content.get("command") == command
        return sent_to if is_command else route(data, sent_to)

    comm._reply_subshell_for = chosen
