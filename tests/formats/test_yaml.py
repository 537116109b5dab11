"""YAML: the values of JSON, and everything bounded."""

from pathlib import Path
from typing import Any

import pytest

from ctxlab.errors import BrokenFile
from ctxlab.formats import read
from ctxlab.formats.yaml import DEEPEST, from_yaml

CARD = """\
spec: chara_card_v2
data:
  name: 米拉
  description: ''
  first_mes: |
    Hi
    there
  alternate_greetings: [no, 12:30, 2024-01-01]
"""


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("0x1F", 31),
        ("1.5e3", 1500.0),
        ("true", True),
        ("~", None),
        ("", None),
        ("no", "no"),
        ("on", "on"),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("2024-01-01", "2024-01-01"),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("!!int '7'", 7),
        ("<<", "<<"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: Any) -> None:
    assert from_yaml(f"a: {text}", "s")[0] == {"a": value}


def test_aliases_and_merges_are_followed() -> None:
    data, losses = from_yaml("base: &b {x: 1, y: 2}\nmine:\n  <<: *b\n  y: 3\nlist: [*b]\n1: one", "s")

    assert data == {"base": {"x": 1, "y": 2}, "mine": {"x": 1, "y": 3}, "list": [{"x": 1, "y": 2}], "1": "one"}
    assert losses == []


def test_of_a_key_that_stands_twice_the_last_counts() -> None:
    data, losses = from_yaml("a: 1\nb: 2\na: 3", "s")

    assert data == {"a": 3, "b": 2}
    assert [str(loss) for loss in losses] == ["line 3: the key 'a' stands twice; the last counts"]


LAUGHS = "\n".join(["a0: &a0 [1, 1]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9))])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, r"in\.yaml: its aliases unfold to more than 1,000,000 values"),
        (f"a: &a {'x' * 100_000}\nb: [{', '.join(['*a'] * 2000)}]", "its aliases unfold"),
        ("a: &a [*a]", r"in\.yaml:1: this value holds itself"),
        ("[" * 100_000, f"nested too deeply to be read: more than {DEEPEST} levels"),
        ("a: !!python/object/apply:os.system [ls]", r"in\.yaml:1:4: the tag .* is not read"),
        ("a: !!int x", "no int that is read"),
        ("a: *b", r"in\.yaml:1:4: found undefined alias"),
        ("a: [1,\nb", r"in\.yaml:\d:\d: "),
        ("a: 1\n---\nb: 2", r"in\.yaml:2:1: expected a single document"),
        ("? [a]\n: b", "a key is a list or an object"),
        ("a: \x07", "control characters are not allowed"),
        ("# nothing", "is empty"),
    ],
)
def test_what_is_broken_or_too_much_is_refused_with_the_place(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "in.yaml"
    path.write_text(text)

    with pytest.raises(BrokenFile, match=said) as refusal:
        read(path)

    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("name", ["card.yaml", "card.YML"])
def test_a_card_in_yaml_is_read(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(CARD, encoding="utf-8")

    (agent,) = read(tmp_path / name).agents

    assert agent.name == "米拉"
    assert [greeting.content for greeting in agent.greetings] == ["Hi\nthere\n", "no", "12:30", "2024-01-01"]


def test_json_under_the_name_of_yaml_is_json(tmp_path: Path) -> None:
    (tmp_path / "chat.yaml").write_text('[{"role": "user", "content": "a\\u00e9\\/b"}]')

    assert read(tmp_path / "chat.yaml").pick().path()[-1].content == "aé/b"


def test_numbers_that_json_lacks_are_replaced_with_a_loss(tmp_path: Path) -> None:
    (tmp_path / "card.yaml").write_text("name: A\nfirst_mes: hi\ndescription: ''\nextra: .nan")

    assert [loss.place for loss in read(tmp_path / "card.yaml").losses] == ["extra"]


def test_bytes_become_their_base64_with_a_loss(tmp_path: Path) -> None:
    path = tmp_path / "in.yaml"
    path.write_text("messages:\n  - role: user\n    content: !!binary |\n      aGkg\n      aGk=\n")

    found = read(path)

    assert found.pick()["m0"].content == "aGkgaGk="
    assert [loss.place for loss in found.losses] == ["line 3"]
