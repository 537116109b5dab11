"""The participants of a chat, and the options of its turns and builds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, cast

from ctxlab.api.chat import OF_VENDORS, TurnOptions
from ctxlab.api.options import BuildOptions
from ctxlab.api.resolve import resolve, user_for
from ctxlab.api.sources import SessionSource, agent_or_library, session_or_library
from ctxlab.api.tokenizers import counter_of_model, profile_of, tokenizer_of
from ctxlab.argument_checks import shown
from ctxlab.chat.system_clock import SystemClock
from ctxlab.documents import Agent, Library, ModelProfile, Session, UserProfile
from ctxlab.errors import CtxlabError, WrongArgument, did_you_mean
from ctxlab.lazy_dataclass import dataclass
from ctxlab.local_models import LocalModel
from ctxlab.pipeline import Trace
from ctxlab.pipeline.services import TokenCounter

ECHO = "echo"
OWN_FUNCTION = "function"
OF_BUILDS = frozenset(BuildOptions.__annotations__) - {"leaf", "pending", "pick"}
NOT_TAKEN: Mapping[str, str] = {
    "leaf": "is the session's active leaf: pass session.switched(leaf)",
    "pending": "is what is typed: set panel.input",
}


def echo(messages: list[dict[str, Any]]) -> str:
    """The answer of the model that is none: what it got last, said back."""
    last = next((each for each in reversed(messages) if each.get("role") == "user"), {})
    content = last.get("content")
    parts = cast("list[Any]", content) if isinstance(content, list) else [content]
    return " ".join(["(no model: an echo)", *(words for part in parts if (words := _words_of(part)))])


def _words_of(part: object) -> str:
    """The text of a message's content or of one of its parts; a file's type in brackets."""
    if isinstance(part, str):
        return part
    held = cast("Mapping[str, Any]", part) if isinstance(part, Mapping) else {}
    text = held.get("text")
    return text if isinstance(text, str) else f"[{held['type']}]" if isinstance(held.get("type"), str) else ""


@dataclass(frozen=True, slots=True, eq=False)
class ChatSetup:
    """Agent, model and user of a chat, all that can be chosen in their place, and further options.

    `agent` and `user` are those that messages are built with, `model` is None for the echo. `chosen_user` is the user
    of agents that bind none.
    """

    agent: Agent | None
    user: UserProfile | None
    model: Any
    models: tuple[Any, ...]
    library: Library
    held: Library | None
    agent_source: Any
    options: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)
    chosen_user: UserProfile | None = None

    @property
    def is_echo(self) -> bool:
        return self.model is None

    def counter(self) -> TokenCounter:
        """Counts the tokens of messages: the given tokenizer, else that of the model that contexts are built for."""
        given, services = self.options.get("tokenizer"), self.options.get("services")
        if given is not None:
            return tokenizer_of(given)
        if isinstance(self.model, LocalModel):
            return counter_of_model(self.model)
        if services is not None:
            return services.tokenizer
        from ctxlab.providers.tokenizers import tokenizer_of_run

        named = self.named_model or (self.agent.model_id if self.agent is not None else None)
        known = next((each for each in self.library.models if each.id == named), named)
        return tokenizer_of_run(ModelProfile(id=known) if isinstance(known, str) else known, self.agent)

    @property
    def timestamp(self) -> str | None:
        """The time of what is written now: the one that turns are given, else the machine's."""
        return self.options.get("timestamp") or SystemClock().now()

    @property
    def asks_nobody(self) -> bool:
        """Whether no vendor is asked: the model is the echo, or a function."""
        return self.model is None or callable(self.model)

    @property
    def named_model(self) -> str | ModelProfile | None:
        """The model as a name or a profile; None for the echo and for a function."""
        if isinstance(self.model, LocalModel):
            return profile_of(self.model)
        return self.model if isinstance(self.model, str | ModelProfile) else None

    def with_agent(self, agent: Agent) -> ChatSetup:
        """The setup with this agent, also in place of the one that had its id among the choices."""

        def among(library: Library) -> Library:
            return replace(library, agents=tuple(agent if each.id == agent.id else each for each in library.agents))

        held = among(self.held) if self.held is not None else None
        source = among(self.agent_source) if isinstance(self.agent_source, Library) else agent
        return replace(self, agent=agent, agent_source=source, library=among(self.library), held=held)

    def with_user(self, user: UserProfile) -> ChatSetup:
        """The setup with this user profile in place of the one that has its id."""

        def among(library: Library) -> Library:
            return replace(library, users=tuple(user if each.id == user.id else each for each in library.users))

        def of(known: UserProfile | None) -> UserProfile | None:
            return user if known is not None and known.id == user.id else known

        held = among(self.held) if self.held is not None else None
        source = among(self.agent_source) if isinstance(self.agent_source, Library) else self.agent_source
        return replace(
            self,
            user=of(self.user),
            chosen_user=of(self.chosen_user),
            agent_source=source,
            library=among(self.library),
            held=held,
        )

    @property
    def bound_user(self) -> UserProfile | None:
        """The user that the agent binds, where it is at hand: it counts more than the one that is chosen."""
        bound = self.agent.user_profile_id if self.agent is not None else None
        return next((each for each in reversed(self._users()) if bound and each.id == bound), None)

    @property
    def is_user_bound(self) -> bool:
        """Whether messages are built with the user that the agent binds."""
        bound = self.bound_user
        return bound is not None and self.user is not None and bound.id == self.user.id

    def with_settings(self, settings: Mapping[str, Any]) -> ChatSetup:
        """The setup with further settings of steps, over those that it has."""
        known: Mapping[str, Any] = self.options.get("settings") or {}
        return replace(self, options={**self.options, "settings": {**known, **settings}})

    @property
    def branches_edits(self) -> bool:
        """Whether an edit is sent as a branch: the agent's `interactionConfig.sendButtonCreateBranch`."""
        extra = self.agent.model_extra if self.agent is not None else None
        config = (extra or {}).get("interactionConfig")
        return isinstance(config, Mapping) and cast("Mapping[str, Any]", config).get("sendButtonCreateBranch") is True

    def source(self, session: Session) -> SessionSource:
        """The session with all that it came in."""
        return session if self.held is None else replace(self.held, sessions=(session,))

    def turn(self, *, model: Any = None, approve: Callable[..., Any] | None = None) -> TurnOptions:
        """The options of a turn; with a `model` for this one time."""
        given = dict(self.options)
        chosen = self.model if model is None else model
        if chosen is None or callable(chosen):
            given = {name: value for name, value in given.items() if name not in OF_VENDORS}
        if approve is not None and given.get("tools") and given.get("approve") is None:
            given["approve"] = approve
        given |= {"model": echo if chosen is None else chosen, "agent": self.agent_source}
        if isinstance(chosen, LocalModel):
            given |= _counted_by(chosen, given)
        given |= {"user": self.user} if self.user is not None else {}
        return cast("TurnOptions", given)

    def build(self) -> dict[str, Any]:
        """The options of a build of what the next turn would send."""
        given = {name: value for name, value in self.options.items() if name in OF_BUILDS}
        if isinstance(self.model, str | ModelProfile):
            given["model"] = self.model
        elif isinstance(self.model, LocalModel):
            given |= _counted_by(self.model, given)
        return given | ({"user": self.user} if self.user is not None else {})

    @property
    def tools(self) -> Sequence[Any]:
        """The tools of turns, besides those that the agent describes."""
        return self.options.get("tools") or ()

    @property
    def provider(self) -> Any:
        """The vendor that is named, where a vendor's model is asked."""
        return None if self.model is None or callable(self.model) else self.options.get("provider")

    # --- what can be chosen

    def is_named(self, id: str) -> bool:
        """Whether a model among the choices is a name or a profile, not the echo or a function."""
        return isinstance(self.model_of(id), str | ModelProfile | LocalModel)

    def choices(self, what: str) -> list[tuple[str, str]]:
        """Ids and labels of what can be chosen: agents, models or users."""
        if what == "agent":
            return [(each.id, each.shown_name or each.id) for each in self._agents()]
        if what == "user":
            return [(each.id, each.shown_name or each.id) for each in self._users()]
        return [(model_id(each), model_label(each)) for each in self.models]

    def label_of(self, what: str, id: str) -> str:
        """The name of a choice."""
        return next((label for each, label in self.choices(what) if each == id), id)

    def now(self, what: str) -> str:
        """The id of the agent, the model or the user that takes part; empty for none."""
        if what == "model":
            return model_id(self.model)
        chosen = self.agent if what == "agent" else self.user
        return chosen.id if chosen is not None else ""

    def chosen(self, what: str, id: str) -> ChatSetup:
        """The setup with another agent, model or user; raises CtxlabError for one that is not among the choices.

        The user that an agent binds counts more than the chosen one, which is then that of other agents.
        """
        if what == "model":
            return replace(self, model=self.model_of(id))
        values: list[Any] = self._agents() if what == "agent" else self._users()
        found = next((each for each in values if each.id == id), None)
        if found is None:
            raise _unknown(what, id, [each.id for each in values])
        if what == "user":
            return replace(self, user=self.user if self.is_user_bound else found, chosen_user=found)
        of_agent = replace(self, agent=found, agent_source=found)
        return replace(of_agent, user=of_agent.bound_user or self.chosen_user)

    def model_of(self, id: str) -> Any:
        """The model of an id among the choices; None is the echo."""
        for each in self.models:
            if model_id(each) == id:
                return each
        raise _unknown("model", id, [model_id(each) for each in self.models])

    def _agents(self) -> list[Agent]:
        known = {each.id: each for each in self.library.agents}
        return list((known | ({self.agent.id: self.agent} if self.agent is not None else {})).values())

    def _users(self) -> list[UserProfile]:
        known = {each.id: each for each in self.library.users}
        mine = [each for each in (self.chosen_user, self.user) if each is not None]
        return list((known | {each.id: each for each in mine}).values())


