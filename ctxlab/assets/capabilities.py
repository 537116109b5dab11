"""Capabilities of a model, that is what it reads besides text, as its profile, a table of names, or the caller says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, cast

from ctxlab.context import FileKind
from ctxlab.documents import ModelProfile
from ctxlab.lazy_dataclass import dataclass

Input = Literal["text", "vision", "file", "audio", "video"]
DocumentFormat = Literal["base64", "openai_file"]

NEEDED: Mapping[FileKind, Input] = {
    "image": "vision",
    "audio": "audio",
    "video": "video",
    "document": "file",
    "other": "file",
    "text": "text",
}
"""The input that a model must read for each kind of file."""

WORDS: Mapping[str, Input] = {
    "text": "text",
    "vision": "vision",
    "image": "vision",
    "images": "vision",
    "file": "file",
    "document": "file",
    "pdf": "file",
    "audio": "audio",
    "video": "video",
}
"""Words of stored capabilities."""


@dataclass(frozen=True, slots=True)
class Capabilities:
    """The inputs that a model reads. With `known` False nothing is known of it, and only text is safe.

    `source` says where this is from. Limits are in pixels of the longer side and in bytes of the file itself, not of
    its base64; None where none is published. `mime_types` are the only types of pictures, sounds, films and documents
    that the vendor takes; empty means any. `document_format` openai_file: the vendor wants documents uploaded first.
    """

    inputs: frozenset[str] = frozenset({"text"})
    known: bool = True
    source: str = ""
    document_format: DocumentFormat = "base64"
    max_image_side: int | None = None
    max_file_bytes: int | None = None
    max_image_bytes: int | None = None
    mime_types: frozenset[str] = frozenset()

    def reads(self, kind: FileKind) -> bool:
        """Whether the model reads files of this kind; text always.

        >>> Capabilities(frozenset({"text", "vision"})).reads("image")
        True
        """
        return kind == "text" or NEEDED[kind] in self.inputs

    def takes(self, kind: FileKind, mime_type: str) -> bool:
        """Whether a file of this kind and type can go as it is: the model reads the kind, the vendor the type."""
        return self.reads(kind) and (kind == "text" or not self.mime_types or mime_type in self.mime_types)

    def max_bytes(self, kind: FileKind) -> int | None:
        """The size up to which the vendor takes a file of this kind."""
        return self.max_image_bytes if kind == "image" else self.max_file_bytes

    def as_data(self) -> dict[str, Any]:
        """The capabilities in the form of a service's file, with the limits that are known."""
        limits = {
            "maxImageDimension": self.max_image_side,
            "maxFileBytes": self.max_file_bytes,
            "maxImageBytes": self.max_image_bytes,
        }
        order = ("text", "vision", "file", "audio", "video")
        known = [word for word in order if word in self.inputs]
        return {
            "input": [*known, *sorted(self.inputs.difference(order))],
            "documentFormat": self.document_format,
            **{name: limit for name, limit in limits.items() if limit is not None},
        }


UNKNOWN = Capabilities(known=False)
"""Capabilities of a model of which nothing is known."""


def capabilities_of(model: str | ModelProfile | None) -> Capabilities:
    """The capabilities that a model's profile has, else those that the table has for its name; else UNKNOWN.

    >>> sorted(capabilities_of("claude-sonnet-4-5").inputs)
    ['file', 'text', 'vision']
    """
    from ctxlab.assets.model_capabilities import capabilities_of_name

    if not isinstance(model, ModelProfile):
        return (capabilities_of_name(model) if model else None) or UNKNOWN
    named = next((found for name in (model.id, model.name) if name and (found := capabilities_of_name(name))), None)
    stored = model.capabilities
    return stored_capabilities(stored, named or UNKNOWN) if stored else named or UNKNOWN


def stored_capabilities(stored: Mapping[str, Any], otherwise: Capabilities = UNKNOWN) -> Capabilities:
    """Capabilities as a file has them: `{"vision": true, "document": true}` or `{"input": ["text", "vision"]}`.

    Where it names one input, those that it doesn't name aren't read; where it names none, `otherwise` holds. Limits
    that it names beat those of `otherwise`.
    """
    inputs = _inputs(stored)
    base = otherwise
    if inputs is not None:
        base = replace(otherwise, inputs=inputs | {"text"}, known=True, source="the model's profile")
        if otherwise.known and inputs - otherwise.inputs:  # types of a vendor who takes less than the profile says
            base = replace(base, mime_types=frozenset())
    form = stored.get("documentFormat")
    return replace(
        base,
        document_format=form if form in ("base64", "openai_file") else base.document_format,
        max_image_side=_limit(stored, "maxImageDimension", base.max_image_side),
        max_file_bytes=_limit(stored, "maxFileBytes", base.max_file_bytes),
        max_image_bytes=_limit(stored, "maxImageBytes", base.max_image_bytes),
    )


def _inputs(stored: Mapping[str, Any]) -> frozenset[str] | None:
    """The inputs that a file names; None when it says nothing of any. A list that is none reads text alone."""
    if "input" in stored:
        words = input_words(stored["input"])
        return frozenset(WORDS[word] for word in words if word in WORDS)
    switches = {name: stored[name] for name in WORDS if isinstance(stored.get(name), bool)}
    return frozenset(WORDS[name] for name, on in switches.items() if on) if switches else None


def input_words(listed: object) -> tuple[str, ...]:
    """The words of a list of inputs, or of one that stands alone, in small letters."""
    words = [listed] if isinstance(listed, str) else listed
    several = cast("Sequence[object]", words) if isinstance(words, list | tuple) else ()
    return tuple(word.strip().lower() for word in several if isinstance(word, str))


def _limit(stored: Mapping[str, Any], name: str, otherwise: int | None) -> int | None:
    value = stored.get(name)
    return value if type(value) is int and value > 0 else otherwise
