"""Commands of the pages, run at each build in the folder of the page's code, with what they print below them.

    ```{command}
    :lines: 20
    ctxlab explain chat.json --budget 400 --text "compass"
    ```

A line that ends in a backslash goes on in the next one. `:lines:` says how much of what is printed is shown.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from unittest import mock

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.live import _inside, _Runs
from ctxlab.cli import main

PLAIN = {"COLUMNS": "77", "NO_COLOR": "1"}
"""Lines are of one width on every machine, and nothing is coloured."""


class Command(SphinxDirective):
    """Commands with what they print."""

    has_content = True
    option_spec = {"lines": directives.positive_int}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """The commands, each with what it says."""
        runs = self.env.temp_data.setdefault("live", _Runs())
        shown: list[nodes.Node] = []
        for line in re.split(r"(?<!\\)\n", "\n".join(self.content)):
            printed = self._printed(line, runs._folder.name)
            shown.append(nodes.literal_block(line, line, language="sh"))
            if printed:
                shown.append(nodes.literal_block(printed, printed, language="text", classes=["printed"]))
        return shown

    def _printed(self, line: str, folder: str) -> str:
        """What a command prints, or as much of it as is to be shown."""
        program, *arguments = shlex.split(line.replace("\\\n", " "))
        place = f"{self.env.docname}, line {self.lineno}"
        if program != "ctxlab":
            raise self.severe(f"{place}: {program!r} is not run here, ctxlab is")
        out = io.StringIO()
        told = contextlib.redirect_stdout(out), contextlib.redirect_stderr(out)
        with _inside(folder), mock.patch.dict(os.environ, PLAIN), told[0], told[1]:
            code = main(arguments)
        if code:
            raise self.severe(f"{place}: the command gives {code}: {out.getvalue()}")
        lines = out.getvalue().rstrip().split("\n")
        most = self.options.get("lines", len(lines))
        return "\n".join([*lines[:most], "…"] if len(lines) > most else lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    app.add_directive("command", Command)
    return {"parallel_read_safe": False}
