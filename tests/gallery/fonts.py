"""Fonts that come along with the tests, so that a layout is the same whatever a machine has."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[2]
DEJAVU = ROOT / "widgets" / "node_modules" / "dejavu-fonts-ttf" / "ttf"
KEPT = ROOT / ".venv" / "fontconfig"
"""What fontconfig found out about the fonts, kept for all workers."""
ANY = ("sans-serif", "serif", "system-ui", "ui-sans-serif", "cursive", "fantasy", "sans", "Arial", "Times New Roman")
ANY_MONO = ("monospace", "ui-monospace", "mono", "Courier New")


@dataclass(frozen=True, slots=True)
class FontSet:
    """All fonts that a browser has: for letters, for code, and for what these two lack."""

    name: str
    sans: str
    mono: str = "DejaVu Sans Mono"
    others: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()

    def folders(self) -> list[Path]:
        """The folders of its files; raises FileNotFoundError where `make` hasn't installed them."""
        found = [*map(_folder_of, self.packages), DEJAVU]
        for folder in found:
            if not folder.is_dir():
                raise FileNotFoundError(f"no fonts in {folder}: run `make check`, which installs them")
        return found


CHINESE = ("pylopdf_fonts_zh_cn",)
FONT_SETS: Mapping[str, FontSet] = {
    each.name: each
    for each in (
        FontSet(
            "usual",
            "Noto Sans",
            "Roboto Mono",
            ("Noto Sans SC", "DejaVu Sans"),
            ("fontpkg_noto_sans", "fontpkg_roboto_mono", *CHINESE),
        ),
        FontSet("dejavu", "DejaVu Sans"),
        FontSet("wide", "Unbounded", others=("Noto Sans SC", "DejaVu Sans"), packages=("fontpkg_unbounded", *CHINESE)),
        FontSet(
            "narrow",
            "Archivo Narrow",
            others=("Noto Sans SC", "DejaVu Sans"),
            packages=("fontpkg_archivo_narrow", *CHINESE),
        ),
    )
}
"""`dejavu` is a machine that is merely new; `wide` is wider than any usual font, `narrow` narrower."""


def fonts_for_browser(name: str = "usual") -> dict[str, str]:
    """Variables of the environment with which a browser has the fonts of this set and no others.

    They are fontconfig's, as browsers ask it on Linux; elsewhere the machine's own fonts are used.
    """
    return {"FONTCONFIG_FILE": str(_written(name))}


def chinese_font() -> Path:
    """A font file with letters and Chinese characters."""
    return _folder_of(CHINESE[0]) / "NotoSansSC-Regular.otf"


@cache
def _written(name: str) -> Path:
    text = _fontconfig(FONT_SETS[name])
    # Named by its content: several workers write it, each the same.
    file = KEPT / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}.conf"
    if not file.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return file


def _fontconfig(fonts: FontSet) -> str:
    folders = [f"<dir>{escape(str(folder))}</dir>" for folder in fonts.folders()]
    named = [_stands_for(family, (fonts.sans,)) for family in ANY] + [
        _stands_for(family, (fonts.mono,)) for family in ANY_MONO
    ]
    last = "".join(f"<string>{family}</string>" for family in (fonts.sans, *fonts.others))
    rules = [*named, f'<match target="pattern"><edit name="family" mode="append">{last}</edit></match>']
    head = '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd">'
    return "\n".join(
        [head, "<fontconfig>", *folders, f"<cachedir>{escape(str(KEPT))}</cachedir>", *rules, "</fontconfig>"]
    )


def _stands_for(family: str, families: tuple[str, ...]) -> str:
    """A rule that puts families in front of a name that no file has."""
    test = f'<test qual="any" name="family"><string>{family}</string></test>'
    strings = "".join(f"<string>{each}</string>" for each in families)
    return f'<match target="pattern">{test}<edit name="family" mode="prepend" binding="strong">{strings}</edit></match>'


def _folder_of(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise FileNotFoundError(f"the package {package} isn't installed: run `make check`")
    folder = Path(spec.origin).parent
    return folder / "files" if (folder / "files").is_dir() else folder
