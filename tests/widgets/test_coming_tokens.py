"""The tokens of a reply while it comes: those of its text, not of its pieces."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlab.pipeline.services import TokenCounter
from ctxlab.providers import tokenizer_for
from ctxlab_widgets.chat_panel.coming_tokens import MOST_OPEN, ComingTokens


@cache
def gpt() -> TokenCounter:
    return tokenizer_for("gpt-4o")


WORDS = st.lists(
    st.sampled_from([" lighthouse", " the", " keeper", ".\n", "灯塔在北边，", "守塔人", " x = 1", "?", " "]),
    min_size=1,
    max_size=400,
).map("".join)


@settings(max_examples=40, deadline=None)
@given(WORDS, st.integers(1, 7))
def test_the_tokens_that_came_are_those_of_the_joined_text(text: str, size: int) -> None:
    coming = ComingTokens(gpt())
    for at in range(0, len(text), size):
        coming.add(text[at : at + size])

    whole = gpt().count(text)
    assert abs(coming.count - whole) <= 2 + len(text) // 100


class Longest:
    """Counts characters, and remembers how many it was given in all."""

    given = 0

    def count(self, text: str) -> int:
        self.given += len(text)
        return len(text)


def test_a_piece_costs_no_more_late_in_a_long_reply_than_early() -> None:
    for piece in ("ab ", "灯塔", "x" * 50):
        counter = Longest()
        coming = ComingTokens(counter)
        for _ in range(2_000):
            coming.add(piece)

        assert coming.count == 2_000 * len(piece)
        assert counter.given <= 2_000 * 2 * (MOST_OPEN + len(piece))


def test_a_thought_and_the_words_after_it_are_texts_of_their_own() -> None:
    coming = ComingTokens(gpt())
    coming.add("light", "thought")
    coming.add("house", "text")

    assert coming.count == gpt().count("light") + gpt().count("house")
