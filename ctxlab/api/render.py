"""A message as a program shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from ctxlab.api.options import BuildOptions, listed
from ctxlab.api.resolve import rule_settings, start_of
from ctxlab.api.sources import AgentSource, NodeSource, SessionSource, node_id_of

if TYPE_CHECKING:
    from ctxlab.engines.regexes.render import Rendered


@listed(BuildOptions)
def render(
    session: SessionSource,
    node: NodeSource | None = None,
    agent: AgentSource | None = None,
    *,
    streaming: bool = False,
    **options: Unpack[BuildOptions],
) -> Rendered:
    """A message (default: the active leaf) as a program shows it: after rules for what is shown, reasoning set apart.

    `streaming` is while the message still comes in. `options` are those of `build`; `leaf` says which branch is open,
    which is what depths are counted on.
    """
    from ctxlab.engines.regexes.render import rendered

    start = start_of(session, agent, **options)
    rules = rule_settings(start.pipeline, start.start.input)
    return rendered(
        start.start.input,
        node_id_of(node) if node is not None else None,
        streaming=streaming,
        engine=rules.macro_engine,
        compat=rules.compat,
        limits=rules.limits,
    )
