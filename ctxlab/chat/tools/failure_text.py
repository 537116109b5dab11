"""An exception of a tool as one line for the model: without a traceback, folders and keys."""

from __future__ import annotations

import re

MOST = 400
"""Characters of a line about a failure."""
_FOLDERS = re.compile(r"(?<![\w:/])(?:[A-Za-z]:)?(?:[/\\][^\s/\\:'\"]{1,200}){1,40}[/\\](?=[^\s/\\:'\"])")
_KEYS = re.compile(
    r"\b(?:sk|pk|rk|gsk|hf|xai|ghp|gho|AIza|AKIA)[-_]?[A-Za-z0-9_\-]{12,400}"
    r"|(?i:\bbearer\s+)[^\s'\"]{8,4000}"
    r"|(?i:\b(?:api[-_]?key|access[-_]?token|token|secret|password|authorization)['\"]?\s*[=:]\s*['\"]?)[^\s'\"&,;]{4,4000}"
)
_IN_URLS = re.compile(r"(?<=://)[^\s/@]{1,400}@")


def failure_text(error: BaseException) -> str:
    """The kind of an exception and its message in one line.

    >>> failure_text(FileNotFoundError(2, "No such file or directory", "/home/me/notes/a.txt"))
    "FileNotFoundError: [Errno 2] No such file or directory: 'a.txt'"
    """
    try:
        message = str(error)
    except Exception:  # the exception's own code
        message = ""
    words = " ".join(message[: MOST * 20].split())
    text = _FOLDERS.sub("", _KEYS.sub("[key]", _IN_URLS.sub("", words)))
    line = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return line if len(line) <= MOST else f"{line[:MOST]}…"
