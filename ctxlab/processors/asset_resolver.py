"""The bytes of the files that are sent, in the form of their route; words and tokens stay as they are."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Literal

from pydantic import Field

from ctxlab.assets.capabilities import capabilities_of
from ctxlab.assets.descriptions import one_line
from ctxlab.assets.references import bytes_of_base64
from ctxlab.context import AssetRef, Cause, Context, Draft, Origin, Text
from ctxlab.context.file_words import file_id
from ctxlab.documents import Agent, InlineFile, LinkedFile, ModelProfile, Note, ProcessorEntry
from ctxlab.documents.frozen_json import FrozenDict
from ctxlab.documents.session.inline_bytes import is_standard_base64, shown
from ctxlab.errors import CtxlabError
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Processor, ProcessorSettings, Services, form_hints
from ctxlab.processors.files.policy import (
    MOST_INLINE_BYTES,
    FilePolicy,
    Frames,
    name_of_model,
)
from ctxlab.processors.files.report import AttachmentReport
from ctxlab.processors.session_loader import stored_setting

ID = "asset-resolver"
ELSEWHERE = ("link", "upload")
"""Routes of files whose bytes aren't put into the request."""
WORDS_ONLY = ("text", "description")
PLAIN = Frames("{name}\n{text}", "{name}\n{text}", "{name}\n{text}", "{name}")


class AssetResolver(Processor):
    """Put the bytes of each remaining file into the message; pictures scaled to what the model takes."""

    id = ID
    name = "Asset resolver"
    description = "Reads the files that are sent, scales pictures to the model's limit, and says how each file is sent."
    priority = 10_000
    is_core = True
    aliases = ("primary:asset-resolver",)

    class Settings(ProcessorSettings):
        unreadable: Literal["describe", "send"] = Field(
            "describe",
            title="Unreadable files",
            description="What is done with files that no earlier step has decided on and the model can't read.",
            json_schema_extra=form_hints(labels={"describe": "described in words", "send": "sent as they are"}),
        )
        picture_format: Literal["original", "jpeg", "webp"] = Field(
            "original",
            title="Picture format",
            description="Format of pictures that are scaled or converted; original keeps it where vendors take it.",
            json_schema_extra=form_hints(labels={"original": "as it is", "jpeg": "JPEG", "webp": "WebP"}),
        )
        picture_quality: int = Field(
            85, ge=1, le=100, title="Picture quality", description="Of JPEG and WebP pictures that are made."
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        wanted = stored_setting(stored.parameters if isinstance(stored, Agent) else None, "imageCompression")
        if wanted.get("enabled") is not True:
            return None
        settings: dict[str, Any] = {}
        if wanted.get("format") in ("original", "jpeg", "webp"):
            settings["picture_format"] = wanted["format"]
        quality = wanted.get("quality")
        if isinstance(quality, int | float) and 0 < quality <= 1:
            settings["picture_quality"] = round(quality * 100)
        return ProcessorEntry(id=cls.id, settings=settings)

    def __call__(self, ctx: Context, services: Services) -> Context:
        report = ctx.report(AttachmentReport)
        if report is None and not any(draft.assets for draft in ctx.drafts):
            return ctx
        ctx, rows = self._undecided(ctx, services, report)
        resolver = _Resolver(services, self.settings)
        ctx = ctx.edit(resolver.resolved)
        rows = _rows_of_result(rows, ctx.drafts, resolver.changed)
        return ctx.put(AttachmentReport(tuple(rows))).noted(resolver.notes)

    def _undecided(
        self, ctx: Context, services: Services, report: AttachmentReport | None
    ) -> tuple[Context, list[Mapping[str, Any]]]:
        """Files that no step has decided on, such as those that a plugin brings, or all where no step does."""
        rows = list(report.files) if report is not None else []
        if all(asset.route for draft in ctx.drafts for asset in draft.assets):
            return ctx, rows
        from ctxlab.processors.files.message_files import MessageFiles

        model = ctx.input.model
        policy = FilePolicy(
            capabilities_of(model),
            name_of_model(model),
            PLAIN,
            transcribe="never",
            why_unread="what reads files into messages is switched off",
            describe=self.settings.unreadable == "describe",
        )
        files = MessageFiles(policy, replace(services, transcriber=None), processor=ID)
        ctx = ctx.edit(lambda draft: files.applied(draft) if any(not a.route for a in draft.assets) else draft)
        anew = {(row["key"], row["file"]) for row in files.rows}
        kept = [row for row in rows if (row["key"], row["file"]) not in anew]
        return ctx.noted([*files.notes()]), [*kept, *files.rows]


@dataclass(slots=True)
class _Resolver:
    """Reads the bytes of files, each once."""

    services: Services
    settings: AssetResolver.Settings
    notes: list[Note] = field(default_factory=list[Note])
    changed: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict[tuple[str, str], dict[str, Any]])
    """By key of a message and id of a file, cells of its row that come out otherwise than it was decided."""

    def resolved(self, draft: Draft) -> Draft:
        if not draft.assets:
            return draft
        body = tuple(self._parts(draft))
        if len(body) == len(draft.body) and all(new is old for new, old in zip(body, draft.body, strict=True)):
            return draft
        return draft.with_body(body, Cause(ID, "bytes", "the bytes of its files go along"))

    def _parts(self, draft: Draft) -> Iterator[Text | AssetRef]:
        for part in draft.body:
            yield part if isinstance(part, Text) else self._with_bytes(part, draft)

    def _with_bytes(self, asset: AssetRef, draft: Draft) -> AssetRef | Text:
        route = asset.route
        if route is None or route.kind in ELSEWHERE:
            return asset
        scales = route.kind == "picture" and self._is_made_anew(asset)
        if not scales and _carries_its_bytes(asset):
            return asset
        data = self._read(asset)
        if data is None:
            if route.kind != "unknown" or (asset.size_bytes or 0) > MOST_INLINE_BYTES:
                self._tell(asset, draft, "its bytes can't be put into the request, so it stays a reference")
            return asset
        mime_type = asset.mime_type
        if scales:
            try:
                data, mime_type = self._picture(asset, data, draft)
            except CtxlabError as error:
                return self._described(asset, draft, str(error))
        inline = InlineFile(b64encode(data).decode(), mime_type)
        return replace(asset, source=inline, mime_type=mime_type, size_bytes=len(data))

    def _is_made_anew(self, asset: AssetRef) -> bool:
        """Whether a picture is scaled, or made into a format that is wanted or that the vendor takes."""
        route, size, wanted = asset.route, asset.metadata, self.settings.picture_format
        assert route is not None
        is_scaled = bool(route.width) and (route.width, route.height) != (size.get("width"), size.get("height"))
        return is_scaled or route.converts or wanted not in ("original", asset.mime_type.removeprefix("image/"))

    def _picture(self, asset: AssetRef, data: bytes, draft: Draft) -> tuple[bytes, str]:
        """The picture made anew, and its type; raises CtxlabError when it can't be decoded."""
        from ctxlab.assets.pictures import picture_frames, scaled_picture, vendor_ready

        route, wanted = asset.route, self.settings
        assert route is not None
        if not route.width or not route.height:
            return vendor_ready(data, asset.mime_type)
        made, mime_type = scaled_picture(
            data,
            width=route.width,
            height=route.height,
            mime_type=asset.mime_type,
            form=wanted.picture_format if wanted.picture_format != "original" else "png" if route.converts else "",
            quality=wanted.picture_quality,
            max_bytes=route.max_bytes,
        )
        frames = picture_frames(data) if made is not data else 1
        if frames > 1:
            self._tell(asset, draft, f"only the first of its {frames:,} pictures is sent")
        if route.max_bytes is not None and len(made) > route.max_bytes:
            self._tell(asset, draft, f"it has {len(made):,} bytes, more than the {route.max_bytes:,} that are taken")
        return made, mime_type

    def _described(self, asset: AssetRef, draft: Draft, why: str) -> Text:
        """A description of a picture that turns out not to be decodable, in the place where it would have stood."""
        from ctxlab.assets.descriptions import describe_failed
        from ctxlab.processors.files.message_files import HAN

        language = "zh" if HAN.search(str(draft.text)) else "en"
        words = f"\n{describe_failed(name=asset.name, id=asset.id, language=language)}\n"
        tokens = self.services.tokenizer.count(words)
        self._change(asset, draft, sent_as="description", reason=why, tokens=tokens)
        self.notes.append(_note(asset, draft, why))
        return Text.of(words, Origin("attachment", one_line(asset.name)), Cause(ID, "description", why))

    def _tell(self, asset: AssetRef, draft: Draft, problem: str) -> None:
        self._change(asset, draft, problem=problem)
        self.notes.append(_note(asset, draft, problem))

    def _change(self, asset: AssetRef, draft: Draft, **cells: Any) -> None:
        for key in (draft.key, *(part.key for part in draft.merged)):
            self.changed.setdefault((key, asset.id), {}).update(cells)

    def _read(self, asset: AssetRef) -> bytes | None:
        """The bytes; None where they are not at hand, too many, or broken."""
        if isinstance(asset.source, InlineFile):
            try:
                return bytes_of_base64(asset.source.base64)
            except CtxlabError:
                return None
        store = self.services.assets
        file = store.open(asset.source) if store is not None else None
        if file is None:
            return None
        with file:
            data = file.read(MOST_INLINE_BYTES + 1)
        return data if len(data) <= MOST_INLINE_BYTES else None


