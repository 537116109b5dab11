"""The content router: artifacts as a model of given capabilities gets them, and the messages that carry them."""

from ctxlab.assets.content_router.artifact import Artifact, BrokenContent
from ctxlab.assets.content_router.artifact_tool import (
    GET_ARTIFACT_TOOL,
    ArtifactStore,
    answer_call,
    get_artifact,
)
from ctxlab.assets.content_router.route_result import (
    ArtifactNotFound,
    ContentRouteResult,
    RoutedFile,
    RouteMetadata,
)
from ctxlab.assets.content_router.routing import route_content
from ctxlab.assets.content_router.tool_answers import ToolAnswer, ToolResponse, tool_response
from ctxlab.assets.content_router.tool_result_messages import Vendor, tool_messages
from ctxlab.public_names import listed

__all__ = [
    "GET_ARTIFACT_TOOL",
    "Artifact",
    "ArtifactNotFound",
    "ArtifactStore",
    "BrokenContent",
    "ContentRouteResult",
    "RouteMetadata",
    "RoutedFile",
    "ToolAnswer",
    "ToolResponse",
    "Vendor",
    "answer_call",
    "get_artifact",
    "route_content",
    "tool_messages",
    "tool_response",
]


def __dir__() -> list[str]:
    return listed(globals(), __all__)
