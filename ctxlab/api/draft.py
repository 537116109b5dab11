"""A message that is being typed, as the next request would have it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Unpack, cast

from ctxlab.api.build import rebuild
from ctxlab.api.options import BuildOptions, listed
from ctxlab.api.resolve import engine_of, expanded, start_of
from ctxlab.api.session_builds import start_with_tools
from ctxlab.api.sources import AgentSource, SessionSource, ToolSources
from ctxlab.assets.attachment import attachment
from ctxlab.chat.tools import Tool, tools_of
from ctxlab.documents import Asset, MessageNode
from ctxlab.errors import CtxlabError, WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.providers.models import name_of, vendor_of
from ctxlab.providers.payload import Payload, payload
from ctxlab.providers.provider import Provider

if TYPE_CHECKING:
    from ctxlab.studies.draft_preview import Preview

Files: TypeAlias = Annotated[Sequence[Any], "attachments: files, bytes or what ctxlab.attachment gives"]


@listed(BuildOptions)
def preview(
    session: SessionSource,
    text: str,
    agent: AgentSource | None = None,
    *,
    attachments: Files = (),
    previous: Payload | None = None,
    provider: str | Provider | None = None,
    tools: ToolSources = (),
    **options: Unpack[BuildOptions],
) -> Preview:
    """A typed text before it is sent: what the next request takes with it, what it cuts, which lore it calls up.

    Its `trace` is `build(session, agent, pending=text, ...)`, its `without` the same without the text. What it does to
    a vendor's cache is told against `previous`, the last request of this path; by default that request is built again
    from the newest reply on the path, for `provider` or the vendor of the model. Nothing is told where neither is
    known, where that reply failed, or where its metadata doesn't say that this vendor and model wrote it. `tools` are
    those of the turn, besides those that the agent describes. `options` are those of `build`. Raises what `build`
    raises.
    """
    if options.get("pending") is not None:
        raise WrongArgument("pending is the text itself: preview(session, text) builds with it and without it")
    files, own = tuple(_file(each) for each in attachments), tools_of(tools)
    without = draft_run(session, "", agent, (), options, own)
    trace = without if not text.strip() and not files else draft_run(session, text, agent, files, options, own)
    return preview_between(text, trace, without, previous=previous, provider=provider)


def preview_between(
    text: str,
    trace: Trace,
    without: Trace,
    *,
    previous: Payload | None = None,
    provider: str | Provider | None = None,
) -> Preview:
    """The preview of a text from the runs with it and without it."""
    from ctxlab.studies.draft_preview import cache_effect, preview_of

    before = previous if previous is not None else previous_request(without, provider)
    return preview_of(text, trace, without, cache_effect(without, trace, before) if before is not None else None)


def draft_run(
    session: SessionSource,
    text: str,
    agent: AgentSource | None,
    files: tuple[Asset, ...],
    options: BuildOptions,
    tools: Sequence[Tool] = (),
) -> Trace:
    """The run of the next request with a typed text and its files; of neither the run without them."""
    given: dict[str, Any] = {**options}
    if files:
        start = start_of(session, agent, **options)
        expansion = expanded(text, start.start.input, engine_of(start.pipeline, start.start.input))
        given |= {"pending": replace(expansion.pending, attachments=files), "variables": expansion.variables}
    elif text.strip():
        given["pending"] = text
    return start_with_tools(start_of(session, agent, **cast("BuildOptions", given)), tools).finished()


def previous_request(trace: Trace, provider: str | Provider | None = None) -> Payload | None:
    """The request that the newest reply on a run's path answered, built again; None where no vendor is known.

    None too where there is no reply, where it failed, where its metadata doesn't say that the vendor and model of the
    next request wrote it, or where that run can't be built: then nothing is known of a cached prefix.
    """
    start = trace.start.input
    if provider is None and (start.model is None or vendor_of(name_of(start.model)) is None):
        return None
    path = start.session.path(start.leaf_id) if start.leaf_id is not None else ()
    reply = next((node for node in reversed(path) if node.role == "assistant" and not node.is_summary), None)
    if reply is None or not was_answered(reply) or reply.meta("providerType") is None:
        return None
    parent = start.session.nodes.get(reply.parent_id) if reply.parent_id is not None else None
    if parent is None or parent.is_empty_root:
        return None
    try:
        found = payload(rebuild(trace, leaf=parent.id), provider)
    except CtxlabError:  # it did not fit, or the vendor has no form for it: there was no such request
        return None
    wrote = reply.meta("providerType"), reply.meta("modelId")
    return found if wrote == (found.provider.name, found.model.name) else None


def was_answered(reply: MessageNode) -> bool:
    """Whether something came of a reply: not of one that failed, or that was stopped before its first word."""
    return reply.status == "complete" and bool(reply.content or reply.tool_calls)


def goes_where(trace: Trace, provider: str | Provider | None, previous: Payload) -> bool:
    """Whether a run would be sent to the vendor and model of an earlier request."""
    try:
        found = payload(trace, provider)
    except CtxlabError:
        return False
    return (found.provider.name, found.model.name) == (previous.provider.name, previous.model.name)


def _file(given: Any) -> Asset:
    if isinstance(given, Asset):
        return given
    return Asset.model_validate(given) if isinstance(given, Mapping) else attachment(given)
