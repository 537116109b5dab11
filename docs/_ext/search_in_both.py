"""Search in English and Chinese: English words by their stems, Chinese by characters and overlapping pairs of them."""

from __future__ import annotations

import re

from sphinx.application import Sphinx
from sphinx.search import languages
from sphinx.search.en import SearchEnglish

HAN = "\u3400-\u9fff\uf900-\ufaff"
_RUN = re.compile(rf"[{HAN}]+|[^\W{HAN}]+")


class SearchInBoth(SearchEnglish):
    """The pages' index; the script asks it in the same pieces."""

    lang = "both"
    language_name = "English"
    js_splitter_code = (
        r"""
var splitQuery = (query) =>
  (query.match(/[HAN]+|[^\p{Z}\p{P}\p{C}\p{S}HAN]+/gu) || []).flatMap((run) => {
    if (!/^[HAN]/u.test(run) || run.length === 1) return [run];
    return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
  });
"""
    ).replace("HAN", r"\u3400-\u9fff\uf900-\ufaff")

    def split(self, input: str) -> list[str]:
        """The words of a text."""
        found: list[str] = []
        for run in _RUN.findall(input):
            if re.match(f"[{HAN}]", run):
                found += [*run, *(run[at : at + 2] for at in range(len(run) - 1))]
            else:
                found.append(run)
        return found

    def word_filter(self, word: str) -> bool:
        """Whether a word is looked for; one Chinese character is."""
        return bool(re.match(f"[{HAN}]", word)) or super().word_filter(word)


def setup(app: Sphinx) -> dict[str, bool]:
    """Make the language known."""
    languages["both"] = SearchInBoth
    return {"parallel_read_safe": True}
