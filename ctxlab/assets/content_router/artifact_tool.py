"""The tool `get_artifact`: its definition, and the artifact that a reference names as a model of given capabilities
gets it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, BinaryIO, Protocol, cast

import orjson

from ctxlab.assets.content_router.artifact import Artifact
from ctxlab.assets.content_router.route_result import ArtifactNotFound, ContentRouteResult
from ctxlab.assets.content_router.routing import AnyCapabilities, route_stream
from ctxlab.assets.descriptions import Language
from ctxlab.assets.references import ARTIFACT, parse_reference
from ctxlab.documents import Asset, AssetSource, LibraryFile, ToolCall
from ctxlab.errors import CtxlabError

NAME = "get_artifact"

GET_ARTIFACT_TOOL: Mapping[str, Any] = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "Read an artifact by its reference. Text comes back as text; a picture or another file as "
        "content that you can look at, or as a short description if you cannot read files of its type.",
        "parameters": {
            "type": "object",
            "properties": {"ref": {"type": "string", "description": "The reference, such as artifact:abc123."}},
            "required": ["ref"],
            "additionalProperties": False,
        },
    },
}
"""The tool in OpenAI's form, for an agent's `tools`."""


class ArtifactStore(Protocol):
    """Whatever opens files by their place, such as an asset folder or the files of a build.

    Where it has a method `get(ref) -> Asset | None`, names and types of its files come from there.
    """

    def open(self, source: AssetSource) -> BinaryIO | None: ...


def get_artifact(
    ref: str, store: ArtifactStore, capabilities: AnyCapabilities, *, language: Language = "zh"
) -> ContentRouteResult | ArtifactNotFound:
    """The artifact of a reference as a model of these capabilities gets it; ArtifactNotFound where there is none.

    The type is that of its first bytes, and only a file that is sent is read whole.
    """
    asset = _asset(ref, store)
    stream = _opened(asset.source, store) if asset is not None else None
    if asset is None or stream is None:
        return ArtifactNotFound(ref, language)
    meta = {"filename": asset.name} if asset.name else {}
    extra = asset.model_extra or {}
    created_at = extra.get("createdAt")
    artifact = Artifact(
        id=(asset.id or ref).removeprefix(ARTIFACT),
        mime_type=asset.mime_type,
        meta=meta,
        created_at=created_at if isinstance(created_at, str) else "",
        size=asset.size,
    )
    with stream:
        return route_stream(artifact, stream, capabilities, language=language)


def answer_call(
    call: ToolCall, store: ArtifactStore, capabilities: AnyCapabilities, *, language: Language = "zh"
) -> ContentRouteResult | ArtifactNotFound:
    """The result of a model's call of `get_artifact`; arguments that name no reference find nothing."""
    try:
        arguments: object = orjson.loads(call.arguments)
    except ValueError:
        arguments = None
    ref = cast("Mapping[str, object]", arguments).get("ref") if isinstance(arguments, Mapping) else None
    return get_artifact(ref if isinstance(ref, str) else "", store, capabilities, language=language)


def _asset(ref: str, store: ArtifactStore) -> Asset | None:
    """The asset that a store has under a reference; where it keeps no list, one of that place and nothing else."""
    found = parse_reference(ref)
    if not found.value or found.kind not in ("artifact", "path", "agent-asset"):
        return None  # a model names what is kept, and brings no bytes or links of its own
    get = getattr(store, "get", None)
    if not callable(get):
        return Asset(id=found.value, path=ref.strip() if found.kind != "path" else f"{ARTIFACT}{found.value}")
    try:
        asset = get(ref)
    except CtxlabError:
        return None
    return asset if isinstance(asset, Asset) else None


def _opened(source: AssetSource, store: ArtifactStore) -> BinaryIO | None:
    """The stream of a file that is in the store; a file elsewhere is none of its artifacts."""
    if not isinstance(source, LibraryFile):
        return None
    try:
        return store.open(source)
    except (CtxlabError, OSError):
        return None
