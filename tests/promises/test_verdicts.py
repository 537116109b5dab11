"""Whatever the scores: a verdict says what the numbers beside it say, and intervals stay where scores can be."""

from __future__ import annotations

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

import ctxlab
from ctxlab.studies.statistics.significance import least_p
from ctxlab.studies.study_table.table_notes import LOUD_WORDS

SHARES = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1))
NUMBERS = st.floats(-1e6, 1e6)


@st.composite
def studies(draw: st.DrawFn) -> pd.DataFrame:
    """Up to three variants over up to nine conversations, some of whose cells are missing."""
    values = draw(st.sampled_from([SHARES, NUMBERS]))
    better_by = draw(st.sampled_from([0.0, 0.0, 0.5, 1.0]))
    rows = [
        {"case": f"q{case}", "conversation": f"c{conversation}", "variant": variant, "score": score}
        for conversation in range(draw(st.integers(1, 9)))
        for case in range(draw(st.integers(1, 3)))
        for number, variant in enumerate(("a", "b", "c"))
        if (score := _one(draw, values, better_by * number / 2)) is not None
    ]
    return pd.DataFrame(rows, columns=["case", "conversation", "variant", "score"])


def _one(draw: st.DrawFn, values: st.SearchStrategy[float], more: float) -> float | None:
    drawn = draw(st.one_of(st.none(), values, values, values))
    return drawn if drawn is None or not 0 <= drawn <= 1 else (1 - more) * drawn + more


@given(studies(), st.sampled_from(["higher", "lower", None]))
@settings(max_examples=60, deadline=None)
def test_a_verdict_says_what_the_numbers_say(frame: pd.DataFrame, better: str | None) -> None:
    unit = "share" if frame["score"].between(0, 1).all() else None
    table = ctxlab.study_table(frame, "score", unit=unit, better=better, baseline=None, also=[])  # pyright: ignore[reportArgumentType]

    for row in table.rows:
        mean, found = row.mean, row.difference
        assert mean is not None
        if mean.interval is not None:
            assert mean.interval.low <= mean.mean + 1e-9 and mean.mean <= mean.interval.high + 1e-9
            assert not table.is_share or 0 <= mean.interval.low <= mean.interval.high <= 1
        if found is None:
            assert row.verdict in ("baseline", "not compared")
            continue
        assert least_p(found.conversations) <= found.p * (1 + 1e-9) and found.p <= found.p_holm <= 1
        has_zero = found.interval is not None and found.interval.low <= 0 <= found.interval.high
        is_equal = all(a == b for _, a, b in found.pairs)
        is_open = (found.p_holm >= 1 - found.level or has_zero) and not is_equal
        assert (row.verdict == "equal", row.verdict == "open") == (is_equal, is_open)
        assert not is_equal or (found.interval is None and "equal on every one of" in found.sentence())
        if row.verdict not in ("open", "equal"):
            assert found.can_decide
            up = {"higher": "better", "lower": "worse", None: "higher"}[better]
            down = {"higher": "worse", "lower": "better", None: "lower"}[better]
            assert row.verdict == (up if found.mean > 0 else down)
        assert ("no order is claimed" in found.sentence()) == (row.verdict == "open")
    hopeless = [row for row in table.rows if row.difference is not None and not row.difference.can_decide]
    assert any(note.startswith(LOUD_WORDS) for note in table.notes) == bool(hopeless)
    assert all("\n" not in note for note in table.notes)
