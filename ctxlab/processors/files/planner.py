"""The decision on a file: from its type, from what the model reads, and from what is wanted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ctxlab.assets.descriptions import (
    Language,
    describe_failed,
    describe_missing,
    describe_too_large,
    describe_unreadable,
    describe_wordless,
    type_for_people,
)
from ctxlab.assets.pictures import MOST_PIXELS, fitted_size
from ctxlab.assets.readers import has_reader
from ctxlab.context import AssetRef, FileFacts, FileRoute, Transcript
from ctxlab.context.file_route import RouteKind
from ctxlab.display.short_texts import counted
from ctxlab.documents import LinkedFile, UploadedFile
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Services
from ctxlab.processors.files.measured_asset import claimed_facts_of, measured_asset, page_picture
from ctxlab.processors.files.outcome import FileOutcome
from ctxlab.processors.files.policy import MOST_INLINE_BYTES, SENDABLE_PICTURES, FilePolicy

PDF = "application/pdf"
DECODED = SENDABLE_PICTURES | {
    "image/bmp",
    "image/x-ms-bmp",
    "image/tiff",
    "image/x-icon",
    "image/vnd.microsoft.icon",
    "image/avif",
}
"""Types of pictures that can be made into one that the vendor takes."""
WITHOUT_MODEL = "no model is named, so it goes as it is"
NOT_AT_HAND = "its bytes are not at hand"
WHY_READ = {
    "text": "text files are read into the message",
    "document": "documents of this type are read into the message",
}
WORDLESS = "there are no words in it"
PLURALS = {
    "image": "pictures",
    "audio": "sound",
    "video": "films",
    "document": "documents",
    "text": "text files",
    "other": "files of this type",
}


class FilePlanner:
    """Decides on files, one at a time, for one model."""

    def __init__(self, policy: FilePolicy, services: Services) -> None:
        self.policy, self.services = policy, services
        self.reads = policy.reads

    def outcome(self, asset: AssetRef, *, depth: int | None, language: Language) -> FileOutcome:
        """The form in which the model gets a file.

        `depth` is the number of messages behind its own; None where that is no reason for anything.

        The asset of the outcome has the kind, the type and the measures that its bytes show.
        """
        one = _OneFile(self, asset, depth, language)
        return one.outcome()


class _OneFile:
    """The decision on one file."""

    def __init__(self, planner: FilePlanner, asset: AssetRef, depth: int | None, language: Language) -> None:
        self.policy, self.services, self.reads = planner.policy, planner.services, planner.reads
        self.depth = depth
        self.language: Language = language
        found = self.services.assets.facts(asset) if self.services.assets is not None else None
        self.is_at_hand = found is not None
        self.facts = found or claimed_facts_of(asset)
        self.asset = measured_asset(asset, self.facts) if self.is_at_hand else asset

    def outcome(self) -> FileOutcome:
        source = self.asset.source
        if isinstance(source, UploadedFile):
            return self._elsewhere("file", "the vendor has it under an id")
        if isinstance(source, LinkedFile) and not self.is_at_hand and self._is_link_of_a_picture(source.url):
            return self._elsewhere("link", "the link of a picture goes as it is, and is not followed here")
        if not self.is_at_hand:
            return self._missing()
        if broken := self._why_broken():
            if self.policy.is_without_model:
                return self._going("unknown", WITHOUT_MODEL, broken)
            return self._described(self._failed(), broken)
        wanted, failure = self._why_text(), ""
        if wanted:
            text = self._text()
            if isinstance(text, Transcript):
                return self._as_text(text, wanted)
            failure = text
        if (pictures := self._pages(failure)) is not None:
            return pictures
        return self._as_file_or_description(failure, wanted)

    def _why_broken(self) -> str:
        """Why nothing can be done with its bytes; empty where they are as they should be."""
        facts = self.facts
        if facts.kind == "image" and not facts.problem and facts.mime_type in DECODED:
            width, height = self._size()
            if facts.spoofed and not width:
                return facts.spoofed
            if width and height and width * height > MOST_PIXELS and self._sent_size() != (width, height):
                return f"it has {width:,} x {height:,} pixels, too many to be scaled"
        return facts.problem

    # --- text

    def _why_text(self) -> str:
        """The reason for which its text is sent instead of the file; empty where it isn't."""
        policy, facts = self.policy, self.facts
        if is_read_as_text(facts):
            return WHY_READ.get(facts.kind, "pictures of this type are text, which is read into the message")
        if facts.kind == "other" or policy.transcribe == "never":
            return ""
        if refused := self._why_not_as_file():
            return refused
        if policy.prefer_text:
            return "the text of a file is preferred to the file"
        if policy.transcribe == "always":
            return "the text of every file is wanted"
        if self.depth is not None and policy.text_after and self.depth >= policy.text_after and _can_age(facts):
            old = f"from {policy.text_after} on pictures, sound and films go as text"
            return f"it stands {counted(self.depth, 'message')} back, and {old}"
        return ""

    def _why_not_as_file(self) -> str:
        """Why the model can't get it as a file, for its kind or its type; empty where it can, or no model is named."""
        if self.policy.is_without_model:
            return ""
        if not self.reads.reads(self.facts.kind):
            return self._why_not_read()
        if self._is_taken():
            return ""
        known = type_for_people(self.facts.mime_type) if self.facts.mime_type else "files of no known type"
        return f"{self._model} reads {PLURALS[self.facts.kind]}, but not as {known}"

    def _text(self) -> Transcript | str:
        """Its text, or a sentence on why there is none."""
        transcriber, asset, facts = self.services.transcriber, self.asset, self.facts
        if transcriber is None:
            return self.policy.why_unread
        pictures_follow = facts.mime_type == PDF and self.reads.reads("image") and self.policy.transcribe != "always"
        try:
            text = transcriber.transcribe(
                asset.source,
                kind=facts.kind,
                mime_type=facts.mime_type,
                name=asset.name,
                recognise=not pictures_follow,
            )
        except CtxlabError as error:
            return str(error)
        if not text.text.strip():
            return WORDLESS
        return text

    def _as_text(self, text: Transcript, reason: str) -> FileOutcome:
        text = shortened(text, self.policy.most_characters)
        problem = "; ".join([*_said(self.facts.spoofed), *text.problems])
        return FileOutcome(self.asset, self.facts, "text", reason, transcript=text, problem=problem)

    # --- the file itself

    def _as_file_or_description(self, failure: str, wanted: str) -> FileOutcome:
        facts = self.facts
        if failure and is_read_as_text(facts):
            return self._described(self._wordless() if failure == WORDLESS else self._failed(), failure)
        if self.policy.is_without_model:
            return self._going("unknown", f"{WITHOUT_MODEL}{_unmet(wanted, failure)}")
        if refused := self._why_not_as_file():
            return self._described(self._unreadable(), f"{refused}, and {failure}" if failure else refused)
        most = self.reads.max_bytes(facts.kind) or MOST_INLINE_BYTES
        if facts.size_bytes and facts.size_bytes > most and facts.kind != "image":
            return self._described(
                self._too_large(most), f"it has {facts.size_bytes:,} bytes, more than the {most:,} sent"
            )
        kind: RouteKind = "file"
        if facts.kind == "image":
            kind = "picture"
        elif facts.kind == "audio" or facts.kind == "video":
            kind = facts.kind
        elif self.reads.document_format == "openai_file":
            kind = "upload"
        return self._going(kind, f"{self._model} reads {PLURALS[facts.kind]}{_unmet(wanted, failure)}")

    def _is_taken(self) -> bool:
        """Whether the vendor takes files of this type, as they are or made into another."""
        mime_type = self.facts.mime_type
        if self.facts.kind == "image":
            return mime_type in DECODED or self._is_taken_as_it_is()
        if self.facts.kind in ("document", "other") and not self.reads.mime_types:
            return mime_type == PDF
        return self.reads.takes(self.facts.kind, mime_type)

    def _is_taken_as_it_is(self) -> bool:
        """Whether the vendor takes pictures of this type."""
        mime_type = self.facts.mime_type
        return mime_type in (self.reads.mime_types or SENDABLE_PICTURES)

    def _going(self, kind: RouteKind, reason: str, failure: str = "") -> FileOutcome:
        facts = self.facts
        width, height = self._sent_size() if facts.kind == "image" else (None, None)
        most = self.reads.max_bytes("image") if kind == "picture" else None
        is_large = bool(most and facts.size_bytes and facts.size_bytes > most)
        converts = kind == "picture" and (is_large or not self._is_taken_as_it_is())
        route = FileRoute(kind, reason, width, height, converts=converts, max_bytes=most)
        problem = "; ".join(_said(facts.spoofed, failure))
        return FileOutcome(self.asset, facts, kind, reason, (replace(self.asset, route=route),), problem=problem)

    def _sent_size(self) -> tuple[int | None, int | None]:
        """Pixels of the picture that is sent; None where its size isn't known."""
        width, height = self._size()
        side = self.policy.longest_side
        if width is None or height is None or self.policy.is_without_model or side is None:
            return width, height
        return fitted_size(width, height, side)

    def _size(self) -> tuple[int, int] | tuple[None, None]:
        """Pixels of a picture; of one that is made into another type they are read by what makes it."""
        facts, assets = self.facts, self.services.assets
        if facts.width and facts.height:
            return facts.width, facts.height
        file = assets.open(self.asset.source) if assets is not None and facts.mime_type in DECODED else None
        if file is None:
            return None, None
        from ctxlab.assets.pictures import picture_size

        with file:
            return picture_size(file.read(MOST_INLINE_BYTES)) or (None, None)

    # --- pictures of its pages

    def _pages(self, failure: str) -> FileOutcome | None:
        """Pictures of the pages of a PDF without text, for a model that reads pictures and no documents."""
        facts, asset, assets = self.facts, self.asset, self.services.assets
        is_wanted = facts.mime_type == PDF and self.reads.reads("image") and not self.reads.reads("document")
        if not is_wanted or not self.policy.page_pictures or assets is None:
            return None
        from ctxlab.assets.pictures import pdf_pages_as_pictures

        file = assets.open(asset.source)
        if file is None:
            return None
        with file:
            data = file.read(MOST_INLINE_BYTES + 1)
        if len(data) > MOST_INLINE_BYTES:
            return None
        try:
            pages = pdf_pages_as_pictures(
                data, max_pages=self.policy.page_pictures, max_side=self.policy.longest_side or 1568
            )
        except CtxlabError:
            return None
        reason = f"{self._model} reads pictures and no documents, so its pages go as pictures"
        files = tuple(page_picture(asset, n, page, reason) for n, page in enumerate(pages, 1))
        more = (facts.pages or 0) - len(pages)
        beyond = f"only its first {len(pages)} of {facts.pages} pages are sent" if more > 0 else ""
        problem = "; ".join(_said(facts.spoofed, failure, beyond))
        return FileOutcome(asset, facts, "picture", reason, files, problem=problem)

    # --- elsewhere, or not at all

    def _elsewhere(self, kind: RouteKind, reason: str) -> FileOutcome:
        """A file whose bytes are with the vendor or behind a link."""
        if not self.policy.is_without_model and not self.reads.reads(self.facts.kind):
            return self._described(self._unreadable(), self._why_not_read())
        return self._going(kind, reason)

    def _is_link_of_a_picture(self, url: str) -> bool:
        """Whether vendors follow the link themselves: that of a picture of a type that they take, on the web."""
        facts = self.facts
        taken = facts.mime_type in ("", *SENDABLE_PICTURES) or facts.decided_by == "nothing"
        return facts.kind == "image" and taken and url.lower().startswith(("http://", "https://"))

    def _missing(self) -> FileOutcome:
        """A file whose bytes nobody has: a description, or for no model and where files are to be sent a reference."""
        if self.policy.is_without_model or not self.policy.describe:
            reason = f"{NOT_AT_HAND}, so it stays a reference"
            route = FileRoute("unknown", reason)
            return FileOutcome(
                self.asset, self.facts, "unknown", reason, (replace(self.asset, route=route),), problem=NOT_AT_HAND
            )
        return self._described(describe_missing(**self._names()), NOT_AT_HAND)

    def _described(self, description: str, reason: str) -> FileOutcome:
        """A description instead of the file, unless files that the model can't read are to be sent nevertheless."""
        if not self.policy.describe:
            return self._going("unknown", "files that can't be read are to be sent nevertheless", reason)
        problem = self.facts.spoofed
        return FileOutcome(self.asset, self.facts, "description", reason, description=description, problem=problem)

    def _unreadable(self) -> str:
        return describe_unreadable(**self._names())

    def _too_large(self, most: int) -> str:
        size = self.facts.size_bytes or 0
        return describe_too_large(**self._names(), size_bytes=size, most_bytes=most)

    def _wordless(self) -> str:
        return describe_wordless(**self._names())

    def _failed(self) -> str:
        asset = self.asset
        return describe_failed(name=asset.name, id=asset.id, language=self.language)

    def _names(self) -> dict[str, Any]:
        mime_type = self.facts.mime_type or self.asset.mime_type
        return {"name": self.asset.name, "id": self.asset.id, "mime_type": mime_type, "language": self.language}

    def _why_not_read(self) -> str:
        if not self.reads.known:
            return f"nothing is known of {self._model}, so that it counts as reading text only"
        return f"{self._model} reads no {PLURALS[self.facts.kind]}"

    @property
    def _model(self) -> str:
        return self.policy.model or "the model"


