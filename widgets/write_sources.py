"""Writes what the browser half needs of the table of sources: `_shared/sources.css` and `_shared/source_icons.ts`.

`make widgets` runs it; with `--check` it names the files that the table would change, and writes nothing.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ctxlab.display.source_styles import OF_KIND, SOURCES, Source, Stroke

SHARED = Path(__file__).parent / "ctxlab_widgets" / "_shared"
HEAD = "Written by write_sources.py from ctxlab/display/source_styles.py: change it there, then run `make widgets`."
THEMES = """\
:root, [data-theme="light"] { %(light)s }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { %(dark)s } }
[data-theme="dark"], body[data-jp-theme-light="false"] { %(dark)s }
"""
# Hard stops only: they are hatches and never blends. By plotly's name of the pattern.
HATCHES = {
    "-": "background-image:repeating-linear-gradient(0deg,transparent 0 3px,var(--cx-pat) 3px 4px)",
    ".": "background-image:radial-gradient(circle at 2px 2px,var(--cx-pat) 0 1px,transparent 1.2px)"
    ";background-size:5px 5px",
    "\\": "background-image:repeating-linear-gradient(45deg,transparent 0 4px,var(--cx-pat) 4px 5.2px)",
    "x": "background-image:repeating-linear-gradient(45deg,transparent 0 4px,var(--cx-pat) 4px 5px)"
    ",repeating-linear-gradient(-45deg,transparent 0 4px,var(--cx-pat) 4px 5px)",
    "|": "background-image:repeating-linear-gradient(90deg,transparent 0 3px,var(--cx-pat) 3px 4px)",
    "+": "background-image:repeating-linear-gradient(0deg,transparent 0 2px,var(--cx-pat) 2px 3px)"
    ",repeating-linear-gradient(90deg,transparent 0 6px,var(--cx-pat) 6px 7px)",
}


def css() -> str:
    """Colours of both themes as `--cx-<name>`, and the classes `src-<name>`, `fill` and `u-<name>`."""
    colours = {
        "light": " ".join(f"--cx-{source.name}: {source.light};" for source in SOURCES),
        "dark": " ".join(f"--cx-{source.name}: {source.dark};" for source in SOURCES),
    }
    rules = [f".src-{source.name}{{--c:var(--cx-{source.name})}}" for source in SOURCES]
    rules += [f".fill.src-{source.name}{{{HATCHES[source.hatch]}}}" for source in SOURCES if source.hatch]
    rules += [f".u-{source.name}{{text-decoration-style:{source.underline}}}" for source in SOURCES if source.underline]
    return f"/* {HEAD} */\n{THEMES % colours}" + "\n".join(rules) + "\n"


def typescript() -> str:
    """The icons of sources and the source of each kind of origin, as constants."""
    icons = {source.name: _icon(source) for source in SOURCES}
    return (
        f"// {HEAD}\n\n"
        "/** An icon: first what is filled, then what is stroked, with its width. */\n"
        "export const SOURCE_ICONS: Record<string, [string, ...[path: string, width: number][]]> = "
        f"{json.dumps(icons, indent=2)};\n\n"
        "/** By kind of an origin, the name of its source. */\n"
        f"export const SOURCE_OF_KIND: Record<string, string> = {json.dumps(OF_KIND, indent=2)};\n"
    )


def _icon(source: Source) -> list[object]:
    if isinstance(source.icon, Stroke):
        return ["", [source.icon.path, source.icon.width]]
    return [source.icon]


FILES = {"sources.css": css, "source_icons.ts": typescript}


def main(arguments: list[str]) -> int:
    stale = [name for name, text in FILES.items() if not _is_current(SHARED / name, text())]
    if "--check" in arguments:
        for name in stale:
            sys.stderr.write(f"{name} is not what ctxlab/display/source_styles.py gives; run: make widgets\n")
        return 1 if stale else 0
    for name in stale:
        (SHARED / name).write_text(FILES[name](), encoding="utf-8")
    return 0


def _is_current(path: Path, text: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
