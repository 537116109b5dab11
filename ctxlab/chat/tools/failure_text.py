"""An exception of a tool as one line for the model: without a traceback, folders and keys."""

from __future__ import annotations

from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.secrets import HIDDEN, masked_beginning

MOST = 400
"""Characters of a line about a failure."""
_FOLDERS = lazy_pattern(r"(?<![\w:/])(?:[A-Za-z]:)?(?:[/\\][^\s/\\:'\"]{1,200}){1,40}[/\\](?=[^\s/\\:'\"])")
_NAMED = lazy_pattern(
    r"(?i:\bbearer\s+|\b(?:api[-_]?key|access[-_]?token|token|secret|password|authorization)['\"]?\s*[=:]\s*['\"]?)"
    r"[^\s'\"&,;]{4,4000}"
)
"""A value behind the name of a secret, were it a word: an exception's message may say less than a text."""
_IN_URLS = lazy_pattern(r"(?<=://)[^\s/@]{1,400}@")


def failure_text(error: BaseException) -> str:
    """The kind of an exception and its message in one line.

    >>> failure_text(FileNotFoundError(2, "No such file or directory", "/home/me/notes/a.txt"))
    "FileNotFoundError: [Errno 2] No such file or directory: 'a.txt'"
    """
    try:
        message = str(error)
    except Exception:  # the exception's own code
        message = ""
    words = " ".join(masked_beginning(message, MOST * 20).split())
    text = _FOLDERS.sub("", _NAMED.sub(HIDDEN, _IN_URLS.sub("", words)))
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return line if len(line) <= MOST else f"{line[:MOST]}…"
