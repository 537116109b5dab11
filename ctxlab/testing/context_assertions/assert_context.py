"""A chain of expectations of one run or several; what isn't met is an AssertionError that says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from textwrap import indent
from types import TracebackType
from typing import Self

from ctxlab.argument_checks import checked_arguments
from ctxlab.display.short_texts import counted
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.testing.context_assertions import expect
from ctxlab.testing.context_assertions.expectation import PAD, Expectation


class ContextAssertion:
    """Expectations of one or several runs, one call each; a call that isn't met raises AssertionError.

    In a `with` statement all calls are made, and everything that isn't met is in one message at its end.
    """

    def __init__(self, runs: Mapping[str, Trace], *, negated: bool = False, held: Sequence[str] = ()) -> None:
        self._runs = dict(runs)
        self._negated = negated
        self._held = tuple(held)
        self._collected: list[tuple[str, str]] | None = None
        self._parent: ContextAssertion | None = None

    def __repr__(self) -> str:
        return f"ContextAssertion({counted(len(self._runs), 'run')}, {len(self._held)} held)"

    def __enter__(self) -> Self:
        self._collected = []
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        __tracebackhide__ = True
        collected, self._collected = self._collected or [], None
        if kind is None and collected:
            raise AssertionError(self._message(collected))

    @property
    def not_(self) -> ContextAssertion:
        """This chain, whose next expectation must not be met."""
        made = ContextAssertion(self._runs, negated=not self._negated, held=self._held)
        made._collected = self._collected
        made._parent = self
        return made

    @checked_arguments
    def kept(self, name: str) -> ContextAssertion:
        """The message is sent: by key, id, the name of a preset or an entry, or words; see `expect.kept`."""
        __tracebackhide__ = True
        return self.meets(expect.kept(name))

    @checked_arguments
    def has(self, text: str) -> ContextAssertion:
        """These words are in any of the messages, or the pattern behind `re:` matches there."""
        __tracebackhide__ = True
        return self.meets(expect.has(text))

    @checked_arguments
    def says(self, name: str, text: str) -> ContextAssertion:
        """The message of this name is sent with exactly this text, macros expanded; see `expect.says`."""
        __tracebackhide__ = True
        return self.meets(expect.says(name, text))

    @checked_arguments
    def before(self, first: str, second: str) -> ContextAssertion:
        """All of `first` is in front of all of `second`; each is what `kept` takes, or a source such as `history`."""
        __tracebackhide__ = True
        return self.meets(expect.before(first, second))

    @checked_arguments
    def under(self, tokens: int) -> ContextAssertion:
        """The prompt has at most so many tokens, in a run that no budget cut to these."""
        __tracebackhide__ = True
        return self.meets(expect.under(tokens))

    @checked_arguments
    def fires(self, entry: str) -> ContextAssertion:
        """The lore entry of this title, key or uid fires."""
        __tracebackhide__ = True
        return self.meets(expect.fires(entry))

    def sound_pairs(self) -> ContextAssertion:
        """Every tool call has its result behind it, and every result its call."""
        __tracebackhide__ = True
        return self.meets(expect.sound_pairs())

    @checked_arguments
    def prefix_stable(self, turns: int = 10, *, share: float = 0.9) -> ContextAssertion:
        """Over the last turns each prompt begins with at least this share of the tokens of the one before it."""
        __tracebackhide__ = True
        return self.meets(expect.prefix_stable(turns, share=share))

    @checked_arguments
    def cheaper_than(
        self, other: Trace | float, *, provider: str | None = None, model: str | None = None
    ) -> ContextAssertion:
        """The prompt costs less than another run's, or than so many US dollars, uncached."""
        __tracebackhide__ = True
        return self.meets(expect.cheaper_than(other, provider=provider, model=model))

    @checked_arguments
    def meets(self, *expectations: Expectation) -> ContextAssertion:
        """All of these expectations are met; after `not_` none of them is. One message names all that fail."""
        __tracebackhide__ = True
        if not expectations:
            raise WrongArgument("meets takes at least one expectation, such as kept('u5')", function="meets")
        failed = [
            (name, problem)
            for name, trace in self._runs.items()
            for each in expectations
            for problem in each.problems(trace, negated=self._negated)
        ]
        chain = self._parent or self
        if failed and chain._collected is None:
            raise AssertionError(self._message(failed))
        if chain._collected is not None:
            chain._collected += failed
            return chain
        names = [f"not {each.name}" if self._negated else each.name for each in expectations]
        return ContextAssertion(self._runs, held=(*self._held, *names))

    def _message(self, failed: Sequence[tuple[str, str]]) -> str:
        """Every run with what isn't met of it, then what was met before."""
        blocks: list[str] = []
        for name in dict.fromkeys([name for name, _ in failed]):
            mine = [problem for run, problem in failed if run == name]
            blocks.append(f"{_head(name, self._runs[name])}: {counted(len(mine), 'expectation')} not met")
            blocks += [indent(problem, PAD) for problem in mine]
        if self._held:
            blocks.append(f"met before: {', '.join(self._held)}")
        return "\n".join(blocks)


def _head(name: str, trace: Trace) -> str:
    build_input = trace.start.input
    leaf = build_input.leaf or build_input.session.active_leaf_id
    drafts = trace.result.drafts
    size = f"{counted(len(drafts), 'message')}, {counted(trace.tokens, 'token')}"
    return f"{name + ': ' if name else ''}the context of {build_input.session.id!r} at {leaf!r} ({size})"


@checked_arguments
def assert_context(
    runs: Trace | Sequence[Trace] | Mapping[str, Trace], /, *expectations: Expectation
) -> ContextAssertion:
    """A chain of expectations of a run, or of each of several, by name or in a list.

    >>> import ctxlab
    >>> trace = ctxlab.build(ctxlab.example("harbour"), budget_tokens=1800)
    >>> assert_context(trace).kept("u13").before("history", "preset:9").under(1500).not_.kept("u5")
    ContextAssertion(1 run, 4 held)

    The first call of a chain that isn't met raises AssertionError, with the life of a message that is missing. Given as
    arguments (`assert_context(trace, kept("u5") & under(1800))`), or in a `with` statement, all that fail are named.
    """
    __tracebackhide__ = True
    named = _named(runs)
    if not named:
        raise WrongArgument("runs takes at least one trace; ctxlab.build(session) makes one", function="assert_context")
    chain = ContextAssertion(named)
    return chain.meets(*expectations) if expectations else chain


def _named(runs: Trace | Sequence[Trace] | Mapping[str, Trace]) -> dict[str, Trace]:
    if isinstance(runs, Trace):
        return {"": runs}
    if isinstance(runs, Mapping):
        return dict(runs)
    return {f"run {number}": trace for number, trace in enumerate(runs, 1)}
