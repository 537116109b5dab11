"""A whole session as a nested Markdown list."""

from typing import Any

from ctxlab.documents import Session
from ctxlab.formats import CHINESE, tree_markdown


def session(*nodes: tuple[Any, ...], **fields: Any) -> Session:
    """A session of (id, parent, further fields); a message says its own id."""
    linked: dict[str, Any] = {"root": {"id": "root", "parentId": None, "role": "system", "content": ""}}
    for key, parent, *rest in nodes:
        more = rest[0] if rest else {}
        linked[key] = {"id": key, "parentId": parent, "role": "user", "content": f"says {key}", **more}
    ends = {"rootNodeId": "root", "activeLeafId": list(linked)[-1]}
    return Session.model_validate({"id": "s", "name": "Tea", "nodes": linked, **ends, **fields})


def hiding(*ids: str) -> dict[str, Any]:
    return {"role": "system", "metadata": {"isCompressionNode": True, "compressedNodeIds": list(ids)}}


def body(tree: Session, **how: Any) -> str:
    return str(tree_markdown(tree, **how)).partition("\n---\n\n")[2]


FORKED = session(("a", "root"), ("b", "a"), ("c", "b"), ("d", "b"), ("e", "d"))


def test_the_list_nests_at_branch_points() -> None:
    assert body(FORKED) == (
        "- **User**\n"
        "  says a\n"
        "\n"
        "- **User**\n"
        "  says b\n"
        "\n"
        "  *[2 ways go on from here]*\n"
        "\n"
        "  **Way 1:**\n"
        "\n"
        "  - **User**\n"
        "    says c\n"
        "\n"
        "  **Way 2:**\n"
        "\n"
        "  - **User**\n"
        "    says d\n"
        "\n"
        "  - **User**\n"
        "    says e\n"
    )


def test_the_list_nests_with_every_message_if_wanted() -> None:
    lines = [line for line in body(FORKED, indent="messages").splitlines() if "says" in line or "Way" in line]

    assert lines == [
        "  says a",
        "    says b",
        "    **Way 1:**",
        "      says c",
        "    **Way 2:**",
        "      says d",
        "        says e",
    ]


def test_the_head_tells_times_and_the_number_of_messages() -> None:
    greeting = {"metadata": {"isGreeting": True, "greetingLive": True}}
    tree = session(("a", "root"), ("b", "root", greeting), createdAt="2026-01-01T00:00:00Z")

    assert str(tree_markdown(tree, exported_at="2026-01-02T00:00:00Z", labels=CHINESE)).startswith(
        "# 对话树：Tea\n\n导出于：2026-01-02 00:00:00  \n创建于：2026-01-01 00:00:00  \n时区：UTC  \n消息数：1\n"
    )


def test_branches_at_the_root_are_numbered_too() -> None:
    assert body(session(("a", "root"), ("b", "root"))).startswith(
        "*[2 ways go on from here]*\n\n**Way 1:**\n\n- **User**"
    )


def test_a_summary_stands_for_what_it_hides() -> None:
    export = tree_markdown(session(("a", "root"), ("b", "a"), ("S", "b", hiding("a", "b")), ("c", "S")))

    assert str(export).partition("---\n\n")[2] == (
        "- **Summary**\n  *Messages that it stands for: 2*\n\n  says S\n\n- **User**\n  says c\n"
    )
    assert [str(loss) for loss in export.losses] == ["the tree: messages for which summaries stand are left out: 2"]


def test_what_another_branch_still_says_is_not_hidden() -> None:
    text = body(session(("a", "root"), ("b", "a"), ("S", "b", hiding("a", "b")), ("c", "a")))

    assert "says a" in text
    assert "says b" not in text
    assert "*Messages that it stands for: 1*" in text


def test_ways_below_hidden_messages_are_numbered() -> None:
    text = body(session(("a", "root"), ("S", "a", hiding("a")), ("T", "a", hiding("a"))))

    assert text.startswith("*[2 ways go on from here]*")
    assert "says a" not in text


def test_a_disabled_summary_hides_nothing() -> None:
    assert "says a" in body(session(("a", "root"), ("S", "a", {**hiding("a"), "isEnabled": False})))


def test_a_broken_tree_is_shown_whole_with_losses() -> None:
    export = tree_markdown(session(("a", "root"), ("b", "nowhere"), ("c", "d"), ("d", "c")))

    assert all(f"says {key}" in str(export) for key in "abcd")
    assert len(export.losses) == 2


def test_a_session_without_messages_has_an_empty_list() -> None:
    assert str(tree_markdown(Session(id="s"))).endswith("Messages: 0\n\n---\n")


def test_a_chain_may_be_deeper_than_the_stack() -> None:
    chain = session(*((f"n{n}", f"n{n - 1}" if n else "root") for n in range(3000)))

    assert body(chain).count("- **User**") == 3000
