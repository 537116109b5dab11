"""Settings of translations, as programs store them under `translation`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from ctxlab.documents.stored import Stored

DisplayMode = Literal["original", "translation", "both"]
LANGUAGES = ("Chinese", "English", "Japanese", "Korean", "French", "German", "Spanish", "Russian")


class TranslationSettings(Stored):
    """Settings of translations, by the names that files use."""

    enabled: bool = True
    model_identifier: str = Field("", description="profile:model; blank for the conversation's own model.")
    message_target_lang: str = Field("Chinese", description="Language that messages are translated into.")
    input_target_lang: str = Field("English", description="Language that what is being typed is translated into.")
    target_lang_list: tuple[str, ...] = Field(LANGUAGES, description="Languages to choose from.")
    prompt: str = Field(
        "", description="A prompt of one's own with {targetLang}, {text}, {thinkTags}; blank: built in."
    )
    temperature: float = Field(0.3, ge=0)
    max_tokens: int = Field(2000, ge=1, description="Tokens of the answer to one segment.")
    display_mode: DisplayMode = "both"
    segment_characters: int = Field(1500, ge=1, description="Characters of a segment, which is one request.")
    parallel: int = Field(4, ge=1, description="Segments that are on their way at once; a function gets one at a time.")
    attempts: int = Field(2, ge=1, description="Times that a segment is asked for until its answer is right.")
