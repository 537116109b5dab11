"""A case through fast-tavern and through ctxlab; both results in one form."""

from __future__ import annotations

import copy
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import ctxlab
from ctxlab import Agent, Pipeline, RegexPreset, Session, UserProfile, Variables, Worldbook
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.formats.sillytavern import card_from, joined, preset_from
from ctxlab.formats.sillytavern.lorebooks.format import book_from
from ctxlab.formats.sillytavern.regex_scripts import preset_of
from tests.golden.second_opinion.case import Case, Data
from tests.reports import left

if TYPE_CHECKING:
    from ctxlab import Trace

FORMATTERS = ("merge-system", "merge-consecutive", "convert-system", "ensure-alternating")
ROLES = {"model": "assistant"}
PASSES = 20
"""As many as ctxlab makes."""
TARGETS = {"user": "userInput", "assistant": "aiOutput"}
VIEWS = {"request": "model", "render": "user"}


def theirs(case: Case) -> Any:
    """What fast-tavern makes of it."""
    return _THEIRS[case.kind](copy.deepcopy(case.data))


def ours(case: Case) -> Any:
    """What ctxlab makes of it."""
    return _OURS[case.kind](copy.deepcopy(case.data))


# --- prompts


def _their_prompt(data: Data) -> Any:
    import fast_tavern

    built = fast_tavern.build_prompt_from_silly_tavern(
        preset=data["preset"],
        character=data.get("card"),
        globals={"worldBooks": data["books"], "regexScripts": data.get("scripts") or []},
        history=[{"role": one["role"], "content": one["text"]} for one in data["chat"]],
        view="model",
        output_format="tagged",
        macros=data["names"],
        options={"recentHistoryForWorldbook": data["depth"], "recursionLimit": PASSES - 1, "rng": lambda: 0.5},
    )
    messages = built["stages"]["output"]["afterPostRegex"]
    return {
        "fired": sorted(entry["name"] for entry in built["activeWorldbookEntries"]),
        "messages": [[ROLES.get(one["role"], one["role"]), one["text"]] for one in messages],
    }


def _our_prompt(data: Data) -> Any:
    agent, books = _agent_of(data)
    trace = ctxlab.build(
        _session_of(data["chat"]),
        agent.with_(name=data["names"]["char"]),
        user=UserProfile(name=data["names"]["user"]),
        books=[*_books_of(data["books"]), *books],
        rules=_rules_of(data.get("scripts") or []),
        pipeline=_pipeline(),
        dialect="seed",  # the other library's way is older than any that is measured
        settings={
            "worldbook-processor.scan_depth": data["depth"],
            "worldbook-processor.max_passes": PASSES,
            "worldbook-processor.budget_percent": 0,  # the other library gives lore no share of the context
        },
    )
    return {"fired": sorted(_fired(trace)), "messages": [[one["role"], one["content"]] for one in trace.messages]}


@cache
def _pipeline() -> Pipeline:
    pipeline = ctxlab.default_pipeline().with_dialect("seed")
    for name in FORMATTERS:
        pipeline = pipeline.without_processor(name)
    return pipeline


def _agent_of(data: Data) -> tuple[Agent, list[Worldbook]]:
    agent = preset_from(data["preset"], name="preset")[0]
    if data.get("card") is None:
        return agent, []
    card = card_from(data["card"])
    return joined(agent, card.agent), [card.book] if card.book else []


def _books_of(books: list[Data]) -> list[Worldbook]:
    return [book_from(raw, name=f"book {n}", id=f"book-{n}")[0] for n, raw in enumerate(books)]


def _rules_of(scripts: list[Data]) -> list[RegexPreset]:
    return [preset_of(scripts, name="scripts", id="scripts")[0]] if scripts else []


def _session_of(chat: list[Data]) -> Session:
    session = Session(id="chat").append("", role="system")
    for one in chat:
        session = session.append(one["text"], role=one["role"])
    return session


def _fired(trace: Trace) -> list[str]:
    return [row["title"] for row in (left(trace.result, "lore") or ()) if row["fired"]]


# --- chats


def _their_chat(data: Data) -> Any:
    import fast_tavern

    found = fast_tavern.convert_history_from_silly_tavern(data["lines"])
    return [[ROLES.get(one["role"], one["role"]), one["content"]] for one in found]


def _our_chat(data: Data) -> Any:
    session = ctxlab.read_data(data["lines"], source="chat.jsonl").pick()
    return [
        [one["role"], one["content"]] for one in ctxlab.build(session, pipeline=_pipeline(), dialect="seed").messages
    ]


# --- scripts


def _their_regex(data: Data) -> Any:
    import fast_tavern

    scripts = fast_tavern.convert_regexes_from_silly_tavern(data["scripts"])
    about = {"target": TARGETS[data["role"]], "view": VIEWS[data["stage"]], "macros": data["names"]}
    try:
        return fast_tavern.apply_regex(data["text"], {"scripts": scripts, "historyDepth": data["depth"], **about})
    except re.error as problem:
        return {"raises": str(problem)}


def _our_regex(data: Data) -> Any:
    rules = _rules_of(data["scripts"])
    agent, user = Agent(id="a", name=data["names"]["char"]), UserProfile(name=data["names"]["user"])
    about = {"role": data["role"], "depth": data["depth"], "stage": data["stage"]}
    return str(ctxlab.regex_steps(data["text"], rules, agent=agent, user=user, **about))


# --- macros


def _their_macro(data: Data) -> Any:
    import fast_tavern

    variables = fast_tavern.create_variable_context(data["variables"], {})
    text = fast_tavern.replace_macros(data["text"], {"macros": data["names"], "variableContext": variables})
    return {"text": text, "session": _as_texts(variables["local"]), "everywhere": _as_texts(variables["global"])}


def _our_macro(data: Data) -> Any:
    env = MacroEnv(**data["names"], variables=Variables(session=data["variables"])).speaking("sillytavern")
    found = expand(data["text"], env)
    after = found.variables.as_data()
    return {"text": str(found), **{scope: _as_texts(values) for scope, values in after.items()}}


def _as_texts(values: Data) -> dict[str, str]:
    return {name: str(value) for name, value in values.items()}


_THEIRS = {"prompt": _their_prompt, "chat": _their_chat, "regex": _their_regex, "macro": _their_macro}
_OURS = {"prompt": _our_prompt, "chat": _our_chat, "regex": _our_regex, "macro": _our_macro}
