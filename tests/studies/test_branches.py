import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import ctxlab
from ctxlab.studies.branches.measured_tree import seconds_of
from ctxlab.testing import generated_session
from ctxlab.testing.fakes import WordTokenizer
from tests.studies.test_figures import sound

FIGURES = ("sunburst", "divergence", "survival", "timeline")
START = datetime(2026, 1, 1, tzinfo=UTC)


def at(minutes: int) -> str:
    return (START + timedelta(minutes=minutes)).isoformat()


def talk() -> ctxlab.Session:
    """Two questions; the first has two answers, the second was asked again in other words."""
    made = ctxlab.Session(id="talk").append("one two three", id="u1", timestamp=at(0))
    made = made.append("four five", role="assistant", id="a1", timestamp=at(1))
    made = made.append("six seven eight nine", role="assistant", id="a2", parent="u1", timestamp=at(2))
    made = made.append("ten", id="u2", timestamp=at(3))
    made = made.append("eleven twelve", role="assistant", id="a3", timestamp=at(4))
    return made.append("thirteen fourteen", id="u3", parent="a2", timestamp=at(5))


def measured() -> ctxlab.studies.branches.SessionBranches:
    return ctxlab.branches(talk(), tokenizer=WordTokenizer())


def test_each_message_has_its_tokens_and_how_it_came() -> None:
    rows = {row["node"]: row for row in measured().frame().to_dict("records")}

    assert {key: row["kind"] for key, row in rows.items()} == {
        "node-0": "root",
        "u1": "message",
        "a1": "message",
        "a2": "regeneration",
        "u2": "message",
        "a3": "message",
        "u3": "edit",
    }
    assert [rows[key]["tokens"] for key in ("u1", "a2", "a3")] == [3, 4, 2]
    assert rows["a3"]["path_tokens"] == 3 + 4 + 1 + 2
    assert rows["a3"]["prompt_tokens"] == 3 + 4 + 1
    assert rows["u2"]["siblings"] == 2
    assert rows["a2"]["seconds"] == 120


def test_a_branch_has_its_own_tokens_and_where_it_diverges() -> None:
    rows = {row["node"]: row for row in measured().branches().to_dict("records")}

    assert set(rows) == {"a1", "a3", "u3"}
    assert (rows["a3"]["tokens"], rows["a3"]["shared_tokens"], rows["a3"]["diverges_at"]) == (7, 3, "u1")
    assert (rows["u3"]["tokens"], rows["u3"]["shared_tokens"], rows["u3"]["diverges_at"]) == (2, 7, "a2")
    assert (rows["a1"]["tokens"], rows["a1"]["shared_tokens"]) == (5, 0)
    assert [key for key, row in rows.items() if row["on_active_path"]] == ["u3"]


def test_the_summary_says_what_a_surviving_token_cost() -> None:
    (row,) = measured().summary().to_dict("records")

    assert (row["tokens"], row["active_tokens"], row["abandoned_tokens"]) == (14, 9, 5)
    assert (row["regenerations"], row["edits"]) == (1, 1)
    assert row["prompt_tokens"] == 3 + 3 + 8  # of a1, a2 and a3
    assert row["surviving_tokens"] == 4
    assert row["prompt_tokens_per_surviving_token"] == 14 / 4
    assert (row["first"], row["last"], row["seconds"]) == (at(0), at(5), 300)


def test_messages_that_are_switched_off_were_not_read_and_count_apart() -> None:
    session = talk().disable("u1")

    (row,) = ctxlab.branches(session, tokenizer=WordTokenizer()).summary().to_dict("records")

    assert (row["tokens"], row["active_tokens"], row["disabled_tokens"], row["abandoned_tokens"]) == (14, 6, 3, 5)
    assert row["prompt_tokens"] == 0 + 0 + 5  # of a1, a2 and a3


def test_nothing_survives_where_no_reply_is_on_the_active_path() -> None:
    (row,) = ctxlab.branches(ctxlab.Session(id="s").append("hello")).summary().to_dict("records")

    assert row["prompt_tokens_per_surviving_token"] is None
    assert row["abandoned_share"] == 0


