"""Every page of the built site as its readers open it, its links and its search."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from tests.gallery.pages import browsing

from .links import broken_links, pages_of
from .opened_page import LOOKS, Look, reader
from .searches import failed_searches


def problems_in(root: Path, look: Look) -> list[str]:
    """A sentence for each thing that is wrong with a page in one look, after the page's own name."""
    found: list[str] = []
    with browsing() as browser:
        reading = reader(browser, look, root)
        for page in pages_of(root):
            name = page.relative_to(root)
            found += [f"{name} ({look}): {problem}" for problem in reading.problems_of(page)]
    return found


def unfound_in(root: Path) -> list[str]:
    """A sentence for each search that doesn't bring the page it should."""
    with browsing() as browser:
        return list(failed_searches(browser.new_page(), root))


def say_what_is_wrong(folder: str) -> int:
    """Print what is wrong; 1 where anything is."""
    root = Path(folder).resolve()
    pages = pages_of(root)
    if not pages:
        print(f"{folder} has no pages: make docs builds them")
        return 1
    found = [*broken_links(root), *unfound_in(root)]
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as readers:
        for problems in readers.map(problems_in, [root] * len(LOOKS), LOOKS):
            found += problems
    print(*found, sep="\n", end="\n" if found else "")
    print(f"{len(pages)} pages in {len(LOOKS)} looks, their links and search: {len(found) or 'no'} problems")
    return 1 if found else 0
