"""Macros for facts about the machine: operating system, processor, host name, language."""

from __future__ import annotations

from collections.abc import Callable

from ctxlab.engines.macros.call import MacroCall
from ctxlab.engines.macros.registry import MacroFamily, macro

FACTS = {
    "os": "Name of the operating system",
    "osVersion": "Version of the operating system",
    "arch": "Kind of processor",
    "platform": "Name of the platform",
    "hostname": "Name of the machine",
    "locale": "Language of the machine",
}


def _fact(name: str) -> MacroFamily:
    def fact(call: MacroCall) -> str:
        found = call.env.host.get(name)
        if found is None and call.run.is_new("host"):
            call.run.note(f"macro {name!r} is empty: facts about the machine are not told", level="info")
        return found or ""

    fact.__doc__ = f"{FACTS[name]}; empty unless the environment tells it."
    made: Callable[[Callable[[MacroCall], str]], MacroFamily] = macro(name, phase="substitute")
    return made(fact)


os, os_version, arch, platform, hostname, locale = map(_fact, FACTS)
