"""One run of the injection step: everything at hand, the notes on it, and the messages that are left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Final

from ctxlab.context import Cause, Context, Draft
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import Services
from ctxlab.processors.injection.plan import Places
from ctxlab.processors.injection.presets import Preset
from ctxlab.processors.injection.read_preset_placement import Anchor
from ctxlab.processors.injection.settings import InjectionSettings

ID: Final = "injection-assembler"
Piece = Draft | tuple[Draft, ...]
"""A preset or lore, or a stretch of history that is taken over as it is."""


@dataclass(slots=True)
class InjectionRun:
    """The state of one run. `history` are the messages of the conversation, with what settings put to their texts.

    `dialects` are those of the texts and `names` what presets are in SillyTavern's prompt, by key; `lore` is the place
    of each entry among those that fired.
    """

    ctx: Context
    settings: InjectionSettings
    services: Services
    history: tuple[Draft, ...]
    anchors: Mapping[str, Anchor]
    places: Places
    dialects: dict[str, str | None] = field(default_factory=dict[str, str | None])
    names: dict[str, str | None] = field(default_factory=dict[str, str | None])
    lore: dict[str, int] = field(default_factory=dict[str, int])
    left_out: dict[Cause, list[Draft]] = field(default_factory=dict[Cause, list[Draft]])

    @property
    def members(self) -> tuple[str, ...]:
        """The names of a group's members; none in a talk with one character."""
        return self.ctx.input.group.members if self.ctx.input.group is not None else ()

    def leave_out(self, cause: Cause, drafts: Iterable[Draft]) -> None:
        self.left_out.setdefault(cause, []).extend(drafts)

    def warn(self, text: str, preset: Preset) -> None:
        """A warning that names a preset."""
        self.ctx = self.ctx.note("warning", text, processor=ID, preset=preset.index, key=preset.key)

    def warn_of(self, text: str, draft: Draft) -> None:
        """A warning that names a draft; its number among the presets of its level is None for lore."""
        index = draft.placement.index if draft.placement is not None else None
        self.ctx = self.ctx.note("warning", text, processor=ID, preset=index, key=draft.key)
