"""A file of this machine as an attachment of a message, its bytes inside."""

from __future__ import annotations

import base64
import os
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from ctxlab.argument_checks import checked_arguments
from ctxlab.assets.about_file import asset_of
from ctxlab.assets.asset_folder import ID_DIGITS
from ctxlab.assets.file_types import facts_of
from ctxlab.documents import Asset
from ctxlab.errors import ReadError

MOST_BYTES = 50_000_000
"""Size of a file that a message may carry inside itself; vendors take less."""


@checked_arguments
def attachment(file: str | os.PathLike[str] | bytes, *, name: str = "", mime_type: str = "") -> Asset:
    """A file, of a path or of bytes, to be attached to a message; its bytes are inside, so it needs no store.

    `session.append(..., attachments=[ctxlab.attachment("plan.pdf")])`. A file above 50 MB is refused:
    `ctxlab.open_assets(folder).add(file)` keeps it beside the conversation.
    """
    data = file if isinstance(file, bytes) else _read(Path(file).expanduser())
    name = name or ("" if isinstance(file, bytes) else Path(file).name)
    if len(data) > MOST_BYTES:
        raise ReadError(
            f"{name or 'the file'} is larger than the {MOST_BYTES:,} bytes that a message carries inside; "
            "ctxlab.open_assets(folder).add(file) keeps it in a folder"
        )
    digest = sha256(data).hexdigest()
    facts = replace(facts_of(data, name=name, mime_type=mime_type), sha256=digest)
    inline = {"base64": base64.b64encode(data).decode(), "mimeType": facts.mime_type}
    return asset_of(facts, id=digest[:ID_DIGITS], name=name, place={"inlineData": inline})


def _read(path: Path) -> bytes:
    """The bytes of a file, one more at most than a message carries."""
    try:
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ReadError(f"{path} can't be read: {error.strerror or error}") from error
