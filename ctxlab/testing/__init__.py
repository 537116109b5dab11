"""For tests: fakes of the services that steps call, conversations of any size, and a fake of the vendors' servers."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ctxlab.public_names import listed
from ctxlab.testing.generator import generated_agent, generated_session

if TYPE_CHECKING:
    from ctxlab.testing.fake_server import Refusal, refusals_of

__all__ = ["Refusal", "generated_agent", "generated_session", "refusals_of"]

LATER = {"Refusal", "refusals_of"}
"""Names of the fake server, which is loaded when one of them is asked for."""


def __getattr__(name: str) -> Any:
    if name not in LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("ctxlab.testing.fake_server"), name)


def __dir__() -> list[str]:
    return listed(globals(), __all__)
