"""Vendors: what each refuses, with the month in which it was last seen to, and how it caches."""

from __future__ import annotations

from collections.abc import Iterator

from _ext.reference.markdown import cell, code, page, plain, table
from ctxlab.providers.provider import Provider
from ctxlab.providers.registry import built_in

INTRO = """What a vendor would refuse is said before anything is sent: `ctxlab.payload(trace,
"anthropic").problems`. Each rule is a row with its source and the month in which the source was last seen to say so."""


def vendors() -> str:
    """The page."""
    return page("Vendors' rules", INTRO, *(block for provider in built_in().values() for block in _of_vendor(provider)))


def _of_vendor(provider: Provider) -> Iterator[str]:
    yield f"## {provider.title}"
    cache, words = provider.cache, [f"Named `{provider.name}`; form of its requests: `{provider.wire}`."]
    if cache.source:
        kept = f", kept for {cache.lifetime_seconds:,} s after its last use" if cache.lifetime_seconds else ""
        blocks = f" in blocks of {cache.block_tokens} tokens" if cache.block_tokens > 1 else ""
        words.append(f"A prefix is cached{blocks}{kept} ({cell(cache.source)}, {cache.as_of}).")
    yield " ".join(words)
    rows = (
        [code(r.rule), plain(r.says), r.as_of, plain(r.source)] for r in provider.rules if r.vendor == provider.name
    )
    yield table(["rule", "it says", "as of", "source"], rows)
