"""Macros of SillyTavern's settings and of the request: sizes, the model, the kind of turn, words of its templates.

What no file says is as the program has it when it is new, or empty; `MacroEnv.facts` says otherwise by a macro's name.
"""

from __future__ import annotations

from collections.abc import Callable

from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.environment import MacroEnv
from ctxlab.engines.macros.registry import NEWER, Macro, MacroFamily, macro

EXTENSIONS = frozenset({"regex", "attachments"})
"""Those of the program that ctxlab knows: they are on where nothing says which are."""
Read = Callable[[MacroEnv], str]
INSTRUCT = (
    ("instructStoryStringPrefix",),
    ("instructStoryStringSuffix",),
    ("instructUserPrefix", "instructInput"),
    ("instructUserSuffix",),
    ("instructAssistantPrefix", "instructOutput"),
    ("instructAssistantSuffix", "instructSeparator"),
    ("instructSystemPrefix",),
    ("instructSystemSuffix",),
    ("instructFirstAssistantPrefix", "instructFirstOutputPrefix"),
    ("instructLastAssistantPrefix", "instructLastOutputPrefix"),
    ("instructStop",),
    ("instructUserFiller",),
    ("instructSystemInstructionPrefix",),
    ("instructFirstUserPrefix", "instructFirstInput"),
    ("instructLastUserPrefix", "instructLastInput"),
)


def tokens(number: int | None) -> str:
    return "" if number is None else str(number)


def left_for_prompt(env: MacroEnv) -> int | None:
    """The context without the room kept for the reply."""
    if env.context_tokens is None:
        return None
    return env.context_tokens - (env.reply_tokens or 0)


SETTINGS: tuple[tuple[tuple[str, ...], str, Read], ...] = (
    (("maxContext", "maxContextTokens"), "Tokens of the context.", lambda env: tokens(env.context_tokens)),
    (("maxPrompt", "maxPromptTokens"), "Tokens left for the prompt.", lambda env: tokens(left_for_prompt(env))),
    (("maxResponse", "maxResponseTokens"), "Tokens kept for the reply.", lambda env: tokens(env.reply_tokens)),
    (("model",), "Name of the model.", lambda env: env.model_id or env.model_name),
    (("lastGenerationType",), "The kind of turn: normal, swipe, continue, ...", lambda env: env.turn),
    (("isMobile",), "Whether the program runs on a phone.", lambda env: "false"),
    (("chatStart",), "The line before a chat in text completion.", lambda env: "***"),
    (("exampleSeparator", "chatSeparator"), "The line before an example in text completion.", lambda env: "***"),
    (("reasoningPrefix",), "What stands before thoughts.", lambda env: "<think>"),
    (("reasoningSuffix",), "What stands after thoughts.", lambda env: "</think>"),
    (("reasoningSeparator",), "What stands between thoughts and a reply.", lambda env: "\n"),
    (("systemPrompt",), "The system prompt of text completion.", lambda env: ""),
    (
        ("defaultSystemPrompt", "instructSystem", "instructSystemPrompt"),
        "The system prompt of text completion, whatever the card says.",
        lambda env: "",
    ),
    (("authorsNote",), "The note of this chat, as it is written.", lambda env: ""),
    (("charAuthorsNote",), "The note of this card, as it is written.", lambda env: ""),
    (("defaultAuthorsNote",), "The note of new chats, as it is written.", lambda env: ""),
    *((names, "A sequence of the instruct template; empty when it is off.", lambda env: "") for names in INSTRUCT),
)


def _settings() -> tuple[Macro, ...]:
    def run(key: str, read: Read) -> Callable[[MacroCall], str]:
        return lambda call: call.env.facts[key] if key in call.env.facts else read(call.env)

    return tuple(
        Macro(name, "post", run(names[0], read), description, dialect=NEWER)
        for names, description, read in SETTINGS
        for name in names
    )


settings = MacroFamily(_settings())


@macro("hasExtension", phase="post", arguments="1", dialect=NEWER)
def has_extension(call: MacroCall) -> str:
    """Whether an extension of the program is on, `true` or `false`."""
    known = call.env.facts.get("extensions")
    names = {name.strip().lower() for name in known.split(",")} if known is not None else EXTENSIONS
    return "true" if call.arguments[0].strip().lower() in names else "false"
