"""Files whose root has text: the root is a message like any other, in everything that is read out of a session."""

import json
from typing import Any

import pytest

from ctxlab.documents import Session
from ctxlab.formats import (
    branch_data,
    branch_markdown,
    branch_session,
    chat_jsonl,
    openai_messages,
    path_markdown,
    read_data,
    tree_markdown,
)

WORDS = ["FIRST WORDS", "an answer", "a second question"]


@pytest.fixture
def talk() -> Session:
    roles = ["user", "assistant", "user"]
    nodes: dict[str, Any] = {
        id: {"id": id, "parentId": above, "role": role, "content": words}
        for id, above, role, words in zip("abc", [None, "a", "b"], roles, WORDS, strict=True)
    }
    return read_data({"id": "s", "rootNodeId": "a", "activeLeafId": "c", "nodes": nodes}).sessions[0]


def test_b1_a_root_with_text_is_read_as_it_is_and_counted(talk: Session) -> None:
    assert talk.root is not None
    assert (talk.root.content, talk.root.is_empty_root) == ("FIRST WORDS", False)
    assert talk.message_count == 3
    assert [node.content for node in talk.append("more").path()] == [*WORDS, "more"]


@pytest.mark.parametrize("write", [tree_markdown, branch_markdown, path_markdown])
def test_b1_markdown_begins_with_the_roots_words(talk: Session, write: Any) -> None:
    export = write(talk)

    assert [words for words in WORDS if words in str(export.data)] == WORDS
    assert export.losses == ()


def test_b1_a_tree_of_markdown_numbers_the_ways_below_a_root_with_text(talk: Session) -> None:
    lines = str(tree_markdown(talk.append("another answer", parent="a", role="assistant"), show=()).data).splitlines()

    assert [line.strip() for line in lines if line.strip() in (*WORDS, "another answer")] == [*WORDS, "another answer"]
    assert sum("**User**" in line for line in lines) == 2


def test_b1_openai_lists_chats_and_branches_begin_with_the_roots_words(talk: Session) -> None:
    messages, chat, branch = openai_messages(talk), chat_jsonl(talk), branch_data(talk)

    assert [message["content"] for message in messages.data] == WORDS
    assert [json.loads(line)["mes"] for line in chat.data.decode().splitlines()[1:]] == WORDS
    assert [message["content"] for message in branch.data["messages"]] == WORDS
    assert (*messages.losses, *chat.losses, *branch.losses) == ()


@pytest.mark.parametrize("span", [None, (1, 2), (2, 3)])
def test_b1_a_branch_of_its_own_has_the_roots_words_once_or_an_empty_root(talk: Session, span: Any) -> None:
    first, last = span or (1, 3)
    branch = branch_session(talk, span=span)

    assert [node.content for node in branch.path() if not node.is_empty_root] == WORDS[first - 1 : last]
    assert branch.check() == ()