def chat_setup(source: SessionSource, agent: Any, model: Any, options: Mapping[str, Any]) -> tuple[ChatSetup, Session]:
    """The setup of a chat, and its session; raises WrongArgument for an option that no turn takes."""
    options = _checked(options)
    if isinstance(agent, str):
        agent = agent_or_library(agent)
    held = session_or_library(source)
    given: dict[str, Any] = {name: value for name, value in options.items() if name in {*OF_BUILDS, "pick"}}
    options = {name: value for name, value in options.items() if name != "pick"}
    if isinstance(model, str | ModelProfile | LocalModel):
        given["model"] = model
    elif model is not None and not callable(model):
        raise WrongArgument(
            f"model takes a name, a ModelProfile, a LocalModel or a function of messages, got {shown(model)}"
        )
    found = resolve(held, agent, cast("Any", given))
    if model is None and options.get("provider") is not None:
        model = _usual_model(options["provider"])
    start = found.input
    setup = ChatSetup(
        start.agent,
        start.user,
        model,
        _models(model, found.library, start.agent),
        found.library,
        held if isinstance(held, Library) else None,
        agent if agent is not None else start.agent,
        options,
    )
    chosen = None if setup.is_user_bound and options.get("user") is None else start.user
    return replace(setup, chosen_user=chosen or user_for(None, found.library.users)), start.session


