"""Commands of the pages, run at each build in the folder of the page's code, with what they print below them.

    ```{command}
    ctxlab explain chat.json --budget 400 --text "compass"
    ```

A line that ends in `\\` goes on in the next one. `:code:` names an exit code that is wanted, `:lines:` how much is shown.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from _ext.live import _inside, _Runs  # pyright: ignore[reportPrivateUsage]
from ctxlab.cli import main

WIDTH = "100"
"""Of what is printed, in characters."""


class Command(SphinxDirective):
    """Commands with what they print."""

    has_content = True
    option_spec = {"code": directives.nonnegative_int, "lines": directives.positive_int}  # noqa: RUF012

    def run(self) -> list[nodes.Node]:
        """The commands, each with what it says."""
        runs = self.env.temp_data.setdefault("live", _Runs())
        shown: list[nodes.Node] = []
        for line in re.split(r"(?<!\\)\n", "\n".join(self.content)):
            shown += [nodes.literal_block(line, line, language="sh"), *self._printed(line, runs._folder.name)]
        return shown

    def _printed(self, line: str, folder: str) -> list[nodes.Node]:
        program, *arguments = shlex.split(line.replace("\\\n", " "))
        if program != "ctxlab":
            raise self.severe(f"{self.env.docname}, line {self.lineno}: {program!r} is not run here, ctxlab is")
        out = io.StringIO()
        with _inside(folder), _plain(), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            code = main(arguments)
        if code != self.options.get("code", 0):
            place = f"{self.env.docname}, line {self.lineno}"
            raise self.severe(f"{place}: the command gives {code}: {out.getvalue()}")
        text = out.getvalue().rstrip()
        most = self.options.get("lines")
        if most and len(lines := text.split("\n")) > most:
            text = "\n".join([*lines[:most], "…"])
        return [nodes.literal_block(text, text, language="text", classes=["printed"])] if text else []


@contextlib.contextmanager
def _plain():  # noqa: ANN202
    """An environment in which nothing is coloured, and lines are of one width on every machine."""
    before = {name: os.environ.get(name) for name in ("COLUMNS", "NO_COLOR")}
    os.environ.update(COLUMNS=WIDTH, NO_COLOR="1")
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the directive known."""
    app.add_directive("command", Command)
    return {"parallel_read_safe": False}
