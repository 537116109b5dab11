"""The site's own search, asked in English and Chinese."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page

SEARCHES = {
    "why was this cut": "questions/why_was_this_cut.html",
    "lorebook": "reference/lorebook_gates.html",
    "token budget": "widgets/token_budget.html",
    "compare_requests": "reference/api.html",
    "SillyTavern": "start/sillytavern.html",
    "世界书": "zh/start/sillytavern.html",
    "预算": "zh/start/chatgpt.html",
    "截断": "zh/index.html",
    "为什么": "zh/index.html",
}
"""A page that has to be among those found, by what is typed."""

FINISHED = """() => /finished|did not match/.test(document.querySelector("#search-results")?.innerText)"""
FOUND = """() => [...document.querySelectorAll("#search-results li a")].map((link) => link.getAttribute("href"))"""


def failed_searches(page: Page, root: Path, wanted: Mapping[str, str] = SEARCHES) -> Iterator[str]:
    """A sentence for each search that doesn't bring its page; one for nonsense must bring none."""
    for typed, target in wanted.items():
        if target not in (found := _found(page, root, typed)):
            yield f"search for {typed!r} brings {len(found)} pages without {target}"
    if found := _found(page, root, "zzqqxv"):
        yield f"search for nonsense brings {found[0]}"


def _found(page: Page, root: Path, typed: str) -> list[str]:
    page.goto(f"{(root / 'search.html').as_uri()}?q={quote(typed)}")
    page.wait_for_function(FINISHED)
    return [link.split("#")[0] for link in page.evaluate(FOUND)]