def test_branches_that_say_nearly_the_same_are_one_cluster() -> None:
    answers = {"a": "雾从防波堤的缺口进来，先没了船，再没了桅杆，最后连灯塔也看不见了。"}
    answers |= {"b": answers["a"].replace("最后", "后来"), "c": "The boiler's return temperature is too high by far."}
    session = ctxlab.Session(id="s").append("now?", id="u")
    for key, words in answers.items():
        session = session.append(words, role="assistant", id=key, parent="u")

    found = ctxlab.branches(session).clusters(likeness=0.6, least_characters=10)

    assert list(found["node"]) == ["a", "b"]
    assert found["first_likeness"].tolist()[0] == 1
    assert list(ctxlab.branches(session).clusters(likeness=0.99)["node"]) == []


def test_whole_branches_are_compared_from_their_last_fork_on() -> None:
    words = "we should look at the pump in bay nine before anything else"
    session = ctxlab.Session(id="s").append("now?", id="u").append(words, role="assistant", id="a")
    session = session.append("and then?", id="a2").append(words, role="assistant", id="b", parent="u")
    other = ctxlab.Session(id="t").append("now?").append(words, role="assistant").append("and then?", id="a2")

    found = ctxlab.branches([session, other])

    assert list(found.clusters()["node"]) == ["a", "b"]
    assert list(found.clusters(whole=True, likeness=0.97)["session"]) == []
    assert list(found.clusters(whole=True, likeness=0.5)["session"]) == ["s", "s", "t"]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_drawn_of_one_of_many_and_of_nothing(name: str, theme: str) -> None:
    hostile = ctxlab.Session(id="<b>x</b>", name="<script>").append("<img src=x>\x1b", id="u", timestamp="no time")

    for sessions in (talk(), [talk(), hostile], hostile, ctxlab.Session(id="empty")):
        figure = getattr(ctxlab.branches(sessions, tokenizer=WordTokenizer()), name)(theme=theme)
        text = sound(figure)
        assert "<script>" not in text
        assert "<img" not in text


def test_a_large_tree_has_small_figures_and_is_walked_once() -> None:
    counted: list[str] = []

    class Counter(WordTokenizer):
        def count(self, text: str) -> int:
            counted.append(text)
            return super().count(text)

    data = generated_session(2000, tokens_per_message=10, branches=400)
    session = ctxlab.Session.model_validate(data)

    branches = ctxlab.branches(session, tokenizer=Counter())
    branches.frame(), branches.branches(), branches.summary()

    calls = sum(len(node.tool_calls) for node in session.nodes.values())
    assert len(counted) <= len(session.nodes) + 2 * calls
    for name in FIGURES:
        assert len(getattr(branches, name)().to_json()) < 1_500_000


def test_flows_go_from_their_sources_to_what_was_sent_and_cut() -> None:
    trace = ctxlab.build(ctxlab.example("harbour"), budget_tokens=1500)

    flow = ctxlab.token_flow({"a": trace, "b": ctxlab.build(ctxlab.example("coding"), budget_tokens=2000)})
    figure = flow.figure()

    rows = {(row["source"], row["step"]): row["tokens"] for row in flow.frame().to_dict("records")}
    assert rows["history", "token-limiter"] > 0
    assert "cut by token-limiter" in figure.data[0].node.label
    assert all(value >= 0 for value in figure.data[0].link.value)
    assert repr(flow).startswith("TokenFlow(2 runs")
    assert ctxlab.token_flow(each for each in [trace]).runs == 1
    assert ctxlab.token_flow([]).flows == ()
    sound(flow.figure(theme="dark"))


@pytest.mark.parametrize(
    ("time", "seconds"),
    [("1970-01-01T00:01:00Z", 60), ("1970-01-01T00:01:00", 60), ("1970-01-01T01:01:00+01:00", 60)],
)
def test_times_are_read_with_and_without_a_zone(time: str, seconds: float) -> None:
    assert seconds_of(time) == seconds
    assert seconds_of("yesterday") is seconds_of(None) is None


def test_the_summary_says_from_which_program_and_file_a_session_is(tmp_path: Path) -> None:
    told = [{"role": "user", "content": "Hi"}]
    for name in ("one.json", "two.json"):
        (tmp_path / name).write_text(json.dumps(told))
    both = ctxlab.read(tmp_path)

    summary = ctxlab.branches(both | ctxlab.Library(sessions=(ctxlab.Session(id="own").append("lamp"),))).summary()
    assert summary[["program", "file"]].to_numpy().tolist() == [
        ["openai", "one.json"],
        ["openai", "two.json"],
        ["", ""],
    ]
    assert ctxlab.branches(both.sessions[0]).summary()["file"].tolist() == [""]
