"""SillyTavern's macros where they differ from ours, or where we have none.

In its dialect names may be written in any case, an argument may follow a single colon or a blank, and `<USER>`,
`<BOT>`, `<CHAR>` and `<GROUP>` are macros too.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any, cast

from ctxlab.engines.macros.call import BadCall, MacroCall
from ctxlab.engines.macros.dice import MOST_DICE, MOST_SIDES, random_index
from ctxlab.engines.macros.environment import MacroEnv
from ctxlab.engines.macros.registry import SILLYTAVERN, macro
from ctxlab.lazy_pattern import lazy_pattern

DICE = lazy_pattern(r"(\d{1,4})?d(\d{1,6})([+-]\d{1,9})?", re.ASCII | re.IGNORECASE)
COMMA = lazy_pattern(r"(?<!\\),")


# --- names


@macro("group", "charIfNotGroup", phase="substitute", dialect=SILLYTAVERN)
def group(call: MacroCall) -> str:
    """Name of the agent: there are no groups here."""
    return call.env.char


@macro("model", phase="substitute", dialect=SILLYTAVERN)
def model(call: MacroCall) -> str:
    """Name of the model."""
    return call.env.model_name or call.env.model_id


@macro("charPrompt", phase="substitute", template=True, dialect=SILLYTAVERN)
def char_prompt(call: MacroCall) -> str:
    """The card's own main prompt."""
    return card_text(call.env, "system_prompt")


@macro("charInstruction", "charJailbreak", phase="substitute", template=True, dialect=SILLYTAVERN)
def char_instruction(call: MacroCall) -> str:
    """The card's own instructions after the history."""
    return card_text(call.env, "post_history_instructions")


@macro("charVersion", "char_version", phase="substitute", dialect=SILLYTAVERN)
def char_version(call: MacroCall) -> str:
    """Version of the card."""
    return (call.env.agent.agent_version if call.env.agent else None) or card_text(call.env, "character_version")


@macro("original", phase="substitute", template=True, dialect=SILLYTAVERN)
def original(call: MacroCall) -> str:
    """The prompt that the card's own one stands in for."""
    return call.env.original


@macro("maxPrompt", phase="post", dialect=SILLYTAVERN)
def max_prompt(call: MacroCall) -> str:
    """Number of tokens that the model takes; empty when it isn't known."""
    most = call.env.max_prompt_tokens
    return "" if most is None else str(most)


@macro("lastMessageId", phase="post", dialect=SILLYTAVERN)
def last_message_id(call: MacroCall) -> str:
    """Number of the newest message, the first being 0; empty when there is none."""
    count = call.env.messages.count()
    return str(count - 1) if count else ""


def card_text(env: MacroEnv, name: str) -> str:
    """A text of the character card that was read, whatever its version's layout."""
    carried: Mapping[str, Any] = (env.agent.carried if env.agent else None) or {}
    for key in ("sillytavern", "data"):
        inner = carried.get(key)
        carried = cast("Mapping[str, Any]", inner) if isinstance(inner, Mapping) else carried
    found = carried.get(name)
    return found if isinstance(found, str) else ""


# --- text


@macro("//", phase="post", arguments="0+", dialect=SILLYTAVERN)
def comment(call: MacroCall) -> str:
    """Nothing: a remark for those who read the preset."""
    return ""


@macro("noop", phase="substitute", dialect=SILLYTAVERN)
def noop(call: MacroCall) -> str:
    """Nothing."""
    return ""


@macro("reverse", phase="post", arguments="1", rest=True, dialect=SILLYTAVERN)
def reverse(call: MacroCall) -> str:
    """The argument, back to front."""
    return call.arguments[0][::-1]


@macro("banned", phase="post", arguments="1", rest=True, dialect=SILLYTAVERN)
def banned(call: MacroCall) -> str:
    """Nothing: a word that the model shall not say, for services that can forbid words."""
    if call.run.is_new("banned"):
        call.run.note("{{banned}} forbids words, which no service here can; it is left out", level="info")
    return ""


# --- chance


@macro("roll", phase="pre", arguments="1", dialect=SILLYTAVERN)
def roll(call: MacroCall) -> str:
    """The sum of dice such as 2d6+1, d20, or 20 for one die of so many sides."""
    argument = call.arguments[0].strip()
    match = DICE.fullmatch(f"1d{argument}" if argument.isdecimal() else argument)
    if match is None:
        raise BadCall(f"{argument!r} are no dice; 2d6+1 are two of six sides and one more")
    number, sides, more = int(match.group(1) or 1), int(match.group(2)), int(match.group(3) or 0)
    if not 1 <= number <= MOST_DICE or not 1 <= sides <= MOST_SIDES:
        raise BadCall(f"{argument!r}: from 1 to {MOST_DICE} dice of 1 to {MOST_SIDES} sides can be rolled")
    return str(sum(random_index(call, sides) + 1 for _ in range(number)) + more)


@macro("random", phase="post", arguments="1+", dialect=SILLYTAVERN)
def random(call: MacroCall) -> str:
    """One of the options, by chance; they stand between `::`, or between commas."""
    options = _options(call)
    return options[random_index(call, len(options))]


@macro("pick", phase="post", arguments="1+", dialect=SILLYTAVERN)
def pick(call: MacroCall) -> str:
    """One of the options: always the same in this place of this text in one conversation."""
    options = _options(call)
    place = _begun(call.env.session_id, call.text).copy()
    place.update(str(call.at).encode())
    return options[int.from_bytes(place.digest(), "big") % len(options)]


@lru_cache(maxsize=4)
def _begun(session_id: str, text: str) -> blake2b:
    """A digest of conversation and text that is taken on from at each place: a long text is read once."""
    return blake2b(f"{session_id}\x1f{text}\x1f".encode("utf-8", "surrogatepass"), digest_size=8)


def _options(call: MacroCall) -> tuple[str, ...]:
    argument, *more = call.arguments
    if more:
        return call.arguments
    if "::" in argument:
        return tuple(argument.split("::"))
    return tuple(option.strip().replace("\\,", ",") for option in COMMA.split(argument))
