"""Who of a group replies next, as the program chooses; where it draws, the first who may be drawn, and a loss."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ctxlab
from tests.sillytavern.case_folder import as_bytes, picture
from tests.sillytavern.small_folder import PRESET, write_folder

TALK = (("Jo", False, "From the top."), ("Wenna", True, "I am ready."), ("Bas", False, "My string is gone."))
SILENT = {"Jo": 0, "Bas": 0, "Old Pia": 0}


def group_of(at: Path, talks: dict[str, Any], *, said: Any = TALK, turns: Any = (), **group: Any) -> Path:
    """A folder with one group; `talks` is how readily each member talks, `turns` the number of each message's turn."""
    folder = write_folder(at, active_group="1", oai_settings=PRESET)
    for name, readily in talks.items():
        card = {"name": name, "extensions": {} if readily is None else {"talkativeness": readily}}
        (folder / f"characters/{name}.png").write_bytes(picture({"spec": "chara_card_v2", "data": card}))
    lines: list[Any] = [{"chat_metadata": {}}]
    lines += [{"name": name, "is_user": is_user, "is_system": False, "mes": text} for name, is_user, text in said]
    for line, turn in zip(reversed(lines), reversed(turns), strict=False):
        line["extra"] = {"gen_id": turn}
    files = {
        "groups/1.json": {
            "id": "1",
            "members": [f"{name}.png" for name in talks],
            "activation_strategy": 0,
            "chat_id": "g",
            "chats": ["g"],
            **group,
        },
        "group chats/g.jsonl": None,
    }
    for place, content in files.items():
        (folder / place).parent.mkdir(exist_ok=True)
        words = b"\n".join(map(as_bytes, lines)) if content is None else as_bytes(content)
        (folder / place).write_bytes(words)
    return folder


@pytest.mark.parametrize(
    ("talks", "text", "who", "is_drawn"),
    [
        pytest.param(SILENT, "Bas, play.", "Bas", False, id="a name, though it spoke last"),
        pytest.param(SILENT, "And now PIA!", "Old Pia", False, id="a part of a name"),
        pytest.param(SILENT, "Basalt.", "Jo", True, id="no whole word of a name"),
        pytest.param(SILENT, None, "Jo", True, id="nobody talks unasked: any may be drawn"),
        pytest.param({**SILENT, "Old Pia": 0.1}, "Hm.", "Old Pia", False, id="the only one who talks"),
        pytest.param({**SILENT, "Bas": "1", "Jo": "0.2"}, None, "Jo", False, id="not who spoke last"),
        pytest.param({**SILENT, "Bas": None}, "Hm.", "Bas", False, id="a card that doesn't say"),
        pytest.param({**SILENT, "Bas": "often"}, "Hm.", "Bas", False, id="no number"),
        pytest.param({**SILENT, "Bas": ""}, "Hm.", "Jo", True, id="nothing is none"),
        pytest.param({"沈舟": 0, "Lin 晚": 0.5}, "沈舟,请。", "Lin 晚", False, id="a Chinese name has no words there"),
        pytest.param({"沈舟": 0, "Lin 晚": 0}, "晚? lin!", "Lin 晚", False, id="its Latin part has one"),
    ],
)
def test_in_natural_order_one_is_named_or_likes_to_talk(
    tmp_path: Path, talks: dict[str, Any], text: str | None, who: str, is_drawn: bool
) -> None:
    turn = ctxlab.sillytavern(group_of(tmp_path, talks), text=text)

    assert (turn.agent.name, any("draws" in loss.text for loss in turn.losses)) == (who, is_drawn)


def test_one_who_names_itself_goes_on_only_where_the_group_allows_it(tmp_path: Path) -> None:
    said = (*TALK[:2], ("Bas", False, "Bas is tired, Jo."))
    asked = ctxlab.sillytavern(group_of(tmp_path / "a", SILENT, said=said))
    allowed = ctxlab.sillytavern(group_of(tmp_path / "b", SILENT, said=said, allow_self_responses=True))

    assert (asked.agent.name, allowed.agent.name) == ("Jo", "Bas")


@pytest.mark.parametrize(("turns", "left"), [((7, 7), 1), ((6, 7), 2), ((), 1), ((0, 7), 1)])
def test_a_group_writes_anew_what_it_replied_at_once(tmp_path: Path, turns: Any, left: int) -> None:
    said = (("Wenna", True, "All of you."), ("Jo", False, "Yes."), ("Bas", False, "So."))
    folder = group_of(tmp_path, {**SILENT, "Jo": 1}, said=said, turns=turns, disabled_members=["Old Pia.png"])

    turn = ctxlab.sillytavern(folder, kind="regenerate", speaker="Bas")

    sent = [message["content"] for message in turn.build().messages]
    assert [text for text in sent if text in ("All of you.", "Jo: Yes.", "Bas: So.")] == ["All of you.", "Jo: Yes."][
        :left
    ]
    assert turn.options().get("turn") == "normal"
