"""Addresses that a program takes from its environment, so that what it sends goes through the recorder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ROUTES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "/openai": ("https://api.openai.com/v1", ("OPENAI_BASE_URL", "OPENAI_API_BASE")),
    "/anthropic": ("https://api.anthropic.com", ("ANTHROPIC_BASE_URL",)),
    "/gemini": ("https://generativelanguage.googleapis.com", ("GOOGLE_GEMINI_BASE_URL",)),
    "/code-assist": ("https://cloudcode-pa.googleapis.com", ("CODE_ASSIST_ENDPOINT",)),
}
"""By local path, the vendor's own address and the variables that stand for it."""
_LOCAL: Final = "127.0.0.1,localhost"


def endpoints_of(environment: Mapping[str, str]) -> dict[str, str]:
    """The endpoints of all vendors by local path; one that the environment names already stays in force."""
    return {
        path: next((environment[name] for name in names if environment.get(name)), address)
        for path, (address, names) in ROUTES.items()
    }


def recorded_environment(environment: Mapping[str, str], url: str, *, by_vendor: bool) -> dict[str, str]:
    """An environment in which every vendor's base address is the recorder's; `by_vendor`: each with its path."""
    addresses = {name: f"{url}{path if by_vendor else ''}" for path, (_, names) in ROUTES.items() for name in names}
    direct = {name: ",".join(filter(None, (environment.get(name, ""), _LOCAL))) for name in ("NO_PROXY", "no_proxy")}
    return {**environment, **addresses, **direct}
