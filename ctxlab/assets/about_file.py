"""The JSON beside the bytes of a stored file: name, MIME type, facts; and the file as a message attaches it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, cast

import orjson
from pydantic import TypeAdapter, ValidationError

from ctxlab.assets.references import ARTIFACT, ARTIFACT_ID
from ctxlab.context import FileFacts
from ctxlab.documents import Asset
from ctxlab.lazy_dataclass import dataclass

HASH_DIGITS = 64
MOST_ABOUT_BYTES = 100_000
OF_CONTENT = ("width", "height", "pages", "encoding")


@dataclass(frozen=True, slots=True)
class AboutFile:
    """The name and the MIME type under which a file was added, and its facts."""

    name: str
    mime_type: str
    facts: FileFacts

    @classmethod
    def read(cls, data: bytes, id: str) -> AboutFile | None:
        """The JSON of the content with this id, checked, since anyone may have written it; None where it is broken."""
        try:
            found = orjson.loads(data)
        except orjson.JSONDecodeError:
            return None
        about = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
        try:
            facts = _checked_facts().validate_python(about.get("facts"))
        except ValidationError:
            return None
        if not (
            len(facts.sha256) == HASH_DIGITS and facts.sha256.startswith(id) and ARTIFACT_ID.fullmatch(facts.sha256)
        ):
            return None
        return cls(str(about.get("name") or ""), str(about.get("mimeType") or ""), facts)

    @property
    def sha256(self) -> str:
        return self.facts.sha256

    def written(self) -> bytes:
        """The JSON of it."""
        data = {"name": self.name, "mimeType": self.mime_type, "facts": self.facts.as_data()}
        return orjson.dumps(data, option=orjson.OPT_INDENT_2)

    def asset(self, id: str) -> Asset:
        """The file as a message attaches it."""
        return asset_of(self.facts, id=id, name=self.name, place={"path": f"{ARTIFACT}{id}"})


@cache
def _checked_facts() -> TypeAdapter[FileFacts]:
    return TypeAdapter(FileFacts)


def asset_of(facts: FileFacts, *, id: str, name: str, place: Mapping[str, Any]) -> Asset:
    """A file of these facts as a message attaches it; a text is a document there, as chat programs have it."""
    measures = {field: getattr(facts, field) for field in OF_CONTENT}
    metadata = {**measures, "duration": facts.seconds, "sha256": facts.sha256 or None}
    return Asset.model_validate(
        {
            "id": id,
            "type": "document" if facts.kind == "text" else facts.kind,
            "name": name,
            "mimeType": facts.mime_type,
            "size": facts.size_bytes,
            "metadata": {field: value for field, value in metadata.items() if value is not None},
            **place,
        }
    )
