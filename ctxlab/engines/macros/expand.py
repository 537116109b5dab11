"""Macro expansion: values in the place of macros, with the provenance of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from itertools import pairwise
from typing import Literal

from ctxlab.context import EMPTY, Edit, Origin, Pending, Text, Variables
from ctxlab.display.html_table import heading, html_table, lines
from ctxlab.display.short_texts import counted, short
from ctxlab.documents import Note
from ctxlab.engines.macros.call import CAUSE, ExpansionState
from ctxlab.engines.macros.environment import MacroEnv
from ctxlab.engines.macros.evaluator import Evaluation
from ctxlab.engines.macros.parser import ANGLE
from ctxlab.engines.macros.registry import SILLYTAVERN
from ctxlab.engines.macros.substitute import cause_of, spliced
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Compat = Literal["ctxlab", "reference"]
Transform = Callable[[str], str]
MOST_ROUNDS = 4
ESCAPED = lazy_pattern(r"\\[{}]")
TEXT = Origin("text")


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """A text with values in the place of its macros.

    `phases` is the text after each of the three phases (empty when there was nothing to do), `variables` what they are
    afterwards, `count` how many macros were replaced.
    """

    text: Text
    phases: tuple[str, ...] = ()
    variables: Variables = field(default_factory=Variables)
    count: int = 0
    notes: tuple[Note, ...] = ()
    source: Text = EMPTY

    def __str__(self) -> str:
        return str(self.text)

    def __repr__(self) -> str:
        held = f"{counted(self.count, 'macro')}, {counted(len(self.notes), 'note')}"
        return f"Expansion({short(str(self.text), 60)!r}, {held})"

    def _repr_html_(self) -> str:
        texts = [("typed", str(self.source)), *((f"phase {i}", text) for i, text in enumerate(self.phases, 1))]
        changed = [texts[0], *(after for before, after in pairwise(texts) if before[1] != after[1])]
        rows = [*changed, *([("sent", str(self.text))] if changed[-1][1] != str(self.text) else [])]
        notes = lines(note.text for note in self.notes)
        return heading(self) + html_table(("", "text"), rows, cells=400) + notes

    @property
    def pending(self) -> Pending:
        """The text as a pending message for `build(session, pending=...)`, with the original typed text."""
        original = str(self.source)
        return Pending(self.text, original=original if original != str(self.text) else None)


def expand(
    text: Text | str,
    env: MacroEnv,
    *,
    compat: Compat = "ctxlab",
    transform: Transform | None = None,
    processor: str = CAUSE,
) -> Expansion:
    r"""Values for known macros; others stay as they are, with a note. `\{{` gives a literal `{{`.

    Inner macros are evaluated before those around them. A value is data: what it contains is not expanded again.
    `compat="reference"` evaluates in the order of the reference program instead, with all that follows from it.
    `transform` is done to every value, not to the text around it. `processor` signs the edits of SillyTavern's engines,
    for a step that rewrites messages.

    >>> str(expand("Hi {{user}}", MacroEnv(user="Kim")).text)
    'Hi Kim'
    """
    text = Text.of(text, TEXT) if isinstance(text, str) else text
    source = str(text)
    if env.engine != "seed":
        return _by_sillytavern(text, source, env, processor)
    if "{{" not in source and not (env.dialect == SILLYTAVERN and ANGLE.search(source)):
        return Expansion(text, variables=env.variables, source=text)
    run = ExpansionState(env, reference=compat == "reference")
    if compat == "reference":
        from ctxlab.engines.macros.reference_program_order import expanded

        done, phases, count = expanded(text, run, transform)
    else:
        done, phases, count = _expanded(text, run, transform)
    return Expansion(done, phases, run.variables, count, tuple(run.notes), text)


def may_have_macros(source: str) -> bool:
    """Whether any engine could find something to expand in a text: most messages of a conversation have nothing."""
    return "{{" in source or ANGLE.search(source) is not None or ESCAPED.search(source) is not None


def _by_sillytavern(text: Text, source: str, env: MacroEnv, processor: str) -> Expansion:
    """The text as SillyTavern's own engines make it, the one of today or the one before."""
    is_plain = "{{" not in source and not ANGLE.search(source)
    if is_plain and (env.engine == "sillytavern-old" or not ESCAPED.search(source)):
        return Expansion(text, variables=env.variables, source=text)
    run = ExpansionState(env)
    if env.engine == "sillytavern-old":
        from ctxlab.engines.macros.one_after_another import passed

        done, count = passed(text, run, processor=processor)
    else:
        from ctxlab.engines.macros.left_to_right.evaluation import expanded

        done, count = expanded(text, run, processor=processor)
    return Expansion(done, (str(done),), run.variables, count, tuple(run.notes), text)


def _expanded(text: Text, run: ExpansionState, transform: Transform | None) -> tuple[Text, tuple[str, ...], int]:
    evaluation = Evaluation(str(text), run)
    included = 0
    for _ in range(MOST_ROUNDS):
        edits = _templates(text, evaluation)
        if not edits:
            break
        included += len(edits)
        text = text.splice(edits)
        evaluation = Evaluation(str(text), run)
    phases = evaluation.evaluate()
    count = sum(node.value is not None for node in evaluation.nodes)
    done = spliced(text, evaluation.nodes, dialect=run.env.dialect, transform=transform)
    return done, phases, included + count


def _templates(text: Text, evaluation: Evaluation) -> list[Edit]:
    """Template macros replaced by their text before anything else: macros in it are read like those around it."""
    edits: list[Edit] = []
    for node in evaluation.nodes:
        macro = node.macro
        if macro is None or not macro.template or node.children:
            continue
        origin = Origin("macro", macro.name)
        if origin in text.at(node.start).origins():  # it contains itself: there it stays
            continue
        value = evaluation.template(node)
        if value is not None:
            edits.append(Edit(node.start, node.end, value, cause_of(node), origin))
    return edits
