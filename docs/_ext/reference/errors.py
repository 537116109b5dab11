"""Errors with their remedies."""

from __future__ import annotations

import inspect

from _ext.reference.markdown import code, page, plain, table
from ctxlab import errors as module
from ctxlab.errors import CtxlabError

INTRO = """Each class is one remedy; all are `CtxlabError`. The message names the place and what to do. A broken
value in a file that is read is no error: it is a loss or a note, and the default is taken."""


def errors() -> str:
    """The page."""
    found = [kind for _, kind in inspect.getmembers(module, inspect.isclass) if issubclass(kind, CtxlabError)]
    found.sort(key=lambda kind: inspect.getsourcelines(kind)[1])
    rows = ([code(kind.__name__), code(kind.__bases__[0].__name__), plain(inspect.getdoc(kind))] for kind in found)
    return page("Errors and their remedies", INTRO, table(["error", "is a", "when, and what to do"], rows))