def _note(asset: AssetRef, draft: Draft, text: str) -> Note:
    name = one_line(shown(asset.name or asset.id))
    return Note("warning", f"{name}: {text}", ID, {"message": draft.key, "file": shown(asset.id)})


def _rows_of_result(
    rows: Iterable[Mapping[str, Any]], drafts: Sequence[Draft], changed: Mapping[tuple[str, str], Mapping[str, Any]]
) -> list[Mapping[str, Any]]:
    """The rows of files with what came out: those whose message or file isn't sent any more are cut."""
    along: dict[str, set[str]] = {}
    for draft in drafts:
        ids = {file_id(asset) for asset in draft.assets}
        for key in (draft.key, *(part.key for part in draft.merged)):
            along.setdefault(key, set()).update(ids)
    found: list[Mapping[str, Any]] = []
    for row in rows:
        key, file = row["key"], row["file"]
        cells = dict(changed.get((key, file), {}))
        if key not in along or (row["sent_as"] not in WORDS_ONLY and not cells and file not in along[key]):
            cells = {"state": "cut"}
        found.append(FrozenDict({**row, **cells}) if cells else row)
    return found


def _carries_its_bytes(asset: AssetRef) -> bool:
    """Whether the bytes are in the message already, under the type that they have, as every vendor decodes them."""
    match asset.source:
        case InlineFile(base64, mime_type):
            return mime_type in ("", asset.mime_type) and is_standard_base64(base64)
        case LinkedFile(url):
            head, _, body = url.partition(",")
            of_that_type = head[5:].partition(";")[0] in ("", asset.mime_type)
            packed = not head.endswith(";base64") or is_standard_base64(body)
            return head.startswith("data:") and of_that_type and packed
        case _:
            return False
