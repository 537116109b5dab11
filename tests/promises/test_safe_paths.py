"""Laws of paths: what is opened is inside the folder, and a name that was made safe is one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ctxlab.assets.safe_path import MOST_NAME_BYTES, RESERVED, open_inside, relative_path, safe_name

PARTS = st.one_of(
    st.sampled_from(
        ["..", ".", "", "a.txt", "sub", "out", "up", "secret.txt", "港口.txt", "CON", "aux.txt", "C:", "~"]
    ),
    st.text(max_size=4),
)
PATHS = st.builds(
    lambda parts, sign, start: start + sign.join(parts),
    st.lists(PARTS, max_size=5),
    st.sampled_from(["/", "\\"]),
    st.sampled_from(["", "/", "//", "./", "../", "C:/", "\\\\host\\"]),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files, and links that lead out of it, beside a secret."""
    place = tmp_path_factory.mktemp("paths")
    root = place / "root"
    (root / "sub").mkdir(parents=True)
    (place / "secret.txt").write_text("secret")
    for path in (root / "a.txt", root / "sub" / "a.txt", root / "港口.txt"):
        path.write_text("inside")
    (root / "out").symlink_to(place)
    (root / "up").symlink_to(place / "secret.txt")
    (root / "sub" / "up").symlink_to(root / "a.txt")
    os.mkfifo(root / "pipe")
    return root


@given(path=PATHS)
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_opens_is_inside(folder: Path, path: str) -> None:
    file = open_inside(folder, path)

    if file is not None:
        with file:
            assert file.read() == b"inside"


@pytest.mark.parametrize("path", ["a.txt", "./a.txt", "sub/a.txt", "sub\\a.txt", "sub/up", "港口.txt", "sub//a.txt"])
def test_files_inside_open(folder: Path, path: str) -> None:
    file = open_inside(folder, path)

    assert file is not None
    file.close()


@pytest.mark.parametrize(
    "path",
    ["", ".", "sub", "../secret.txt", "sub/../../secret.txt", "out/secret.txt", "up", "/etc/passwd", "a.txt\x00",
     "pipe", "C:\\a.txt", "a.txt:stream", "\\\\host\\a.txt", "nul", "missing.txt"],
)  # fmt: skip
def test_nothing_else_opens(folder: Path, path: str) -> None:
    assert open_inside(folder, path) is None


@given(PATHS)
def test_a_relative_path_has_no_way_out(path: str) -> None:
    found = relative_path(path)

    if found is not None:
        parts = found.split("/")
        assert not {"", ".", ".."} & {*parts}
        assert not any(RESERVED.fullmatch(part) or ":" in part or "\\" in part for part in parts)
        assert relative_path(found) == found


@given(st.one_of(st.text(max_size=300), PATHS))
def test_a_safe_name_is_a_name_on_every_system(name: str) -> None:
    safe = safe_name(name)

    assert 0 < len(safe.encode()) <= MOST_NAME_BYTES
    assert relative_path(safe) == safe
    assert safe_name(safe) == safe
    assert not set(safe) & set('<>:"/\\|?*\x00')


@pytest.mark.parametrize("name", ["plan.pdf", "港口 图.jpg", "résumé.docx", ".hidden", "a.b.c"])
def test_a_plain_name_stays(name: str) -> None:
    assert safe_name(name) == name


def test_a_long_name_keeps_its_extension() -> None:
    assert safe_name("港" * 300 + ".jpeg").endswith("港.jpeg")
