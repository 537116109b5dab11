"""References to files as conversations and agents write them, and the bytes that stand in them."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast
from urllib.parse import unquote, unquote_to_bytes

from ctxlab.assets.type_table import BINARY
from ctxlab.documents.agent.asset_references import DEFAULT_GROUP, AssetReference
from ctxlab.documents.agent.assets import AgentAsset, find_asset
from ctxlab.documents.session.inline_bytes import is_data_url, shown, standard_base64
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

ReferenceKind = Literal["artifact", "agent-asset", "data", "link", "path"]
ARTIFACT = "artifact:"
AGENT_ASSET = "agent-asset://"
ARTIFACT_ID = lazy_pattern(r"[0-9a-f]{1,64}")
SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]+:")
MOST_INLINE_BYTES = 100_000_000
"""Size up to which the bytes of a data URL or of base64 are decoded."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A reference, taken apart. `value` is the id of an artifact, id of an agent's file, URL or path.

    `group` is that of an agent's file. `link` is any URL whose bytes are elsewhere; it is never followed.
    """

    kind: ReferenceKind
    value: str
    group: str = ""

    def __repr__(self) -> str:
        group = f", {shown(self.group)!r}" if self.group else ""
        return f"Reference({self.kind!r}, {shown(self.value)!r}{group})"


def parse_reference(text: str) -> Reference:
    """The reference in these words; what has no scheme is a path.

    >>> parse_reference("agent-asset://stickers/%E6%B3%A2.png")
    Reference('agent-asset', '波', 'stickers')
    """
    words = text.strip()
    lower = words[:20].lower()
    if lower.startswith(ARTIFACT):
        return Reference("artifact", words[len(ARTIFACT) :].lstrip("/"))
    if lower.startswith(AGENT_ASSET):
        return _agent_asset(words[len(AGENT_ASSET) :])
    if is_data_url(words):
        return Reference("data", words)
    return Reference("link" if SCHEME.match(words) else "path", words)


def _agent_asset(words: str) -> Reference:
    """Group and id, decoded after they are taken apart; of the older form, without a group, the id alone."""
    plain = re.split(r"[?#]", words, maxsplit=1)[0]
    group, slash, name = plain.partition("/")
    if not slash:
        group, name = "", group
    return Reference("agent-asset", _stem(unquote(name)), unquote(group) or DEFAULT_GROUP)


def _stem(name: str) -> str:
    """The name without its extension, which begins at the last dot."""
    stem, dot, _ = name.rpartition(".")
    return stem if dot and stem else name


def find_agent_asset(reference: Reference, assets: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The file of an agent that a reference names: by group and id, group and name, id alone, name alone.

    A name counts without its extension. A file in no group is in `default`. Nothing that is merely similar is taken.
    """
    address = AssetReference(reference.group or DEFAULT_GROUP, reference.value)
    found = find_asset([AgentAsset.of(asset) for asset in assets], address)
    return found.data if found else None


# --- bytes that stand in a reference


def bytes_of_base64(text: str) -> bytes:
    """The bytes of base64, filled up or not, with blanks, in either alphabet; raises CtxlabError for what is none."""
    if len(text) > MOST_INLINE_BYTES * 4 // 3 + 4:
        raise CtxlabError(f"the file is larger than the {MOST_INLINE_BYTES:,} bytes that are decoded from base64")
    try:
        return base64.b64decode(standard_base64(text), validate=True)
    except (binascii.Error, ValueError):
        raise CtxlabError("the file's base64 is broken: it can't be decoded") from None


def bytes_of_data_url(url: str) -> tuple[bytes, str]:
    """The bytes of a data URL and their MIME type; raises CtxlabError for a broken one."""
    head, comma, body = url.lstrip().partition(",")
    if not is_data_url(head) or not comma:
        raise CtxlabError("the data URL is broken: it has no comma before its data")
    mime_type, *parameters = [part.strip() for part in head[5:].split(";")]
    if any(part.lower() == "base64" for part in parameters):
        return bytes_of_base64(unquote(body) if "%" in body else body), mime_type.lower()
    if len(body) > MOST_INLINE_BYTES:
        raise CtxlabError(f"the file is larger than the {MOST_INLINE_BYTES:,} bytes that are decoded from a data URL")
    return unquote_to_bytes(body), mime_type.lower() or "text/plain"


def data_url(data: bytes, mime_type: str) -> str:
    """The bytes as a data URL."""
    return f"data:{mime_type or BINARY};base64,{base64.b64encode(data).decode()}"


def records(value: object) -> list[Mapping[str, Any]]:
    """The mappings of a list that a file may have filled with anything."""
    items = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]
