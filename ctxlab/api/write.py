"""Files out: a value in the format that a file's name asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxlab.api.sources import FilePath
from ctxlab.argument_checks import checked_arguments

if TYPE_CHECKING:
    from ctxlab.formats import Export


@checked_arguments
def write(value: object, path: FilePath, *, format: str | None = None, pick: int | str | None = None) -> Export[bytes]:
    """Write a session, an agent, a user profile, a book, rules, a list of these or a Library to a file.

    The path's ending says as what, such as `.json`, `.md`, `.zip`, `.openai.json`, `.agent.yaml`, `.card.json`, `.png`
    (a card), `.lorebook.json`, `.rules.json`; or `format` does, one of the names in `ctxlab.formats.FORMATS`. `pick`
    says which of several, by index, id or name, where a file holds one. The result has the bytes, and `losses` for what
    the format has no place for. Raises WriteError, naming the endings that would do.
    """
    from ctxlab import formats

    return formats.write(value, path, format=format, pick=pick)
