"""The vendors' doors for files: what comes is judged and remembered under an id, which requests may then name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from email.message import Message
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any

from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern
from ctxlab.testing.fake_server.refusal import Refusal, Vendor
from ctxlab.testing.fake_server.sending import STARTED

PATH = lazy_pattern(r"(/v1)?/files")
BETA = "files-api-2025-04-14"
PURPOSES = frozenset({"assistants", "batch", "fine-tune", "vision", "user_data", "evals"})
LARGEST_FILE: Mapping[str, int] = {"openai": 512_000_000, "anthropic": 500_000_000}
NAMED = ("messages", "input")


@dataclass(frozen=True, slots=True, repr=False)
class FakeUpload:
    """A file as the server got it, and the id that it gave."""

    vendor: Vendor
    id: str
    name: str
    mime_type: str
    content: bytes

    def __repr__(self) -> str:
        return f"FakeUpload({self.vendor!r}, {self.id!r}, {self.name!r}, {len(self.content)} bytes)"


def vendor_of_upload(headers: Mapping[str, str]) -> Vendor:
    """The vendor whose door is meant: Anthropic's and OpenAI's have one address."""
    small = {name.lower() for name in headers}
    return "anthropic" if small & {"anthropic-version", "anthropic-beta", "x-api-key"} else "openai"


def read_upload(
    vendor: Vendor, headers: Mapping[str, str], content: bytes, number: int
) -> tuple[FakeUpload, tuple[Refusal, ...]]:
    """The file of a form, and everything for which the vendor would refuse it."""
    small = {name.lower(): value for name, value in headers.items()}
    kind = small.get("content-type", "")
    form = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + kind.encode("latin-1") + b"\r\n\r\n" + content)
    parts = {_field(part): part for part in form.iter_parts()} if form.is_multipart() else {}
    file = parts.get("file")
    id = f"file_{number:024d}" if vendor == "anthropic" else f"file-{number:022d}"
    made = FakeUpload(vendor, id, _name(file), file.get_content_type() if file else "", _content(file))
    return made, tuple(_refusals(made, small, parts))


def _refusals(upload: FakeUpload, headers: Mapping[str, str], parts: Mapping[str, Any]) -> Iterator[Refusal]:
    vendor = upload.vendor
    if "file" not in parts or not upload.name:
        yield Refusal(vendor, "file", ("file",), "a form with a file that has a name is needed")
    elif not upload.content:
        yield Refusal(vendor, "file", ("file",), "the file is empty")
    elif len(upload.content) > LARGEST_FILE[vendor]:
        yield Refusal(vendor, "size", ("file",), f"at most {LARGEST_FILE[vendor]} bytes go", 413)
    purpose = _content(parts.get("purpose")).decode("utf-8", "replace")
    if vendor == "openai" and purpose not in PURPOSES:
        yield Refusal(vendor, "purpose", ("purpose",), f"purpose is one of {', '.join(sorted(PURPOSES))}")
    if vendor == "anthropic" and BETA not in headers.get("anthropic-beta", ""):
        yield Refusal(vendor, "beta", (), f"the header anthropic-beta has to name {BETA}")


def upload_answer(upload: FakeUpload, purpose: str = "user_data") -> dict[str, Any]:
    """The answer that names the file from now on."""
    if upload.vendor == "anthropic":
        about = {"type": "file", "filename": upload.name, "mime_type": upload.mime_type, "downloadable": False}
        return {"id": upload.id, **about, "size_bytes": len(upload.content), "created_at": "2026-01-01T00:00:00Z"}
    about = {"object": "file", "filename": upload.name, "purpose": purpose, "status": "processed"}
    return {"id": upload.id, **about, "bytes": len(upload.content), "created_at": STARTED, "expires_at": None}


def file_refusals(
    vendor: Vendor, body: Mapping[str, Any], headers: Mapping[str, str], uploads: Mapping[str, FakeUpload]
) -> Iterator[Refusal]:
    """A file that is named by an id which nobody was given here, or without the header that names need."""
    named = sorted({id for name in NAMED for id in _ids(body.get(name))})
    if named and vendor == "anthropic" and BETA not in headers.get("anthropic-beta", ""):
        yield Refusal(vendor, "beta", (), f"files are named by ids only with {BETA} in the header anthropic-beta")
    family = "anthropic" if vendor == "anthropic" else "openai"
    for id in named:
        if id not in uploads or uploads[id].vendor != family:
            yield Refusal(vendor, "file", (), f"there is no file {id!r}", 404 if vendor == "anthropic" else 400)


def _ids(value: Any) -> Iterator[str]:
    """The ids of files in messages; what is text, such as the arguments of a call, isn't looked into."""
    if isinstance(value, list):
        for each in value:
            yield from _ids(each)
    elif isinstance(value, dict):
        if isinstance(value.get("file_id"), str):
            yield value["file_id"]
        for name in ("content", "source", "file", "output"):
            yield from _ids(value.get(name))


def _field(part: Message) -> str:
    return str(part.get_param("name", "", header="content-disposition"))


def _name(part: Message | None) -> str:
    return (part.get_filename() or "") if part is not None else ""


def _content(part: Message | None) -> bytes:
    found = part.get_payload(decode=True) if part is not None else b""
    return found if isinstance(found, bytes) else b""
