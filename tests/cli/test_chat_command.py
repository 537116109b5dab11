"""`ctxlab chat`: a conversation by what is typed, with the strict server as a vendor and with an echo."""

from __future__ import annotations

import builtins
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ctxlab
from ctxlab.cli import main
from ctxlab.cli.inputs.chat_model import echo
from ctxlab.testing import FakeReply, FakeServer
from tests.cli.conftest import DATASETS, Run, Written
from tests.providers.sending.raw_server import RawServer, answer

KEY = "sk-never-to-be-seen-42"
KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "DEEPSEEK_API_KEY")


def _no_keyring(service: str, name: str) -> None:
    del service, name


def _at_nine(messages: object) -> Iterator[str]:
    del messages
    return iter(["At ", "nine", " sharp"])


def _nowhere(file: Path) -> Path:
    del file
    return Path("no/such/trip.chat.json")


@pytest.fixture(autouse=True)
def no_keys_and_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ctxlab.providers.sending.keys._from_keyring", _no_keyring)
    for name in KEYS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def trip(written: Written) -> Path:
    return written(("user", "Where is the ferry?"), ("assistant", "At the pier."), name="trip.json")


def to(server: FakeServer) -> tuple[str, ...]:
    return ("--provider", "openai", "--model", "gpt-4o", "--base-url", server.base_url("openai"))


def texts(path: Path) -> list[str]:
    return [node.content for node in ctxlab.load(path).path() if node.content]


def test_a_line_is_answered_and_the_file_that_was_read_stays_as_it_was(run: Run, trip: Path) -> None:
    before = trip.read_bytes()

    result = run("chat", trip, "--model", "echo", stdin="When does it leave?\n//quit\n\n")

    assert result.code == 0, result.err
    assert "Echo, no model was asked: When does it leave?\n3 messages, " in result.out
    assert texts(Path("trip.chat.json"))[2:] == [
        "When does it leave?",
        "Echo, no model was asked: When does it leave?",
        "/quit",
        "Echo, no model was asked: /quit",
    ]
    assert trip.read_bytes() == before and result.out.endswith("trip.chat.json\n")


def test_nothing_that_is_there_is_overwritten_and_without_a_turn_nothing_is_written(run: Run, trip: Path) -> None:
    for typed, files in (("", 1), ("/tree\n/why\n/budget\n", 1), ("Hi\n", 2), ("Hi\n", 3)):
        assert run("chat", trip, stdin=typed).code == 0
        assert len(list(Path.cwd().iterdir())) == files

    assert {path.name for path in Path.cwd().iterdir()} == {"trip.json", "trip.chat.json", "trip.chat-2.json"}


def test_the_participants_beside_a_session_are_there_when_it_goes_on(run: Run, tmp_path: Path) -> None:
    for kind in ("session", "agent", "user"):
        name = f"harbour_roleplay.{kind}.json"
        (tmp_path / name).write_bytes((DATASETS / name).read_bytes())
    first = run("chat", "harbour_roleplay.session.json", stdin="Hi\n")
    again = run("chat", "harbour_roleplay.chat.json", stdin="Hi\n")

    assert "agent 沈砚 · Shen Yan" in first.out and "agent 沈砚 · Shen Yan" in again.out
    assert again.out.endswith("harbour_roleplay.chat-2.json\n")


def test_without_a_model_an_echo_answers_and_says_why(run: Run, trip: Path) -> None:
    out = run("chat", trip, stdin="Hi\n").out

    assert "no model is named: --model or /model names one" in out and "answers: an echo, no model is asked" in out
    assert "Echo, no model was asked: Hi" in out


@pytest.mark.parametrize(("of_agent", "words"), [("gpt-4o", "no key for OpenAI"), ("gpt4-o", "did you mean 'gpt-4o'")])
def test_where_the_agents_own_model_cant_be_asked_an_echo_answers_and_says_why(
    run: Run, trip: Path, of_agent: str, words: str
) -> None:
    agent = {"id": "g", "name": "Guide", "modelId": of_agent, "presetMessages": []}
    Path("guide.agent.json").write_text(json.dumps(agent), "utf-8")
    out = run("chat", trip, "--agent", "guide.agent.json", stdin="Hi\n").out

    assert words in out and "answers: an echo, no model is asked" in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--model", "gpt-4o"), "there is no key for OpenAI: set the environment variable OPENAI_API_KEY"),
        (("--provider", "gemini"), "there is no key for Gemini"),
        (("--model", "gpt4-o"), "did you mean 'gpt-4o'"),
        (("--model", "claude-sonet-4"), "--provider says who serves a model, --base-url at which address"),
    ],
)
def test_a_model_that_is_asked_for_and_cant_be_is_an_error_and_nothing_is_read(
    run: Run, trip: Path, options: tuple[str, ...], words: str
) -> None:
    result = run("chat", trip, *options, "--out", "out.json", stdin="Hi\n")

    assert (result.code, result.out, len(result.err.strip().splitlines())) == (2, "", 1)
    assert words in result.err
    assert list(Path.cwd().iterdir()) == [trip]


