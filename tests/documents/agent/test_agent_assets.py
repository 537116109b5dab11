"""An agent's own files: typed, found by their addresses, listed in texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlab import Agent, Library, Session
from ctxlab.documents.agent.asset_references import address_of, asset_references, parse_asset_reference
from ctxlab.documents.agent.assets import AgentAsset, find_asset
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.errors import UnknownName

ADA = Agent(
    id="a",
    name="Ada",
    icon="assets/face.png",
    assets=(
        {
            "id": "wave",
            "path": "assets/w1.png",
            "filename": "hello.png",
            "type": "image",
            "group": "stickers",
            "own": 1,
        },
        {"id": "wave", "path": "assets/w2.png", "filename": "sea.png", "type": "image", "group": "views"},
        {"id": "波", "path": "assets/b.PNG", "filename": "b.PNG", "type": "image", "description": "a\nb", "size": 3},
        {"id": 7, "type": "odd", "options": "x", "size": True, "path": None},
    ),
    assetGroups=[{"id": "views", "sortOrder": 1}, {"id": "stickers"}, 5],
)  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("agent-asset://stickers/wave.png", "assets/w1.png"),
        ("views/wave", "assets/w2.png"),
        ("views/wave.gif", "assets/w2.png"),
        ("stickers/hello.png", "assets/w1.png"),
        ("elsewhere/sea.png", "assets/w2.png"),
        ("wave", "assets/w1.png"),
        ("agent-asset://default/%E6%B3%A2.png", "assets/b.PNG"),
        ("AGENT-ASSET://波", "assets/b.PNG"),
    ],
)
def test_a_file_is_found_by_group_and_id_then_by_name_then_anywhere(address: str, path: str) -> None:
    assert ADA.asset(address).path == path


@pytest.mark.parametrize("address", ["stickers/wav", "", "agent-asset://", "stickers/", "WAVE"])
def test_nothing_that_is_merely_similar_is_taken(address: str) -> None:
    with pytest.raises(UnknownName, match="agent 'a' has no file"):
        ADA.asset(address)


def test_files_are_listed_without_group_first_then_by_the_order_of_their_groups() -> None:
    assert [(asset.group, asset.id) for asset in ADA.own_assets()] == [
        ("default", "7"),
        ("default", "波"),
        ("views", "wave"),
        ("stickers", "wave"),
    ]
    assert [group.id for group in ADA.asset_groups()] == ["views", "stickers"]


def test_what_is_no_value_of_a_field_counts_as_missing_and_the_rest_stays() -> None:
    odd, first = AgentAsset.of(ADA.assets[3]), AgentAsset.of(ADA.assets[0])

    assert (odd.type, odd.kind, dict(odd.options), odd.size_bytes, odd.path) == ("file", "document", {}, None, "")
    assert first.data["own"] == 1


def test_the_macro_lists_each_file_in_one_line_in_an_order_of_its_own() -> None:
    said = str(expand("{{assets}}", MacroEnv(agent=ADA)))

    assert said.split("\n")[3:] == [
        "- [File] agent-asset://default/7",
        "- [Image] agent-asset://default/波.png: a b",
        "- [Image] agent-asset://views/wave.png",
        "- [Image] agent-asset://stickers/wave.png",
    ]
    backwards = ADA.with_(assets=tuple(reversed(ADA.assets)))
    assert str(expand("{{assets}}", MacroEnv(agent=backwards))) == said


PARTS = st.text(min_size=1, max_size=8).filter(lambda text: text.strip() == text and text.isprintable())


@given(
    PARTS,
    PARTS.filter(lambda id: "." not in id),
    st.sampled_from(["", "png"]),
    st.sampled_from(["{}", "![x]({})", "<{}>", '<img src="{}">', "看{}，好。"]),
)
def test_an_address_is_found_again_in_every_text(group: str, id: str, ending: str, around: str) -> None:
    address = address_of(group, id, ending)
    text = around.format(address)

    (found,) = asset_references(text)

    assert (found.group, found.id, found.ending, text[found.start : found.end]) == (group, id, ending, address)
    assert parse_asset_reference(address).address == address
    asset = AgentAsset(id, group=group, filename=f"x.{ending}")
    assert find_asset([AgentAsset("other"), asset], found) is asset


def test_a_text_without_addresses_has_none() -> None:
    assert asset_references("agent-asset:// and agent-asset: x, https://a.org/agent-asset") == ()


def test_missing_files_and_files_that_others_name_are_said() -> None:
    other = ADA.with_(id="b", assets=ADA.assets[:1], icon=None)
    talk = Session(id="s").append("", role="system").append("x", attachments=[{"id": "f", "path": "assets/b.PNG"}])
    library = Library(agents=(ADA, other), sessions=(talk,), files={"assets/w1.png": b"1", "assets/face.png": b"2"})

    assert ADA.files_missing(library) == ("assets/w2.png", "assets/b.PNG")
    assert ADA.files_shared(library) == {"assets/w1.png": ("agent 'b'",), "assets/b.PNG": ("session 's'",)}
