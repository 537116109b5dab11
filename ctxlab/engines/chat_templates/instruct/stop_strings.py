"""Texts at which an answer ends: names, sequences, and the headings of a context template."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ctxlab.engines.chat_templates.instruct.preset import InstructPreset
from ctxlab.engines.chat_templates.instruct.preset_macros import PresetMacros
from ctxlab.engines.chat_templates.instruct.render_instruct import SYSTEM, TurnKind

SEQUENCES: Final = (
    *("stop_sequence", "input_sequence", "output_sequence", "first_output_sequence", "last_output_sequence"),
    *("system_sequence", "last_system_sequence"),
)
"""Sequences whose lines end an answer, in order."""


def stop_strings(
    preset: InstructPreset,
    *,
    user: str = "User",
    char: str = "Assistant",
    kind: TurnKind = "normal",
    ends_with_user: bool = True,
) -> tuple[str, ...]:
    """The texts at which an answer ends, each once, in the order in which SillyTavern sends them.

    `ends_with_user` says whether the last message is the user's, which counts where it is continued.
    """
    macros = PresetMacros(user, char, preset.name)
    return tuple(dict.fromkeys(_stops(preset, macros, kind, ends_with_user=ends_with_user)))


def _stops(preset: InstructPreset, macros: PresetMacros, kind: TurnKind, *, ends_with_user: bool) -> Iterator[str]:
    context, sequences = preset.context, preset.sequences
    if context.single_line:
        yield "\n"
    if context.names_as_stop_strings:
        if kind == "impersonate":
            yield f"\n{macros.char}:"
        yield f"\n{macros.user}:"
        if kind == "continue" and ends_with_user:
            yield f"\n{macros.char}:"
    before = "\n" if sequences.wrap else ""
    for key in SEQUENCES if sequences.sequences_as_stop_strings else SEQUENCES[:1]:
        for line in _filled(getattr(sequences, key), key, preset, macros).split("\n"):
            if line.strip():
                yield before + line
    if context.use_stop_strings:
        for heading in (context.chat_start, context.example_separator):
            if heading.strip():
                yield "\n" + macros.expanded(heading)


def _filled(sequence: str, key: str, preset: InstructPreset, macros: PresetMacros) -> str:
    """A sequence with the names in it; those of the speaker are filled in even where macros are off."""
    name = {"input": macros.user, "output": macros.char, "system": SYSTEM}.get(key.split("_")[-2], macros.char)
    if preset.sequences.macro:
        return macros.expanded(sequence, name)
    return sequence.replace("{{name}}", name)
