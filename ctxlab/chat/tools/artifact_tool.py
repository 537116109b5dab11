"""`get_artifact` as a tool that runs: files of a store as a model of given capabilities gets them."""

from __future__ import annotations

from typing import Any, cast

from ctxlab.argument_checks import checked_arguments
from ctxlab.assets.content_router import GET_ARTIFACT_TOOL, get_artifact
from ctxlab.assets.content_router.artifact_tool import NAME, ArtifactStore
from ctxlab.assets.content_router.routing import AnyCapabilities
from ctxlab.assets.descriptions import Language
from ctxlab.chat.tools.tool import Tool


@checked_arguments
def artifact_tool(store: ArtifactStore, capabilities: AnyCapabilities, *, language: Language = "zh") -> Tool:
    """The tool with which a model reads files by their references; a picture comes as a file of the result."""
    function = cast("dict[str, Any]", GET_ARTIFACT_TOOL["function"])

    def call(ref: object = "") -> object:
        return get_artifact(ref if isinstance(ref, str) else "", store, capabilities, language=language)

    return Tool(NAME, function["description"], function["parameters"], call)
