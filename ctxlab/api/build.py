"""Build a context, debug it, build it again with something else in it, take it apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from ctxlab.api.options import BuildOptions, listed
from ctxlab.api.resolve import (
    MISSING_BOOK,
    books_in_force,
    books_once,
    missing_books,
    model_for,
    rules_in_force,
    session_of,
    start_of,
    timestamp_of,
)
from ctxlab.api.sources import (
    AgentSource,
    BookSources,
    NodeSource,
    PresetSources,
    RuleSources,
    SessionSource,
    UserSource,
    agent_or_library,
    books_of,
    node_id_of,
    only_session,
    presets_of,
    rules_of,
    session_or_library,
    user_of,
)
from ctxlab.api.texts_of_chat import NOTE_NOT_SENT, with_texts_of_chat
from ctxlab.api.tokenizers import ModelChoice, TokenizerSource, counter_of_model, notes_on, tokenizer_of
from ctxlab.argument_checks import checked_arguments
from ctxlab.context import BuildInput, Context
from ctxlab.documents import Agent, ModelProfile
from ctxlab.local_models import LocalModel
from ctxlab.pipeline import Debugger, Trace
from ctxlab.pipeline.services import TokenCounter
from ctxlab.pipeline.trace import run_of

if TYPE_CHECKING:
    from ctxlab.studies import Analysis


@listed(BuildOptions)
def build(session: SessionSource, agent: AgentSource | None = None, **options: Unpack[BuildOptions]) -> Trace:
    """The context of a leaf, with every step that led there.

    `session` may be a library, such as what `read` or `example` gives, a path, or a list of messages. A library's rules
    are in force, and its books without those that only another agent or user names; of several sessions `pick` says
    which, and where there is an agent and no session, the conversation begins with its greetings. `agent` may be a
    library or a path of one, such as a card's: the books and the rules that came with it are then in force too. Without
    an `agent` it is the one that the leaf's metadata names, else the only one that is there, else none. Of `library`
    those books are in force that the agent or the user names; others are given as `books`, so are `rules` and
    `presets`. Macros in a text that is given as `pending` are expanded, as when it is sent; a `Pending` is taken as it
    is. `budget_tokens` counts prompt tokens exactly. `variables` and `activations` are from an earlier trace. `tasks`
    are the states of tasks that tools have begun, by id.

    Raises SeveralSessions for a library of several, BudgetTooSmall when what must stay doesn't fit, OverBudget when
    steps after the limiter add more than fits, ProcessorFailed when a step raises.
    """
    return start_of(session, agent, **options).finished()


@listed(BuildOptions)
def debug(session: SessionSource, agent: AgentSource | None = None, **options: Unpack[BuildOptions]) -> Debugger:
    """A debugger at the start of the run that `build` would do; it takes what `build` takes."""
    return Debugger(start_of(session, agent, **options))


@checked_arguments
def rebuild(
    trace: Trace,
    *,
    session: SessionSource | None = None,
    leaf: NodeSource | None = None,
    agent: AgentSource | None = None,
    user: UserSource | None = None,
    model: ModelChoice | None = None,
    presets: PresetSources | None = None,
    books: BookSources | None = None,
    rules: RuleSources | None = None,
    tokenizer: TokenizerSource | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Trace:
    """The run again with something else in it; what isn't named stays as it was, answers of services too.

    `leaf` is a message's id; with another session and no leaf it is that session's active one. `agent` may be a library
    that holds one, whose books and rules come along; agent and user take the place of those with their ids. Another
    `model` brings its tokenizer where the run counts with that of its model, and a model of one's own always does. For
    settings alone `trace.rerun` does less
    work. Edits by hand are made again where the message still says what was edited; what is lost is a note. Raises what
    `build` raises.
    """
    before = trace.start.input
    changes: dict[str, Any] = {}
    counter = tokenizer_of(tokenizer) if tokenizer is not None else None
    if session is not None or leaf is not None:
        chosen = only_session(session) if session is not None else before.session
        node_id = chosen.node(node_id_of(leaf)).id if leaf is not None else None
        at = node_id if node_id is not None else chosen.active_leaf_id
        changes |= {"session": chosen, "leaf": node_id, "timestamp": timestamp_of(chosen, at)}
    changes |= {"user": user_of(user)} if user is not None else {}
    if model is not None:
        models = (before.model,) if before.model is not None else ()
        changes["model"] = model_for(model, None, before.session, None, models=models)
        counter = counter or _counter_of(model, changes["model"], trace)
    changes |= {"presets": presets_of(presets)} if presets is not None else {}
    changes |= {"books": books_of(books)} if books is not None else {}
    changes |= {"rules": rules_of(rules)} if rules is not None else {}
    changes |= _of_agent(agent, replace(before, **changes), given=books is not None) if agent is not None else {}
    if not changes and counter is None:
        return trace.rerun(settings)
    for name in ("agent", "user"):
        if changes.get(name) is not None:
            changes[f"{name}s"] = _in_place(getattr(before, f"{name}s"), changes[name])
    given = len(trace.start.notes) - len(trace.pipeline.warnings())
    after = replace(before, **changes)
    notes = [note for note in trace.start.notes[:given] if not {MISSING_BOOK, NOTE_NOT_SENT} & note.details.keys()]
    services = trace.services if counter is None else replace(trace.services, tokenizer=counter)
    notes += notes_on(counter) if counter is not None else ()
    pipeline = trace.pipeline.with_settings(settings or {})
    after, of_chat = with_texts_of_chat(after, pipeline)
    context = Context(after, notes=(*notes, *of_chat, *missing_books(after.agent, after.user, after.books)))
    return run_of(context, pipeline, services, after=trace)


def _counter_of(model: ModelChoice, profile: ModelProfile | None, trace: Trace) -> TokenCounter | None:
    """The tokenizer of another model; None where the run counts with one that isn't its model's."""
    from ctxlab.providers import tokenizer_for
    from ctxlab.providers.tokenizers import tokenizer_of_run

    if isinstance(model, LocalModel):
        return counter_of_model(model)
    before, name = trace.start.input, trace.services.tokenizer.name
    is_own = before.model is not None and before.model.id == name
    is_own = is_own or tokenizer_of_run(before.model, before.agent).name == name
    return tokenizer_for(profile) if is_own else None


def _in_place(known: tuple[Any, ...], new: Any) -> tuple[Any, ...]:
    """All that are at hand, with a new one in place of that of its id."""
    if not any(each.id == new.id and each is not new for each in known):
        return known
    return tuple(new if each.id == new.id else each for each in known)


def _of_agent(source: AgentSource, build_input: BuildInput, *, given: bool) -> dict[str, Any]:
    """The fields of an input that another agent changes; its books take the place of those with their ids.

    With `given` the input's books are as a caller wants them, and take the place of the agent's.
    """
    agent = agent_or_library(source)
    if isinstance(agent, Agent):
        return {"agent": agent}
    chosen = agent.agent()
    ids = set[str]() if given else {book.book_id for book in agent.books}
    kept = [book for book in build_input.books if book.book_id not in ids]
    books = books_in_force(kept, chosen, build_input.user, library=agent, brought=agent)
    return {
        "agent": chosen,
        "books": books_once(books, chosen, build_input.user)[0],
        "rules": rules_in_force(build_input.rules, chosen, brought=agent),
    }


@listed(BuildOptions)
def analyze(
    session: SessionSource,
    node: NodeSource | None = None,
    agent: AgentSource | None = None,
    **options: Unpack[BuildOptions],
) -> Analysis:
    """The prompt for a node (default: the active leaf), taken apart: structure, raw request, shares.

    The agent and the model are those that the node's metadata names, unless `agent` or `model` says otherwise; an agent
    that isn't there earns a note. `options` are those of `build`; every figure is of the one trace that it makes.
    """
    from ctxlab.studies import analysis_of

    session = session_or_library(session)
    chosen = session_of(session, options)
    leaf = node_id_of(node) if node is not None else chosen.active_leaf_id
    if "model" not in options and leaf is not None and leaf in chosen.nodes:
        named = chosen.node(leaf).meta("modelId")
        if isinstance(named, str):
            options["model"] = named
    if node is not None:
        options["leaf"] = node
    return analysis_of(build(session, agent, **options), leaf)
