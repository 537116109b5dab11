"""An error of a tokenizer's counts: by kind of text, against the counts of other vocabularies."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ctxlab.engines.tokens.kinds_of_text import stretches_of
from ctxlab.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import pandas as pd

Count = Callable[[str], int]
ALL = "all"


@dataclass(frozen=True, slots=True)
class KindRow:
    """A kind of text: its characters, the tokens by the tokenizer, and by each reference.

    `lowest`, `mean` and `highest` are the tokenizer's tokens divided by a reference's: 0.8 is a fifth too few.
    """

    kind: str
    characters: int
    share: float
    tokens: int
    references: Mapping[str, int]

    @property
    def ratios(self) -> tuple[float, ...]:
        """The tokens divided by those of each reference, in the order of these."""
        return tuple(self.tokens / true if true else float(self.tokens == 0) for true in self.references.values())

    @property
    def lowest(self) -> float:
        return min(self.ratios)

    @property
    def mean(self) -> float:
        return fmean(self.ratios)

    @property
    def highest(self) -> float:
        return max(self.ratios)

    def as_data(self) -> dict[str, Any]:
        ratios = {"lowest": self.lowest, "mean": self.mean, "highest": self.highest}
        shown = {name: round(ratio, 3) for name, ratio in ratios.items()}
        head = {"kind": self.kind, "characters": self.characters, "share": self.share, "tokens": self.tokens}
        return {**head, **shown, **self.references}


@dataclass(frozen=True, slots=True)
class TokenizerErrors:
    """The error of a tokenizer's counts of some texts, by kind of text, those of most characters first.

    `references` are what they are held against. With `measured` these counted the texts; else their counts are
    estimates too, fitted to each of them and near it by about 5 %.
    """

    tokenizer: str
    references: tuple[str, ...]
    measured: bool
    kinds: tuple[KindRow, ...]
    total: KindRow

    def __repr__(self) -> str:
        total = self.total
        by = f"the counts of {', '.join(self.references)}"
        return f"TokenizerErrors({self.tokenizer}: {total.lowest:.2f} to {total.highest:.2f} of {by})"

    def _repr_html_(self) -> str:
        from ctxlab.display.html_table import heading, records_table

        return heading(self) + records_table([row.as_data() for row in (*self.kinds, self.total)], of="kinds")

    def frame(self) -> pd.DataFrame:
        """A row a kind of text and one of all: characters, share, tokens, and the ratio to the references' counts.

        `lowest`, `mean` and `highest` are tokens divided by a reference's; a column a reference has its tokens.
        """
        from ctxlab.display.data_frame import frame_of

        return frame_of(row.as_data() for row in (*self.kinds, self.total))


def error_of(
    texts: Iterable[str], tokenizer: str, count: Count, references: Mapping[str, Count], *, measured: bool
) -> TokenizerErrors:
    """The error of a count of texts against other counts of them. Raises ValueError for texts without a character."""
    characters: dict[str, int] = defaultdict(int)
    tokens: dict[str, int] = defaultdict(int)
    true: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(references, 0))
    for text in texts:
        for kind, stretch in stretches_of(text):
            characters[kind] += len(stretch)
            tokens[kind] += count(stretch)
            for name, each in references.items():
                true[kind][name] += each(stretch)
    whole = sum(characters.values())
    if not whole:
        raise ValueError("there is no character to count")
    order = sorted(characters, key=lambda kind: -characters[kind])
    kinds = [KindRow(kind, characters[kind], characters[kind] / whole, tokens[kind], true[kind]) for kind in order]
    all_true = {name: sum(each[name] for each in true.values()) for name in references}
    total = KindRow(ALL, whole, 1.0, sum(tokens.values()), all_true)
    return TokenizerErrors(tokenizer, tuple(references), measured, tuple(kinds), total)