# --- pieces


def is_read_as_text(facts: FileFacts) -> bool:
    """Whether a file's text is always sent: text files, Office documents, mails, and pictures that are text."""
    if facts.kind == "text":
        return True
    if facts.kind == "document":
        return facts.mime_type != PDF and has_reader(facts)
    return facts.mime_type == "image/svg+xml"


def _can_age(facts: FileFacts) -> bool:
    """Whether the file goes as text once it is old: a document costs no less as text."""
    return facts.kind in ("image", "audio", "video")


def shortened(text: Transcript, most: int) -> Transcript:
    """The text up to a number of characters; the rest is named as a problem."""
    if not most or len(text.text) <= most:
        return text
    left, kept = most, []
    for passage in text.passages:
        if left <= 0:
            break
        kept.append(replace(passage, text=passage.text[:left]))
        left -= len(passage.text)
    return replace(
        text,
        passages=tuple(kept),
        problems=(*text.problems, f"only its first {most:,} characters are sent"),
    )


def _unmet(wanted: str, failure: str) -> str:
    """The end of a reason: a wish for the text of a file that goes as a file after all; empty where there was none."""
    return f"; its text isn't sent, although {wanted}: {failure}" if failure else ""


def _said(*sentences: str) -> list[str]:
    return [sentence for sentence in sentences if sentence]
