"""What an import says of itself, and how one session is picked."""

import pytest

from ctxlab.documents import Agent, Session
from ctxlab.errors import ReadError, SeveralSessions
from ctxlab.formats import Import, Loss, names


def holding(count: int) -> Import:
    return Import(tuple(Session(id=f"chat-{i}") for i in range(count)), format="openai", source="log.jsonl")


def test_the_repr_is_one_line() -> None:
    found = Import((Session(id="a"),), (Agent(), Agent()), losses=(Loss("x", "y"),), format="native", source="a.json")

    assert repr(found) == "Import('native', 1 session, 2 agents, 1 loss, from 'a.json')"


def test_the_only_session_needs_no_picking() -> None:
    assert holding(1).pick().id == "chat-0"


def test_several_sessions_are_named() -> None:
    with pytest.raises(SeveralSessions) as refusal:
        holding(11).pick()

    assert str(refusal.value) == (
        "log.jsonl holds 11 sessions: 'chat-0', 'chat-1', 'chat-2', 'chat-3', 'chat-4', 'chat-5', 'chat-6', 'chat-7' "
        "and 3 more with fewer messages, which branches(library).summary() lists; "
        "say which with pick=, an index or an id"
    )


@pytest.mark.parametrize(("which", "found"), [(2, "chat-2"), (-1, "chat-10"), ("chat-7", "chat-7")])
def test_a_session_is_picked_by_index_or_id(which: int | str, found: str) -> None:
    assert holding(11).pick(which).id == found


@pytest.mark.parametrize(
    ("which", "said"),
    [
        ("chat-77", "did you mean 'chat-7'?"),
        ("something else", "there are: 'chat-0'"),
        (11, "indexes are 0 to 10"),
    ],
)
def test_an_unknown_pick_says_what_there_is(which: int | str, said: str) -> None:
    with pytest.raises(SeveralSessions, match="pick=") as refusal:
        holding(11).pick(which)

    assert said in str(refusal.value)


def test_a_file_of_agents_has_no_session_to_pick() -> None:
    with pytest.raises(ReadError, match=r"agents\.json holds no session, only 2 agents"):
        Import(agents=(Agent(), Agent()), source="agents.json").pick()


def test_a_loss_says_where_and_what() -> None:
    assert str(Loss("node 'n3'", "it is gone").inside("session 's'")) == "session 's', node 'n3': it is gone"


def test_formats_have_names() -> None:
    assert names() == (
        "agents",
        "native",
        "branch",
        "tau-bench",
        "swe-agent",
        "oasst",
        "chatgpt",
        "claude-code",
        "open-webui",
        "librechat",
        "claude",
        "chatbot-ui",
        "loom",
        "beam",
        "locomo",
        "sharegpt",
        "memorybank",
        "knowledge",
        "worldbook",
        "lorebook",
        "card",
        "preset",
        "text-preset",
        "sillytavern-chat",
        "sillytavern-regex",
        "rules",
        "quick-replies",
        "quick-actions",
        "anthropic",
        "openai-responses",
        "gemini",
        "http-recordings",
        "openai",
        "agents-zip",
        "charx",
        "zip",
    )
