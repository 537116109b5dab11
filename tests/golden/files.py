"""Files of messages: their text in the message, and their bytes in the form in which they are sent."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, BinaryIO

from ctxlab.assets.claimed_type import claimed_facts
from ctxlab.context import AssetRef, BuildInput, Context, Draft, FileFacts, Transcript
from ctxlab.documents import AssetSource, InlineFile, ModelProfile, Session
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Pipeline, Processor, Services
from ctxlab.processors import AssetResolver, TranscriptionProcessor
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data, Form, GivenSource, drafts_of, files_of, text_of
from tests.golden.materials import agent_of, stored, tokenizer_of

FRAMES: Data = {
    "transcription-processor.text_file_frame": "\n[文件: {name}]\n{fence}\n{text}\n{fence}\n",
    "transcription-processor.document_frame": "\n[文件: {name}]\n{text}\n",
    "transcription-processor.transcript_frame": "\n[转写: {name}]\n{text}\n",
    "transcription-processor.label": "[附件: {index} - {name}]",
    "transcription-processor.unreadable": "send",
}
"""The reference's words around files; it sends what the model can't read."""


@dataclass(frozen=True)
class ClaimedFiles:
    """The files of a case: what their messages say of them is so, since their bytes are a few letters."""

    def open(self, source: AssetSource) -> BinaryIO | None:
        found = bytes_of(source)
        return None if found is None else BytesIO(b64decode(found))

    def facts(self, asset: AssetRef) -> FileFacts | None:
        if bytes_of(asset.source) is None:
            return None
        claimed = claimed_facts(name=asset.name, mime_type=asset.mime_type, kind=asset.kind)
        size = asset.metadata
        return replace(claimed, width=size.get("width"), height=size.get("height"))


def bytes_of(source: AssetSource) -> str | None:
    """The base64 of a file of a case; None where it has none."""
    if isinstance(source, InlineFile):
        return source.base64
    return source.data.get("base64") if isinstance(source, GivenSource) else None


@dataclass(frozen=True)
class KnownTranscripts:
    """The text of text files, and the transcripts that a case has, by the names of their files."""

    by_name: Mapping[str, str]

    def transcribe(
        self, source: AssetSource, *, kind: str, mime_type: str = "", name: str = "", recognise: bool = True
    ) -> Transcript:
        if kind == "text":
            return Transcript.of(b64decode(bytes_of(source) or "").decode(), engine="text")
        if name not in self.by_name:
            raise CtxlabError("the case has no transcript of it")
        return Transcript.of(self.by_name[name], engine="model")


def services_of(data: Data) -> Services:
    """Services that have the files and the transcripts of a case."""
    files = [file for message in data.get("messages") or () for file in message.get("_attachments") or ()]
    transcripts = data.get("transcripts") or {}
    known = {file["name"]: transcripts[file["id"]] for file in files if file["id"] in transcripts}
    return Services(tokenizer_of({}), assets=ClaimedFiles(), transcriber=KnownTranscripts(known))


def _transcribe(data: Data) -> Any:
    wanted = (data.get("settings") or {}).get("transcription") or {}
    settings = {
        **FRAMES,
        "transcription-processor.transcribe": wanted.get("strategy", "smart")
        if wanted.get("enabled", True)
        else "never",
        "transcription-processor.text_after": wanted.get("forceTranscriptionAfter", 10),
        "transcription-processor.prefer_text": wanted.get("smartPrioritizeTranscription", True),
    }
    drafts = _run(TranscriptionProcessor, data, settings, capabilities=data.get("modelCapabilities"))
    return [{"text": str(draft.text), "files": [asset.id for asset in draft.assets]} for draft in drafts]


def _transcribed(case: Case) -> Any:
    return [
        {"text": text_of(message), "files": [file.get("id") or "" for file in files_of(message)]}
        for message in case.expected["messages"]
    ]


def _resolve(data: Data) -> Any:
    settings = {"asset-resolver.unreadable": "send"}
    drafts = _run(AssetResolver, data, settings, capabilities=data.get("capabilities"))
    return [{"text": str(draft.text), "files": [sent_file(asset) for asset in draft.assets]} for draft in drafts]


def _resolved(case: Case) -> Any:
    return [
        {"text": text_of(message), "files": [_sent(part) for part in _media(message)]}
        for message in case.expected["messages"]
    ]


def _run(step: type[Processor], data: Data, settings: Data, *, capabilities: Data | None) -> tuple[Draft, ...]:
    model = stored(ModelProfile, {"id": "m", "capabilities": capabilities or {}})
    build_input = BuildInput(Session(), agent=agent_of(data), model=model)
    pipeline = Pipeline.of([step]).with_settings(settings)
    return pipeline.run(Context(build_input, drafts_of(data["messages"])), services_of(data)).result.drafts


# --- files as they are sent


def sent_file(asset: AssetRef) -> Data:
    """A file of ours as it is sent: its kind and its bytes."""
    return {"type": asset.kind, "bytes": bytes_of(asset.source)}


def sent_form(message: Data, form: Form) -> Form:
    """A message of the reference with its files as they are sent, where they are parts of its content."""
    media = _media(message)
    rest = {name: value for name, value in form.items() if name != "files"}
    return {**rest, "files": [_sent(part) for part in media]} if media else form


def _media(message: Data) -> list[Data]:
    content = message.get("content")
    return [part for part in content if part["type"] != "text"] if isinstance(content, list) else []


def _sent(part: Data) -> Data:
    return {"type": part["type"], "bytes": part.get("imageBase64") or (part.get("source") or {}).get("data")}


ADAPTERS: dict[str, Adapter] = {
    "transcription_processor": Adapter(_transcribe, _transcribed),
    "asset_resolver": Adapter(_resolve, _resolved),
}