def test_another_model_that_cant_be_asked_is_one_line_and_the_one_before_answers(run: Run, trip: Path) -> None:
    out = run("chat", trip, "--model", "echo", stdin="/model gpt4-o\n/model gpt-4o\nHi\n").out

    assert [line[:20] for line in out.splitlines() if line.startswith("× ")] == [
        "× no vendor is known",
        "× there is no key fo",
    ]
    assert "Echo, no model was asked: Hi" in out


def test_an_echo_that_is_asked_for_takes_no_server(run: Run, trip: Path) -> None:
    result = run("chat", trip, "--model", "echo", "--provider", "openai")

    assert result.code == 2 and "the model echo asks nobody" in result.err


def test_a_vendor_gets_what_why_budget_and_step_show_and_no_text_has_the_key(
    run: Run, trip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FakeServer(FakeReply("At nine,\n沈砚.\x1b[31m", piece_characters=3)) as server:
        typed = "When does it leave?\n/why\n/budget\n/step\nr\nq\n/why node-3\n"
        result = run("chat", trip, *to(server), "--log", "turns.jsonl", "--out", "out.json", stdin=typed)

    (posted,) = server.requests
    assert [each["content"] for each in posted.body["messages"]] == [
        "Where is the ferry?",
        "At the pier.",
        "When does it leave?",
    ]
    assert "answers: gpt-4o of OpenAI" in result.out
    assert "At nine,\n沈砚.\\x1b[31m\n3 messages, " in result.out and "\x1b" not in result.out
    assert result.out.count("sent in message 3") >= 1 and "session-loader" in result.out
    everything = [result.out, result.err, *(path.read_text("utf-8") for path in Path.cwd().iterdir())]
    assert not any(KEY in text for text in everything)
    kinds = [json.loads(line)["event"] for line in Path("turns.jsonl").read_text("utf-8").splitlines()]
    assert len(kinds) > 4
    assert texts(Path("out.json"))[-1] == "At nine,\n沈砚.\x1b[31m"


def test_a_failure_is_one_line_the_message_is_kept_and_can_be_asked_again(
    run: Run, trip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FakeServer([FakeReply(status=401, message=f"wrong key {KEY}"), "At nine."]) as server:
        result = run("chat", trip, *to(server), stdin="When?\n/save failed.json\n/regenerate\n")

    failure = next(line for line in result.out.splitlines() if line.startswith("× "))
    assert "401" in failure or "key" in failure
    assert KEY not in result.out
    assert "your message is kept; /regenerate asks again" in result.out
    assert [node.content for node in ctxlab.load("failed.json").nodes.values()].count("When?") == 1
    assert texts(Path("trip.chat.json"))[2:] == ["When?", "At nine."]


def test_another_reply_stands_beside_the_first_and_undo_takes_it_back(run: Run, trip: Path) -> None:
    result = run("chat", trip, stdin="Hi\n/regenerate\n/save two.json\n/undo\n/save one.json\n/undo\n/undo\n")

    two, one = ctxlab.load("two.json"), ctxlab.load("one.json")
    assert (len(two.nodes) - len(one.nodes), len(one.nodes)) == (1, len(ctxlab.load(trip).nodes) + 2)
    assert texts(Path("trip.chat.json")) == texts(trip)
    assert "× there is nothing to undo" in result.out


def test_undo_says_what_it_took_and_redo_brings_it_back(run: Run, trip: Path) -> None:
    result = run("chat", trip, stdin="Hi there\n/undo\n/redo\n/redo\n")

    assert "took back send: 2 messages, “Hi there”; /redo brings it back" in result.out
    assert "brought back send: 2 messages, “Hi there”" in result.out and "× there is nothing to redo" in result.out
    assert texts(Path("trip.chat.json"))[-2] == "Hi there"


def test_each_answer_of_an_echo_is_marked(run: Run, trip: Path) -> None:
    out = run("chat", trip, stdin="One\nTwo\n").out

    assert out.count("an echo, saved like a reply; /model NAME asks a model") == 2


def test_a_reply_that_was_cut_says_so_and_can_go_on(run: Run, trip: Path) -> None:
    whole = {"choices": [{"message": {"role": "assistant", "content": "At"}, "finish_reason": "length"}]}
    more = {"choices": [{"message": {"role": "assistant", "content": " nine."}, "finish_reason": "stop"}]}
    with RawServer(*(answer(json.dumps(one).encode()) for one in (whole, more))) as server:
        typed = "When?\n/continue\n"
        options = ("--model", "qwen3", "--provider", "openai-compatible", "--base-url", server.url)
        result = run("chat", trip, *options, stdin=typed)

    assert "the model or its window allows; /continue goes on" in result.out
    assert texts(Path("trip.chat.json"))[-1] == "At nine."


def test_a_summary_is_shown_first_and_counts_when_it_is_taken(run: Run) -> None:
    typed = "/compress\n/save before.json\n/compress take\n/save after.json\n/undo\n/save undone.json\n"
    result = run("chat", DATASETS / "coding_chat.session.json", "--out", "out.json", stdin=typed)

    original = ctxlab.load(DATASETS / "coding_chat.session.json")
    assert "behind one summary" in result.out and "lost: " in result.out
    assert ctxlab.load("before.json") == original == ctxlab.load("undone.json")
    assert [node for node in ctxlab.load("after.json").path() if node.is_summary]


def test_a_summary_that_is_taken_tells_what_it_loses_and_that_the_prompt_is_longer(run: Run) -> None:
    session = ctxlab.Session(id="s").append("Hi, Ada!").append("Hello.", role="assistant").append("Ada and 3 dogs?")
    own = {"compressCount": 1, "protectRecentCount": 2, "keepExchangesWhole": False}
    ctxlab.write(session.with_(parameterOverrides={"contextCompression": own}), "short.session.json")

    longer = run("chat", Path("short.session.json"), stdin="/compress take\n")
    losing = run("chat", DATASETS / "coding_chat.session.json", "--out", "out.json", stdin="/compress take\n")

    assert re.search(r"the prompt has \d+ tokens? more than before", longer.out), longer.out
    assert "lost: " in losing.out and "more than before" not in losing.out


@pytest.mark.parametrize(
    ("typed", "words"),
    [
        ("/dance", "there is no command /dance"),
        ("/save", "/save needs PATH"),
        ("/save -", "- is no name of a file"),
        ("/save .", ". is a folder"),
        ("/save trip.json", "trip.json is the file that is read"),
        ("/save no/such/x.json", "no/such"),
        ("/save x.html", "x.html"),
        ("/why nobody", "no step had a message 'nobody'"),
        ("/compress now", "/compress take does it"),
        ("/compress take", "nothing is compressed: "),
        ("/undo", "there is nothing to undo"),
    ],
)
def test_what_cannot_be_done_is_one_line_and_the_next_is_read(run: Run, trip: Path, typed: str, words: str) -> None:
    before = trip.read_bytes()
    result = run("chat", trip, stdin=f"{typed}\n/help\n")

    wrong = [line for line in result.out.splitlines() if line.startswith("× ")]
    assert (result.code, len(wrong)) == (0, 1), result
    assert words in wrong[0] and "/quit" in result.out
    assert trip.read_bytes() == before


def test_every_command_is_in_the_help_and_quit_reads_no_more(run: Run, trip: Path) -> None:
    out = run("chat", trip, stdin="/help\n/quit\nHi\n").out

    names = (
        "why",
        "budget",
        "step",
        "compress",
        "model",
        "regenerate",
        "continue",
        "undo",
        "redo",
        "tree",
        "save",
        "help",
        "quit",
    )
    assert [f"  /{name}" in out for name in names] == [True] * len(names)
    assert "Echo" not in out and list(Path.cwd().iterdir()) == [trip]


def test_another_model_answers_from_then_on(run: Run, trip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FakeServer("At nine.") as server:
        run("chat", trip, *to(server), stdin="One?\n/model gpt-4.1\nTwo?\n/model echo\nThree?\n/model\n")

    assert [request.body["model"] for request in server.requests] == ["gpt-4o", "gpt-4.1"]
    assert texts(Path("trip.chat.json"))[-1] == "Echo, no model was asked: Three?"


def test_an_interrupt_cancels_the_reply_and_two_of_them_end(
    trip: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines: Iterator[object] = iter(["When?", KeyboardInterrupt, "never read"])

    def typed(_: str) -> str:
        line = next(lines)
        if line is KeyboardInterrupt:
            raise KeyboardInterrupt
        return str(line)

    monkeypatch.setattr("ctxlab.cli.output.turn_text.TurnText._piece", _interrupting_at("nine"))
    monkeypatch.setattr("ctxlab.cli.inputs.chat_model.echo", _at_nine)
    monkeypatch.setattr(builtins, "input", typed)

    code = main(["chat", str(trip), "--model", "echo"])

    out = capsys.readouterr().out
    assert code == 0
    assert "cancelled; what came is kept, /regenerate asks again" in out
    assert texts(Path("trip.chat.json"))[2:] == ["When?", "At nine"]
    assert next(lines) == "never read"


def _interrupting_at(word: str) -> Callable[[object, str, str], None]:
    def piece(self: object, text: str, style: str) -> None:
        if text == word:
            raise KeyboardInterrupt

    return piece


def test_a_conversation_that_cannot_be_saved_says_so_and_goes_on(
    run: Run, trip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ctxlab.cli.commands.chat.free_place", _nowhere)

    lost = run("chat", trip, stdin="Hi\n")
    saved = run("chat", trip, stdin="Hi\n/save kept.json\n")

    assert lost.code == 2 and "the conversation is not saved: " in lost.out
    assert saved.code == 0 and texts(Path("kept.json"))[2] == "Hi"


def test_an_echo_says_what_it_is_whatever_the_messages_are() -> None:
    parts = [{"type": "text", "text": "one\ntwo three"}, {"type": "image_url"}]
    assert "".join(echo([{"role": "user", "content": parts}])) == "Echo, no model was asked: two three"
    assert "".join(echo([{"role": "assistant", "content": "Hi"}])) == "Echo, no model was asked:"