def setup_of_run(run: Trace, before: ChatSetup, *, model: Any, library: Library) -> ChatSetup:
    """The setup whose turns are built as a run is: by its steps, services, people, presets, lore and rules.

    `model` is the one that answers, `library` what can be chosen besides what is in the run.
    """
    own = run.start.input
    options: dict[str, Any] = {
        "presets": own.presets,
        "books": own.books,
        "rules": own.rules,
        "activations": own.activations,
        "variables": own.variables,
        "zone": own.zone,
        "seed": own.seed,
        "pipeline": run.pipeline,
        "services": run.services,
    }
    known = {model_id(each): each for each in (*library.models, *([own.model] if own.model is not None else []))}
    books = {each.book_id: each for each in (*library.books, *own.books)}
    at_hand = replace(
        library,
        sessions=(),
        agents=own.agents,
        users=own.users,
        models=tuple(known.values()),
        books=tuple(books.values()),
    )
    models = {model_id(each): each for each in (*_models(model, at_hand, own.agent), *before.models)}
    kept = {name: value for name, value in before.options.items() if name not in OF_BUILDS}
    made = ChatSetup(own.agent, own.user, model, tuple(models.values()), at_hand, None, own.agent, {**kept, **options})
    chosen = next((each for each in own.users if before.chosen_user and each.id == before.chosen_user.id), None)
    return replace(made, chosen_user=(chosen or before.chosen_user) if made.is_user_bound else own.user)


def _checked(options: Mapping[str, Any]) -> Mapping[str, Any]:
    known = {*TurnOptions.__annotations__, *OF_BUILDS} - {"agent", "model", "on_event"} | {"pick"}
    for name in options:
        if name in NOT_TAKEN:
            raise WrongArgument(f"{name} {NOT_TAKEN[name]}", function="ChatPanel")
        if name not in known:
            raise WrongArgument(f"there is no option {name!r}{did_you_mean(name, sorted(known))}", function="ChatPanel")
    return dict(options)


def _counted_by(model: LocalModel, given: Mapping[str, Any]) -> dict[str, Any]:
    """The options of turns and builds for a model of one's own: asked by its name, counted by its vocabulary."""
    counter = given.get("tokenizer")
    return {"model": profile_of(model), "tokenizer": model if counter is None else counter}


def _usual_model(provider: Any) -> str:
    from ctxlab.providers import provider_named

    return (provider_named(provider) if isinstance(provider, str) else provider).default_model


def _models(model: Any, library: Library, agent: Agent | None) -> tuple[Any, ...]:
    """The models to choose from: the given one, those of the library, the agent's, and the echo."""
    found = [model, *library.models, agent.model_id if agent is not None else None, None]
    known: dict[str, Any] = {}
    for each in found:
        known.setdefault(model_id(each), each)
    return tuple(known.values())


def model_id(model: Any) -> str:
    """The id of a model among the choices."""
    if model is None:
        return ECHO
    if isinstance(model, ModelProfile):
        return model.id or model.name or ""
    if isinstance(model, LocalModel):
        return model.name
    return model if isinstance(model, str) else f"{OWN_FUNCTION}:{getattr(model, '__name__', 'model')}"


def model_label(model: Any) -> str:
    """The name of a model for people."""
    if model is None:
        return "echo, no model"
    if isinstance(model, LocalModel):
        return model.name
    if isinstance(model, ModelProfile):
        return model.profile_name or model.name or model.id
    return model if isinstance(model, str) else f"{getattr(model, '__name__', 'model')}, a function"


def _unknown(what: str, id: str, known: list[str]) -> CtxlabError:
    return CtxlabError(f"there is no {what} {id[:80]!r} to choose{did_you_mean(id, known)}")
