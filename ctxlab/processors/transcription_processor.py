"""Files of the history as the model gets them: their text, the files themselves, or a short description."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ctxlab.assets.capabilities import capabilities_of
from ctxlab.context import Context
from ctxlab.documents import Agent, ModelProfile, ProcessorEntry
from ctxlab.pipeline import Processor, ProcessorSettings, Services
from ctxlab.processors.files.policy import FilePolicy, Frames, WantedLanguage, name_of_model
from ctxlab.processors.files.report import AttachmentReport
from ctxlab.processors.injection.presets import presets_of
from ctxlab.processors.session_loader import stored_setting

ID = "transcription-processor"


class TranscriptionProcessor(Processor):
    """Decide how the model gets each file; the AttachmentReport is its report, with the table `attachments`."""

    id = ID
    name = "Attachments"
    description = (
        "Reads text files and documents into the message, transcribes what the model can't read, keeps the other files,"
        " and describes what nothing can read."
    )
    priority = 250
    is_core = True
    waits = True
    aliases = ("transcription", "primary:transcription-processor")
    needs = ("history",)

    class Settings(ProcessorSettings):
        transcribe: Literal["smart", "always", "never"] = Field(
            "smart",
            title="Transcribe",
            description="smart sends the text of pictures, sound, films and PDF that the model can't read; always that"
            " of every file; never that of text files and documents alone.",
        )
        text_after: int = Field(
            0,
            ge=0,
            title="As text after",
            description="Messages behind a file from which on pictures, sound and films go as text; 0 is never.",
        )
        prefer_text: bool = Field(
            False,
            title="Prefer text",
            description="Send the text of a file where there is one, whatever the model reads.",
        )
        unreadable: Literal["describe", "send"] = Field(
            "describe",
            title="Unreadable files",
            description="describe puts three lines in the place of a file that the model can't read; send sends it.",
        )
        language: WantedLanguage = Field(
            "auto",
            title="Language",
            description="Of descriptions; auto is that of the message, else of those before it.",
        )
        picture_side: int | None = Field(
            None,
            ge=16,
            title="Picture side",
            description="Longest side of pictures, in pixels; none is the model's limit.",
        )
        page_pictures: int = Field(
            20,
            ge=0,
            title="Pages as pictures",
            description="Pages of a PDF without text that go as pictures to a model that reads pictures only.",
        )
        most_characters: int = Field(
            100_000, ge=0, title="Most characters", description="Of the text of one file; 0 is no limit."
        )
        text_file_frame: str = Field(
            "\n[file: {name}]\n{fence}\n{text}\n{fence}\n",
            title="Text file",
            description="Words around the text of a text file: {name}, {text}, {fence}.",
        )
        document_frame: str = Field(
            "\n[file: {name}]\n{text}\n",
            title="Document",
            description="Words around the text of a document: {name}, {text}, {fence}.",
        )
        transcript_frame: str = Field(
            "\n[transcript of {name}]\n{text}\n",
            title="Transcript",
            description="Words around what was recognised or heard: {name}, {text}, {fence}.",
        )
        label: str = Field(
            "[attachment {index}: {name}]",
            title="Label",
            description="Words in the place of 【file::id】 where the file goes along: {index}, {name}.",
        )

    settings: Settings

    @classmethod
    def settings_from(cls, stored: Agent | ModelProfile) -> ProcessorEntry | None:
        wanted = stored_setting(stored.parameters if isinstance(stored, Agent) else None, "imageCompression")
        side = wanted.get("maxDimension", 4096)
        if wanted.get("enabled") is not True or not isinstance(side, int) or side < 16:
            return None
        return ProcessorEntry(id=cls.id, settings={"picture_side": side})

    def __call__(self, ctx: Context, services: Services) -> Context:
        has_files = any(draft.assets for draft in ctx.drafts)
        if not has_files and not any(preset.node.preset_attachments for preset in presets_of(ctx.input)):
            return ctx
        from ctxlab.processors.files.message_files import MessageFiles  # with all that reads files

        files = MessageFiles(self.policy(ctx.input.model), services, processor=ID)
        newest = len(ctx.drafts) - 1
        drafts = [files.applied(draft, depth=newest - i) for i, draft in enumerate(ctx.drafts)]
        return ctx.arrange(drafts).put(AttachmentReport(tuple(files.rows), files.policy)).noted([*files.notes()])

    def policy(self, model: ModelProfile | None) -> FilePolicy:
        """The wishes for files that go to a model."""
        wanted = self.settings
        return FilePolicy(
            capabilities_of(model),
            name_of_model(model),
            Frames(wanted.text_file_frame, wanted.document_frame, wanted.transcript_frame, wanted.label),
            transcribe=wanted.transcribe,
            text_after=wanted.text_after,
            prefer_text=wanted.prefer_text,
            describe=wanted.unreadable == "describe",
            language=wanted.language,
            picture_side=wanted.picture_side,
            page_pictures=wanted.page_pictures,
            most_characters=wanted.most_characters,
        )
