"""The way out of a loss that no setting of ctxlab mends, in words."""

from __future__ import annotations

from typing import Final

from ctxlab.rendering.template_effect import EffectKind, TemplateEffect

TRIED: Final = "no set of settings that was tried mends it"
OF_KIND: Final[dict[EffectKind, str]] = {
    "dropped": "The template writes nothing of it",
    "doubled": "The template writes these words more than once",
    "forged": "The template writes these words as they are",
    "shortened": "The template takes these words out itself",
    "merged": "The template writes no mark between these messages",
    "moved": "The template has a place of its own for this message",
    "refused": "The template refuses such messages",
}


def advice_on(effect: TemplateEffect, *, typed_parts_help: bool) -> str:
    """A sentence on a loss without a remedy; `typed_parts_help` says whether messages of typed parts are carried."""
    if typed_parts_help and effect.kind in ("refused", "dropped", "moved") and effect.thing == "words":
        return "With typed_parts=True each message is a list of parts, and the template carries all of them in order."
    return f"{OF_KIND[effect.kind]}; {TRIED}."


def beginning_advice(begin: str, template: str, *, can_be_left_out: bool) -> str:
    """A sentence on a token that stands twice at the beginning."""
    if can_be_left_out:
        return f'With variables={{"bos_token": ""}} the template leaves its {begin} out, and one is left.'
    return f"No setting leaves one out: take a {begin} out of {template}, or tell the server to add none."
