"""The server behind a template: what it does with a prompt over its context, and what it reads again."""

from ctxlab.rendering.server.local_server import PROGRAMS, SERVERS, LocalServer, ServerFacts, local_server
from ctxlab.rendering.server.over_context import Fate, fate_of
from ctxlab.rendering.server.served import ServedPrompt, ServerCut, ServerRemedy

__all__ = [
    "PROGRAMS",
    "SERVERS",
    "Fate",
    "LocalServer",
    "ServedPrompt",
    "ServerCut",
    "ServerFacts",
    "ServerRemedy",
    "fate_of",
    "local_server",
]
