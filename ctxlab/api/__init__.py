"""The door: read, load, build, debug, diff."""

from ctxlab.api.beginning import begin, greeted
from ctxlab.api.building import analyze, build, debug, rebuild
from ctxlab.api.languages import expand_input, lore_scan, macro_problems, regex_steps, render
from ctxlab.api.reading import joined, load, load_agent, load_user, read, read_data
from ctxlab.api.timeline import lore_timeline
from ctxlab.pipeline import diff

__all__ = [
    "analyze",
    "begin",
    "build",
    "debug",
    "diff",
    "expand_input",
    "greeted",
    "joined",
    "load",
    "load_agent",
    "load_user",
    "lore_scan",
    "lore_timeline",
    "macro_problems",
    "read",
    "read_data",
    "rebuild",
    "regex_steps",
    "render",
]
