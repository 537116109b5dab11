"""Files that go to their vendor before a request, and are then named in it by the ids that came back."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, Literal, cast

from ctxlab.chat.events import FileUploaded
from ctxlab.context import AssetRef, Cause, Context, Draft, Text
from ctxlab.documents import Session, UploadedFile
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Processor, Services
from ctxlab.providers.file_source import FileBytes, file_source
from ctxlab.providers.media_types import plain_type
from ctxlab.providers.payload import Payload
from ctxlab.providers.sending.file_doors import FileDoor, GivenId, file_door

Uploads = bool | Literal["when-needed"]
ID: Final = "uploaded-files"
UPLOADS: Final = "uploads"
"""Key of a file's metadata: where it was uploaded, each with `provider`, `baseUrl`, `fileId` and perhaps `expires`."""
BASE64: Final = 4 / 3
"""Bytes of a request for each byte of a file in it."""
LEAST_SECONDS: Final = 60
"""Seconds for which an id has to be good at least."""


@dataclass(frozen=True, slots=True)
class FileToUpload:
    """A file of a request whose bytes are in it; `id` is the one of the conversation's file."""

    id: str
    name: str
    mime_type: str
    data: bytes


def files_to_upload(request: Payload, session: Session, uploads: Uploads) -> tuple[FileToUpload, ...]:
    """The files whose bytes are to be uploaded: all that can be, or so many that the request isn't too large.

    Only files of messages are, since the conversation remembers their ids. Where all of them wouldn't do, none is.
    """
    door = file_door(request.provider)
    if door is None or uploads is False:
        return ()
    over = (request.size or 0) - door.largest_request
    if uploads == "when-needed" and over <= 0:
        return ()
    found = list(_candidates(request, door, session))
    if uploads is True:
        return tuple(found)
    chosen: list[FileToUpload] = []
    for file in sorted(found, key=lambda file: -len(file.data)):
        chosen.append(file)
        over -= int(len(file.data) * BASE64)
        if over <= 0:
            return tuple(chosen)
    return ()


def _candidates(request: Payload, door: FileDoor, session: Session) -> Iterator[FileToUpload]:
    known = {asset.id for node in session.path() for asset in node.attachments or () if asset.id}
    for draft in request.trace.result.drafts:
        for asset in draft.assets:
            source = file_source(asset) if asset.id in known else None
            if isinstance(source, FileBytes) and plain_type(source.mime_type) in door.takes:
                known.discard(asset.id)  # each once
                yield FileToUpload(asset.id, asset.name, plain_type(source.mime_type), b64decode(source.base64))


def uploaded(file: FileToUpload, request: Payload, address: str, given: GivenId) -> FileUploaded:
    """The event of an upload that went well."""
    door = file_door(request.provider)
    assert door is not None
    return FileUploaded(file.id, given.file_id, door.account, address, file.name, len(file.data), given.expires)


def with_upload(attachments: Sequence[Any] | None, event: FileUploaded) -> tuple[Any, ...] | None:
    """The files of a message with the id that a vendor gave one of them; None where it has no such file."""
    given = {"provider": event.provider, "baseUrl": event.base_url, "fileId": event.file_id}
    given |= {"expires": event.expires} if event.expires is not None else {}
    found, changed = [], False
    for asset in attachments or ():
        if asset.id == event.file:
            metadata = dict(asset.metadata or {})
            others = [one for one in _uploads_in(metadata) if not _is_at(one, event.provider, event.base_url)]
            asset = asset.with_(metadata={**metadata, UPLOADS: [*others, given]})
            changed = True
        found.append(asset)
    return tuple(found) if changed else None


def _uploads_in(metadata: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    stored = metadata.get(UPLOADS)
    given = cast("list[object]", stored) if isinstance(stored, list | tuple) else []
    return [cast("Mapping[str, Any]", one) for one in given if isinstance(one, Mapping)]


def _is_at(upload: Mapping[str, Any], account: str, base_url: str) -> bool:
    return upload.get("provider") == account and upload.get("baseUrl") == base_url


class UploadedFiles(Processor):
    """Name the files that the vendor of a request has by their ids, in the place of their bytes."""

    id = ID
    name = "Uploaded files"
    description = "Puts the ids of uploaded files in the place of their bytes."
    priority = 10_010
    needs = ("history",)

    def __init__(self, account: str, base_url: str, now: str | None) -> None:
        super().__init__()
        self._account, self._base_url, self._now = account, base_url, now

    def __call__(self, ctx: Context, services: Services) -> Context:
        if not any(self.id_of(asset) for draft in ctx.drafts for asset in draft.assets):
            return ctx
        return ctx.arrange([self._named(draft) for draft in ctx.drafts])

    def id_of(self, asset: AssetRef) -> str | None:
        """The id of a file that the vendor has and doesn't forget within a minute; None where there is none."""
        for upload in _uploads_in(asset.metadata):
            file_id = upload.get("fileId")
            if _is_at(upload, self._account, self._base_url) and isinstance(file_id, str) and file_id:
                return file_id if self._lasts(upload.get("expires")) else None
        return None

    def _named(self, draft: Draft) -> Draft:
        body = tuple(part if isinstance(part, Text) else self._with_id(part) for part in draft.body)
        if all(new is old for new, old in zip(body, draft.body, strict=True)):
            return draft
        return draft.with_body(body, Cause(ID, "uploaded", "the vendor has the bytes already, under an id"))

    def _with_id(self, asset: AssetRef) -> AssetRef:
        file_id = self.id_of(asset)
        return replace(asset, source=UploadedFile(file_id)) if file_id else asset

    def _lasts(self, expires: object) -> bool:
        if expires is None:
            return True
        if not isinstance(expires, str) or self._now is None:
            return False
        try:
            left = datetime.fromisoformat(expires) - datetime.fromisoformat(self._now)
        except (ValueError, TypeError):  # no time at all, or one without a zone
            return False
        return left.total_seconds() > LEAST_SECONDS


def uploaded_step(request: Payload, address: str, now: str | None) -> UploadedFiles:
    """The step that names the files which the vendor at an address has; the vendor has a door for files."""
    door = file_door(request.provider)
    assert door is not None
    return UploadedFiles(door.account, address, now)


def uploaded_files(request: Payload, address: str, now: str | None) -> UploadedFiles | None:
    """The step for the vendor of a request, where there is something for it to do."""
    if file_door(request.provider) is None:
        return None
    step = uploaded_step(request, address, now)
    drafts = request.trace.result.drafts
    return step if any(step.id_of(asset) for draft in drafts for asset in draft.assets) else None


def address_of(request: Payload, client: Any = None) -> str:
    """The base address of a request, by which the ids that were given there are known again."""
    of_client = getattr(client, "base_url", None) if request.base_url is None else None
    return str(of_client or request.base_url or request.provider.base_url).rstrip("/")
