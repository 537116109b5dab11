"""Compress a conversation as a preview, and the places where it may be cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, Unpack

from ctxlab.api.build import build, rebuild
from ctxlab.api.options import BuildOptions, listed
from ctxlab.api.sources import AgentSource, NodeSource, SessionSource, node_id_of, only_session
from ctxlab.argument_checks import checked_arguments
from ctxlab.chat.compression import (
    Compression,
    CompressionSettings,
    LegalCuts,
    SessionCompressions,
    VisiblePath,
    Wanted,
    compression_of,
    compression_settings,
    refuse_contradictions,
    session_compressions,
)
from ctxlab.chat.compression.must_keep import all_items
from ctxlab.chat.compression.settings import refusal_of_settings
from ctxlab.documents import MessageNode, ModelProfile, Session
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.pipeline.failures import ProcessorFailed

if TYPE_CHECKING:
    from ctxlab.chat.compression.model_summariser import ModelSummariser

KeptItems: TypeAlias = Annotated[
    str | re.Pattern[str] | MessageNode | Sequence[str | re.Pattern[str] | MessageNode],
    "texts, compiled patterns or messages",
]
SettingsSource: TypeAlias = Annotated[Mapping[str, Any], "settings of contextCompression"] | CompressionSettings
SummariserSource: TypeAlias = Annotated[
    Callable[..., object] | Literal["extractive"], "'extractive' or a function of messages"
]


@listed(BuildOptions)
def compress(
    session: SessionSource,
    agent: AgentSource | None = None,
    *,
    first: NodeSource | None = None,
    last: NodeSource | None = None,
    above: NodeSource | None = None,
    below: NodeSource | None = None,
    everything: bool = False,
    summariser: SummariserSource = "extractive",
    compression: SettingsSource | None = None,
    must_keep: KeptItems = (),
    guidance: str = "",
    tiers: Sequence[Literal["reasoning", "tool-results", "summary"]] | None = None,
    id: str | None = None,
    **options: Unpack[BuildOptions],
) -> Compression:
    """A preview of the conversation with old messages behind a summary; its `session` is the conversation after it.

    The messages from `first` to `last` go, all `above` or `below` one, or `everything`; without any of them the oldest,
    as many as `compress_count` says. Never do the newest `protect_recent_count`, half a tool pair or half an exchange.
    `summariser` is a function of messages that gives a text, pieces of one or a reply; the default chooses sentences,
    offline. `compression` are settings over those of the session and the agent. `must_keep` are texts, compiled
    patterns and messages, which the summariser is told of and which are looked for in the summary afterwards; `lost`
    names those that it hasn't. `tiers` leaves out old reasoning and old tool results first, without a model. What
    can't be done is the result's `error`. `options` are those of `build`, whose count of tokens it goes by.
    """
    wanted = Wanted(
        *(node_id_of(node) if node is not None else None for node in (first, last, above, below)),
        everything=everything,
        must_keep=all_items(must_keep),
        guidance=guidance,
        tiers=tuple(tiers) if tiers is not None else None,
        id=id,
        timestamp=options.get("timestamp"),
    )
    refuse_contradictions(wanted)
    _own_settings(compression)
    return compressed_run(_built(session, agent, options), wanted, compression=compression, summariser=summariser)


def compressed_run(
    trace: Trace,
    wanted: Wanted,
    *,
    compression: SettingsSource | None = None,
    summariser: SummariserSource = "extractive",
) -> Compression:
    """A preview of compressing the conversation of a run."""
    before = trace.start.input
    if wanted.id is not None and wanted.id in before.session.nodes:
        raise WrongArgument(f"session {before.session.id!r} already has a node {wanted.id!r}", function="compress")
    refuse_contradictions(wanted)
    settings, notes = compression_settings(before.agent, before.session, _own_settings(compression))
    made = compression_of(
        trace,
        lambda new, leaf: rebuild(trace, session=new, leaf=leaf),
        wanted,
        settings=settings,
        summariser=summariser,
        clock=perf_counter,
    )
    return made.with_notes(notes)


@checked_arguments
def model_summariser(
    model: str | ModelProfile | None = None,
    *,
    provider: str | None = None,
    key: str | None = None,
    base_url: str | None = None,
    parameters: Annotated[Mapping[str, Any], "parameters as in an agent's file"] | None = None,
) -> ModelSummariser:
    """A summariser for `compress` that asks a model: `compress(session, summariser=model_summariser("gpt-4o-mini"))`.

    `provider` is by default the one that has the model; the key is that of the environment or the keyring. Temperature
    and longest answer are `summary_temperature` and `summary_max_tokens`, unless `parameters` say otherwise.
    """
    from ctxlab.chat.compression.model_summariser import ModelSummariser

    return ModelSummariser(model, provider, base_url, key, parameters=parameters or {})


@checked_arguments
def legal_cuts(
    session: SessionSource,
    leaf: NodeSource | None = None,
    *,
    protect: int = 10,
    whole_exchanges: bool = True,
) -> LegalCuts:
    """Every place between the messages on the path to a leaf, and whether a range for a summary may end there."""
    chosen: Session = only_session(session)
    if protect < 0:
        raise WrongArgument(f"protect is a number of messages, 0 or more, got {protect}", function="legal_cuts")
    node_id = chosen.node(node_id_of(leaf)).id if leaf is not None else None
    return LegalCuts(VisiblePath.of(chosen, node_id), protect, whole_exchanges)


@checked_arguments
def compressions(session: SessionSource) -> SessionCompressions:
    """Every compression that a session has been through, on any branch: `.frame()` has one row for each.

    They are read from the nodes in the tree, those that other programs made too. `.summaries` are those that made a
    summary; the others only put shorter copies in the place of old reasoning and old tool results.
    """
    return session_compressions(only_session(session))


def _own_settings(given: SettingsSource | None) -> Mapping[str, Any] | None:
    """The call's settings; a wrong one is an error, as it is in a call."""
    own = given.to_data() if isinstance(given, CompressionSettings) else given
    if own is not None and (problem := refusal_of_settings(own)):
        raise WrongArgument(f"compression: {problem}", function="compress")
    return own


def _built(session: SessionSource, agent: AgentSource | None, options: BuildOptions) -> Trace:
    """The run of a build; of one that failed what it came to, since a compression may be the remedy."""
    try:
        return build(session, agent, **options)
    except ProcessorFailed as failed:
        if failed.trace is None:
            raise
        return failed.trace
