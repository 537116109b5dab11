"""What the real program sends now, beside what is built from the very folder that it has written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright")

import ctxlab
from ctxlab.context import TurnKind
from tests.gallery.pages import NoBrowser, browsing
from tests.sillytavern.comparison import difference, plain
from tests.sillytavern.live_cases import LIVE_CASES, LiveCase
from tests.sillytavern.real_program import NoProgram, RealProgram, running

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@dataclass(frozen=True, slots=True)
class Sent:
    """A request, with a copy of the folder as it was before, and what was typed."""

    folder: Path
    kind: TurnKind
    text: str | None
    messages: list[Mapping[str, Any]]


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Sent]]:
    """The requests of all cases. Program and browser are gone by then: while a browser is open an event loop runs."""
    folder = tmp_path_factory.mktemp("sillytavern")
    try:
        with browsing() as browser, running(folder / "program", browser) as program:
            return {case.name: list(_sent(program, case, folder / case.name)) for case in LIVE_CASES}
    except (NoBrowser, NoProgram) as missing:
        pytest.skip(str(missing))


def _sent(program: RealProgram, case: LiveCase, copies: Path) -> Iterator[Sent]:
    case.write(program.data)
    with program.opened() as chat:
        for number, (kind, text) in enumerate(case.turns):
            copy = chat.save(copies / str(number))
            yield Sent(copy, kind, text, chat.send(text, kind))


@pytest.mark.parametrize("case", LIVE_CASES, ids=lambda case: case.name)
def test_what_is_built_from_its_folder_is_what_the_program_sends(case: LiveCase, sent: dict[str, list[Sent]]) -> None:
    for each in sent[case.name]:
        built = ctxlab.sillytavern(each.folder, kind=each.kind, text=each.text).build().messages

        assert plain(built) == plain(each.messages), "\n".join(difference(each.messages, built))


def test_a_program_that_is_not_there_is_asked_for(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.sillytavern.real_program.PROGRAM", tmp_path)

    with pytest.raises(NoProgram, match="run make sillytavern"), running(tmp_path, None):  # pyright: ignore[reportArgumentType]
        pass
