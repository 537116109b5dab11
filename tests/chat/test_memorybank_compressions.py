"""Real talks in two languages: what must be kept and a summary loses is named, and nothing that it has."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from pathlib import Path

import pytest

import ctxlab
from ctxlab.documents import Session
from ctxlab.engines.tokens import tokenizer_named

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("CTXLAB_SHARED", ROOT.parent / "shared")) / "data" / "memorybank"
COUNTER = tokenizer_named("chars4+4")
ITEMS = re.compile(
    r'"[^"\n]{3,60}"|《[^》\n]+》|\b\d[\d:.,]*\d\b|[A-Z][a-z]{3,}(?: [A-Z][a-z]+)+|[“「][^”」\n]{2,40}[”」]'
)
"""Titles, quotations, numbers and names of several words."""
QUOTES = '"“”「」《》'


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data (CTXLAB_SHARED) is not there")
@pytest.mark.parametrize("language", ["en", "cn"])
def test_every_item_that_a_summary_loses_is_named_and_none_falsely(language: str) -> None:
    people = json.loads((SHARED / f"memory_bank_{language}.json").read_text(encoding="utf-8"))
    lost: set[tuple[str, str]] = set()
    for name, person in people.items():
        session = Session(id=name)
        for talk in (talk for day in person["history"].values() for talk in day):
            session = session.append(talk["query"]).append(talk["response"], role="assistant")
        items = sorted(set(ITEMS.findall("\n".join(node.content for node in session.path()))))
        own = {"protectRecentCount": 0}
        summary = ctxlab.compress(session, compression=own, everything=True, tokenizer=COUNTER).summary
        done = ctxlab.compress(
            session,
            compression=own,
            everything=True,
            tokenizer=COUNTER,
            must_keep=items,
            summariser=lambda messages, text=summary: text,
        )

        there = folded(summary)
        named = {fact.text for fact in done.lost}
        for item in items:
            words = re.escape(folded(item).strip(QUOTES))
            assert (item not in named) == bool(re.search(rf"(?<![a-z0-9]){words}(?![a-z0-9])", there)), (name, item)
        lost |= {(name, item) for item in named}
    assert len(lost) > 40
