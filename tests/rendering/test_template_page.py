"""The page on templates has the figures that its table gives."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.rendering.template_table import table

PAGE = Path(__file__).parents[2] / "docs" / "what_your_template_does.md"


@pytest.mark.skipif("CTXLAB_ALL_TEMPLATES" not in os.environ, reason="takes half a minute; set CTXLAB_ALL_TEMPLATES")
def test_the_page_has_the_figures_of_all_templates() -> None:
    written = re.search("<!-- figures -->\n(.*)\n<!-- /figures -->", PAGE.read_text("utf-8"), re.DOTALL)

    assert written is not None
    assert written[1] == table()
