"""A chat in JupyterLab as a person has it: every task with its clicks, and nobody else is asked for anything."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

from playwright.sync_api import Locator, expect

from tests.lab.pages import Lab, Server

CELLS = (
    """import time
from dataclasses import replace

import ctxlab
from ctxlab_widgets import ChatPanel

def keeper(messages):
    is_endless = any("without end" in str(each["content"]) for each in messages)
    for word in ["and on "] * 3000 if is_endless else ["The **lamp** ", "was lit ", "at nine."]:
        yield word
        time.sleep(0.01)

def second(messages):
    return "It was not lit."

def shouts(messages):
    return "LAUTER WORTE."
""",
    """found = ctxlab.example("harbour")
start = ctxlab.build(found, pick=0).start.input
panel = ChatPanel(start.session, start.agent, user=start.user, books=start.books, model=keeper, budget_tokens=1800)
panel.use(replace(panel.setup, models=(keeper, second, shouts, None)))
panel
""",
)


def notebook() -> str:
    cells = [
        {"cell_type": "code", "id": f"c{i}", "metadata": {}, "source": cell, "outputs": [], "execution_count": None}
        for i, cell in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": kernel}, "cells": cells})


@dataclass
class Person:
    """Clicks and counts them, by task."""

    chat: Locator
    clicks: dict[str, int] = field(default_factory=dict[str, int])
    task: str = ""

    @contextmanager
    def doing(self, task: str) -> Generator[None]:
        self.task, self.clicks[task] = task, 0
        yield
        self.task = ""

    def click(self, found: Locator) -> None:
        found.click()
        self.clicks[self.task] += 1

    def button(self, name: str, *, of: Locator | None = None) -> None:
        self.click((of or self.chat).get_by_role("button", name=name, exact=True).last)

    def say(self, words: str) -> None:
        """Types into the field and sends with Enter: no click."""
        box = self.chat.get_by_role("textbox", name="Your message")
        box.fill(words)
        box.press("Enter")

    def newest(self, role: str = "assistant") -> Locator:
        newest = self.chat.locator(f"article.r-{role}:not(.is-generating)").last
        newest.hover()
        return newest


DRAWN = "Heights $x^2$:\n\n```mermaid\ngraph TD; A-->B\n```"
CLICKS = {
    "send": 0,
    "stop": 1,
    "edit": 2,
    "branch": 2,
    "another model": 3,
    "translate": 2,
    "steps": 1,
    "compress": 3,
}


def chat_with_few_clicks(lab: Lab, server: Server) -> None:
    (server.root / "chat.ipynb").write_text(notebook())
    with lab.notebook("chat.ipynb") as shown:
        assert lab.run_all() == []
        chat = shown.get_by_role("region", name="Chat").last
        person = Person(chat)
        rows = chat.locator("article")

        with person.doing("send"):
            person.say("Was the lamp lit?")
            expect(rows.last.locator(".ct strong")).to_have_text("lamp")
            lab.until("panel.wait().leaf_node.content", "The **lamp** was lit at nine.")

        with person.doing("stop"):
            person.say("Tell me without end")
            expect(rows.last).to_contain_text("and on and on")
            person.button("Stop", of=rows.last)
            expect(rows.last).to_have_class(re.compile("is-stopped"))
            lab.until("panel.wait().leaf_node.content.startswith('and on')", wanted=True)

        with person.doing("edit"):
            person.button("Edit", of=person.newest())
            person.chat.locator("article textarea").fill("And so on.")
            person.button("Save")
            lab.until("panel.session.leaf_node.content", "And so on.")

        with person.doing("branch"):
            before = lab.ask("print(panel.session.leaf)")
            person.button("Branch here", of=person.newest("user"))
            person.chat.locator("article textarea").fill("Who lit it?")
            person.button("As a branch, and send")
            lab.until(f"panel.wait().leaf != {before!r}", wanted=True)
            lab.until("panel.session.path()[-2].content", "Who lit it?")

        with person.doing("another model"):
            person.button("More…", of=person.newest())
            person.click(chat.get_by_role("menuitem", name="Again with another model"))
            person.click(chat.get_by_role("menuitem", name="second"))
            lab.until("panel.wait().leaf_node.content", "It was not lit.")
            expect(person.newest().get_by_role("group", name="version 2 of 2")).to_be_visible()

        lab.ask("panel.use(replace(panel.setup, model=shouts))")
        with person.doing("translate"):
            person.button("Translate", of=person.newest())
            person.click(chat.get_by_role("menuitem").first)
            expect(chat.locator("article").last).to_contain_text("LAUTER WORTE.")

        with person.doing("steps"):
            person.button("Steps", of=person.newest())
            expect(shown.get_by_role("region", name="Step debugger")).to_be_visible()

        summaries = "[node.id for node in panel.session.path() if node.is_summary and node.enabled]"
        with person.doing("compress"):
            person.button("More", of=chat.locator(".head"))
            person.click(chat.get_by_role("menuitem", name="Compress"))
            view = shown.get_by_role("region", name="Compression").first
            expect(view).to_be_visible()
            before = lab.ask(f"print({summaries})")
            person.click(view.locator(".btn.pri:visible").first)
            lab.until(f"{summaries} != {before}", wanted=True)

        assert {task: person.clicks[task] for task in CLICKS} == CLICKS

        view.get_by_role("button", name="Undo").click()
        lab.until(f"{summaries} == {before}", wanted=True)

        lab.ask(f"panel.session = panel.session.append({DRAWN!r}, role='assistant')")
        answer = chat.locator("article").last
        expect(answer.locator("math")).to_have_count(1)
        answer.get_by_role("button", name="Draw", exact=True).click()
        lab.until_true(lambda: (answer.locator("iframe").bounding_box() or {"height": 0})["height"] > 40, "a diagram")
        expect(chat.locator(".silent")).to_be_hidden()
