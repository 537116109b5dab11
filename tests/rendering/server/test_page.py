"""The page on local servers has the rows and the figures that the code gives."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ctxlab.rendering.server import SERVERS
from tests.rendering.server.prefix_table import table

PAGE = Path("docs/local_servers.md").read_text("utf-8")


def test_the_page_has_each_program_with_version_and_behaviour() -> None:
    for facts in SERVERS.values():
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| {facts.title} |"))
        assert f"| {facts.version}, {facts.date} | {facts.over_context} |" in row
        assert facts.source.split()[0].removesuffix("/prompt.go") in row


@pytest.mark.skipif("CTXLAB_ALL_TEMPLATES" not in os.environ, reason="takes a minute; set CTXLAB_ALL_TEMPLATES")
def test_the_page_has_the_figures_of_all_templates() -> None:
    written = re.search("<!-- figures -->\n(.*)\n<!-- /figures -->", PAGE, re.DOTALL)
    assert written is not None
    assert written[1] == table()
