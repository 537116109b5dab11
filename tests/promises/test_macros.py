"""What holds for macros in any text."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ctxlab.context import BuildInput, Context, Origin, Text, Variables
from ctxlab.documents import Agent, Session, UserProfile
from ctxlab.engines.macros import MacroEnv, expand

MACROS = (
    "user",
    "char",
    "getvar::a",
    "setvar::a::1",
    "incvar::a",
    "random::x::y",
    "repeat::ab::2",
    "roll::2d6",
    "newline",
    "trim",
    "nothing",
    "random",
    "date",
    "user::x",
)
PIECES = ("{{", "}}", "{", "}", "\\", "::", " ", "\n", "中文", "𝒳", "text", "$&", "<USER>", "{{//", "__TRIM__")
DATA = ("{{user}}", "$&", r"\1", "$`", "}}", "{{", "::", "__TRIM__", "\\{{char}}", "{{getvar::a}}")

mixes = st.lists(
    st.one_of(st.sampled_from(PIECES), st.sampled_from(MACROS).map(lambda name: f"{{{{{name}}}}}")), max_size=12
).map("".join)
values = st.lists(st.sampled_from((*DATA, "x", " ")), max_size=4).map("".join)
plain = st.text(st.characters(exclude_characters="{")) | st.text("{ab}", max_size=8).filter(
    lambda said: "{{" not in said
)
dialects = st.sampled_from([None, "sillytavern"])


def env_of(seed: int = 0, value: str = "v", dialect: str | None = None) -> MacroEnv:
    build_input = BuildInput(
        Session(id="s"),
        agent=Agent(name="Nova"),
        user=UserProfile(name="Kim"),
        variables=Variables({"a": value}),
        timestamp="2025-11-07T14:30:05Z",
        seed=seed,
    )
    return MacroEnv.of(build_input, dice=Context(build_input).dice).speaking(dialect)


@st.composite
def texts(draw: st.DrawFn) -> Text:
    """A mix, written by several hands whose borders are anywhere."""
    said = draw(mixes)
    cuts = sorted(draw(st.lists(st.integers(0, len(said)), max_size=3)))
    edges = [0, *cuts, len(said)]
    parts = [Text.of(said[start:end], Origin("node", str(i))) for i, (start, end) in enumerate(pairwise(edges))]
    return Text.join(Text(), parts)


@given(texts(), dialects, st.sampled_from(["ctxlab", "reference"]))
def test_the_spans_are_the_text_and_no_hand_is_forgotten(text: Text, dialect: str | None, compat: str) -> None:
    expanded = expand(text, env_of(dialect=dialect), compat="reference" if compat == "reference" else "ctxlab").text

    assert "".join(span.text for span in expanded.spans) == str(expanded)
    assert text.origins() <= expanded.origins()


@given(values, st.sampled_from(["{{getvar::a}}", "{{random::{{getvar::a}}}}", "{{repeat::{{getvar::a}}::1}}"]))
def test_a_value_is_never_expanded(value: str, said: str) -> None:
    assert str(expand(f"[{said}]{{{{char}}}}", env_of(value=value)).text) == f"[{value}]Nova"


@given(texts(), st.integers(0, 3), dialects)
def test_the_same_request_gives_the_same_result(text: Text, seed: int, dialect: str | None) -> None:
    first, again = expand(text, env_of(seed, dialect=dialect)), expand(text, env_of(seed, dialect=dialect))

    assert first.text.as_data() == again.text.as_data()
    assert first.variables.as_data() == again.variables.as_data()
    assert first.notes == again.notes


@given(plain)
def test_a_text_without_macros_is_itself(said: str) -> None:
    text = Text.of(said, Origin("node", "n"))

    assert expand(text, env_of()).text is text


@given(
    st.sampled_from(["{{random::%s}}", "{{repeat::%s::2}}", "{{setvar::b::%s}}{{getvar::b}}", "{{random::%s::%s}}"]),
    st.sampled_from(
        ["{{user}}", "{{getvar::a}}", "{{date}}", "{{repeat::ab::2}}", "{{random::{{char}}}}", "{{nothing}}"]
    ),
)
def test_evaluating_inside_out_is_evaluating_the_inner_by_hand(outer: str, inner: str) -> None:
    by_hand = outer.replace("%s", str(expand(inner, env_of())))

    assert str(expand(outer.replace("%s", inner), env_of())) == str(expand(by_hand, env_of()))
