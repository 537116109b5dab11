"""Services of a file such as `llmservices.json`: which there are, and what each of them reads."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, cast

import orjson

from ctxlab.assets.capabilities import UNKNOWN, WORDS, Capabilities, input_words, stored_capabilities
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Note
from ctxlab.lazy_dataclass import dataclass

MOST_BYTES = 10_000_000


@dataclass(frozen=True, slots=True)
class LlmServices:
    """Capabilities by the id of a service; `notes` say what of the file couldn't be read."""

    capabilities: Mapping[str, Capabilities] = field(default_factory=dict[str, Capabilities])
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        notes = f", {counted(len(self.notes), 'note')}" if self.notes else ""
        return f"LlmServices({counted(len(self.capabilities), 'service')}{notes})"

    def capabilities_of(self, service_id: str) -> Capabilities:
        """Capabilities of a service; of one that the file doesn't have nothing is known, so it gets text alone."""
        return self.capabilities.get(service_id, UNKNOWN)


def read_llmservices(source: str | Path | bytes | Mapping[str, Any]) -> LlmServices:
    """The services of a file, of its bytes, or of its JSON: `{"services": [{"id", "capabilities": {"input": [...]}}]}`.

    It never raises for what is in the file: what can't be read is a note, and the rest is there.
    """
    if isinstance(source, Mapping):
        return _services(source)
    name = "llmservices.json" if isinstance(source, bytes) else str(source)
    try:
        raw = source if isinstance(source, bytes) else _read(Path(source))
        data: object = orjson.loads(raw.removeprefix(BOM_UTF8))
    except OSError as error:
        return LlmServices(notes=(_note(f"{name} can't be read: {error.strerror or error}"),))
    except ValueError:
        return LlmServices(notes=(_note(f"{name} is not JSON of up to {MOST_BYTES:,} bytes; no service is known"),))
    return _services(data)


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise ValueError(path)
    return raw


def _services(data: object) -> LlmServices:
    listed = cast("Mapping[str, object]", data).get("services") if isinstance(data, Mapping) else None
    if not isinstance(listed, list | tuple):
        return LlmServices(notes=(_note("the file has no list under services; no service is known"),))
    found: dict[str, Capabilities] = {}
    notes: list[Note] = []
    for number, entry in enumerate(cast("list[object]", listed)):
        service = cast("Mapping[str, Any]", entry) if isinstance(entry, Mapping) else {}
        id, stored = service.get("id"), service.get("capabilities")
        if not isinstance(id, str) or not id:
            notes.append(_note(f"services[{number}] has no id and is left out"))
            continue
        if id in found:
            notes.append(_note(f"two services have the id {short(id)!r}; the last counts"))
        if not isinstance(stored, Mapping):
            notes.append(_note(f"service {short(id)!r} has no capabilities; it gets text alone"))
            found[id] = UNKNOWN
        else:
            capabilities = stored_capabilities(cast("Mapping[str, Any]", stored))
            found[id] = capabilities
            inputs = cast("Mapping[str, Any]", stored).get("input", ())
            if strange := [word for word in input_words(inputs) if word not in WORDS]:
                notes.append(_note(f"service {short(id)!r} names the input {short(strange[0])!r}, which is none"))
            if not capabilities.known:
                notes.append(_note(f"service {short(id)!r} names no input; it gets text alone"))
    return LlmServices(found, tuple(notes))


def _note(text: str) -> Note:
    return Note("warning", text)
