"""Functions that `import ctxlab` offers: read, load, write, build, debug, diff, and macros, rules and lore alone."""

from ctxlab.api.build import analyze, build, debug, rebuild
from ctxlab.api.diff import diff
from ctxlab.api.examples import example
from ctxlab.api.greetings import begin, greeted
from ctxlab.api.load import joined, load, load_agent, load_user, read, read_data
from ctxlab.api.lore import lore_scan, lore_timeline
from ctxlab.api.macros_and_rules import expand_input, macro_problems, regex_steps
from ctxlab.api.render import render
from ctxlab.api.write import write

__all__ = [
    "analyze",
    "begin",
    "build",
    "debug",
    "diff",
    "example",
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
    "write",
]
