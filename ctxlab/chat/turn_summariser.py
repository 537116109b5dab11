"""The summariser of a turn: the one that the call names, else the settings' model, else chosen sentences."""

from __future__ import annotations

from typing import NamedTuple

from ctxlab.chat.compression.settings import CompressionSettings
from ctxlab.chat.compression.summariser import EXTRACTIVE, Summariser, name_of
from ctxlab.chat.model import ChatModel, VendorModel
from ctxlab.display.short_texts import short
from ctxlab.documents import Note
from ctxlab.providers import provider_of_model
from ctxlab.providers.payload import Payload


class TurnSummariser(NamedTuple):
    """A summariser and notes on settings that it doesn't go by."""

    summariser: Summariser
    notes: tuple[Note, ...] = ()


def turn_summariser(
    settings: CompressionSettings, given: Summariser | None, model: ChatModel, request: Payload
) -> TurnSummariser:
    """The summariser of a turn: the one given, else `summaryModel` by the key of the turn where that is its provider's.

    `request` is one of the turn's model.
    """
    wanted = _wanted_model(settings)
    why_not = _why_not(wanted, given, model, request) if wanted else ""
    if wanted and not why_not and isinstance(model, VendorModel):
        from ctxlab.chat.compression.model_summariser import ModelSummariser

        provider = model.provider or request.provider.name
        return TurnSummariser(ModelSummariser(wanted, provider, model.base_url, model.key, model.client))
    chosen = given if given is not None else EXTRACTIVE
    notes: list[Note] = []
    if wanted:
        used = f"{short(name_of(chosen), 60)} writes the summaries"
        notes.append(Note("warning", f"summaryModel {short(wanted, 60)!r} isn't used, {why_not}; {used}"))
    elif settings.summary_model:
        notes.append(Note("warning", "summaryModel isn't used: it has no modelId"))
    if not callable(chosen):
        prompts = {"summaryPrompt": settings.summary_prompt, "continueSummaryPrompt": settings.continue_summary_prompt}
        unused = [name for name, text in prompts.items() if text.strip()]
        notes += [Note("warning", f"{name} isn't used: sentences are chosen, and no model is asked") for name in unused]
    return TurnSummariser(chosen, tuple(notes))


def _wanted_model(settings: CompressionSettings) -> str:
    found = (settings.summary_model or {}).get("modelId")
    return found.strip() if isinstance(found, str) else ""


def _why_not(wanted: str, given: Summariser | None, model: ChatModel, request: Payload) -> str:
    """Why the model of the settings isn't asked; empty where it is."""
    if given is not None:
        return "since summariser= is given"
    if not isinstance(model, VendorModel):
        return "since the turn's model is a function, which needs no network"
    theirs = provider_of_model(wanted)
    name = request.provider.name
    if "openai-compatible" in (name, theirs.name) or name.removesuffix("-responses") == theirs.name:
        return ""
    return (
        f"since it is of {theirs.name} and the turn's key is of {name}: summariser=model_summariser({wanted!r}) asks it"
    )
