"""The very request that a vendor gets, line by line: whose words each value is, what is refused, lost and cached."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import traitlets

from ctxlab.argument_checks import checked_arguments
from ctxlab.documents import ModelProfile
from ctxlab.errors import CtxlabError
from ctxlab.pipeline import Trace
from ctxlab.providers import Fix, Payload, Provider, built_in, payload, provider_named
from ctxlab.secrets import without_secret_fields
from ctxlab.studies.request_comparison import RequestComparison, compare_requests
from ctxlab.studies.run_effect import run_effect
from ctxlab_widgets._shared.json_values import as_json
from ctxlab_widgets._shared.widget import Widget
from ctxlab_widgets.request_view.body_lines import body_text
from ctxlab_widgets.request_view.view_json import fixes_of, request_json

MOST_BACK = 50


class RequestView(Widget):
    """The body that is posted, with the messages behind each value; problems, losses, marks and price at their place.

    It shows a run as the request of `provider` (by default the one of the run's model), or a payload as it is.

    >>> RequestView(trace, provider="anthropic")  # doctest: +SKIP
    """

    _esm = Path(__file__).parent / "static" / "widget.js"

    trace = traitlets.Instance[Trace | None](Trace, allow_none=True)
    """The run that is shown; a mend that changes settings of steps sets another one."""
    provider = traitlets.Unicode("").tag(sync=True)
    """Name of the vendor, such as `anthropic`. Set it, and the request is made for that one."""
    model = traitlets.Unicode("").tag(sync=True)
    """Name of the model. Set it, and the request is made for that one."""
    parameters = traitlets.Dict()
    """The parameters of the call, as `ctxlab.payload` takes them. Set them, and the request is made with those."""
    compared = traitlets.Unicode("").tag(sync=True)
    """Name of the vendor whose request is set beside this one; empty when none is."""
    view = traitlets.Unicode("").tag(sync=True)
    """The lines of the body and all that is said of them, as JSON; empty when there is no request."""
    comparison = traitlets.Unicode("").tag(sync=True)
    """The differences of two vendors' requests, as JSON; empty when nothing is compared."""
    choices = traitlets.Dict().tag(sync=True)
    """The vendors as `{"providers": [[name, title]], "models": [name]}`."""
    can_go_back = traitlets.Bool(False).tag(sync=True)
    """Whether a change was made here that can be taken back."""

    @checked_arguments
    def __init__(
        self,
        shown: Trace | Payload | None = None,
        *,
        provider: str | Provider | None = None,
        model: str | ModelProfile | None = None,
        parameters: Mapping[str, Any] | None = None,
        after: Payload | None = None,
    ) -> None:
        made = shown if isinstance(shown, Payload) else None
        if made is not None and not (provider is model is parameters is after is None):
            raise CtxlabError("a payload is shown as it is: pass its trace, to make it for another vendor or model")
        self._payload: Payload | None = made
        self._after = made.after if made is not None else after
        self._profile = made.asked_model if made is not None else model
        self._custom: dict[str, Provider] = {}
        self._stream, self._base_url = (made.stream, made.base_url) if made is not None else (False, None)
        self._before: list[Payload] = []
        self._fixes: list[Fix] = []
        self._shown_payload: Payload | None = None
        self._compared_pair: tuple[Payload, Payload] | None = None
        self._is_setting = False
        super().__init__()
        if isinstance(shown, Trace):
            made = payload(shown, provider, model=model, parameters=parameters, after=after)
        if made is not None:
            self._take(made)
        self.show()

    @property
    def payload(self) -> Payload:
        """The request that is shown; raises CtxlabError when there is none."""
        if self._payload is None:
            raise CtxlabError("the RequestView shows no request: set its trace")
        return self._payload

    @property
    def request_comparison(self) -> RequestComparison:
        """The differences from the request of `compared`; raises CtxlabError when nothing is compared."""
        if not self.compared:
            raise CtxlabError("nothing is compared: set `compared` to the name of a vendor")
        return compare_requests(self.payload, self._for(self.compared))

    def show(self) -> None:
        made = self._payload
        with self.hold_sync():
            self.can_go_back = bool(self._before)
            if made is None:
                self.view, self.comparison, self.choices = "", "", {}
                return
            if made is not self._shown_payload:
                self.view, self._shown_payload = as_json(request_json(made)), made
                self._fixes = fixes_of(made)
            self.choices = self._choices(made)
            self._show_comparison(made)

    def fix(self, number: int) -> None:
        """Make the change that is offered for a problem or a loss; numbers are those of the offers on the page."""
        if not 0 <= number < len(self._fixes):
            raise CtxlabError(f"there is no change {number}: {len(self._fixes)} are offered")
        fix, before = self._fixes[number], self.payload
        after = before.mended(fix)
        self._shows(after, f"{fix.label}:")

    def back(self) -> None:
        """Take the last change back that was made here."""
        if not self._before:
            raise CtxlabError("nothing was changed here")
        self._take(self._before.pop())
        self.effect = {}

    # --- which request is shown

    def _shows(self, made: Payload, label: str) -> None:
        before = self.payload
        self._before = [*self._before, before][-MOST_BACK:]
        if made.trace is not before.trace and self._state is not None:
            with self._state.changing(self, continues=False):
                self._take(made)
        else:
            self._take(made)
        self.effect = {"label": label, "text": _effect(before, made)}

    def _take(self, made: Payload) -> None:
        """Show this very request."""
        self._custom[made.provider.name] = made.provider
        self._is_setting = True
        try:
            with self.hold_trait_notifications():
                self._payload = made
                self.trace = made.trace
                self.provider, self.model = made.provider.name, made.model.name
                self.parameters = dict(made.call)
        finally:
            self._is_setting = False
        self._profile = made.asked_model

    def _for(self, provider: str) -> Payload:
        """This run with these parameters as a request for another vendor."""
        own = self._payload
        assert own is not None
        if provider == own.provider.name:
            return own
        return self._made(own.trace, provider, None)

    def _made(self, trace: Trace, provider: str, model: str | ModelProfile | None) -> Payload:
        return payload(
            trace,
            self._custom.get(provider, provider) if provider else None,
            model=model,
            parameters=self.parameters,
            after=self._after if self._after is not None and self._after.provider.name == provider else None,
            stream=self._stream,
            base_url=self._base_url if self._payload is not None and self._payload.provider.name == provider else None,
        )

    @traitlets.observe("trace", "provider", "model", "parameters")
    def _on_change(self, change: Mapping[str, Any]) -> None:
        if self._is_setting:
            return
        run, name = self.trace, change["name"]
        asked = None if name == "provider" else self.model if name == "model" else self._profile
        self.error = ""
        try:
            self._payload = None if run is None else self._made(run, self.provider, asked)
        except CtxlabError as problem:
            if name != "trace":
                raise
            # Another view made this run: it is right, and only this vendor has no request for it.
            self._payload = None
            self._on_error(problem)
        if self._payload is not None:
            self._take(self._payload)
        self.effect = {}
        if name == "trace":
            self._before = []
        self.show()

    @traitlets.validate("provider", "compared")
    def _known_vendor(self, proposal: Mapping[str, Any]) -> str:
        name: str = proposal["value"]
        if name and name not in self._custom:
            provider_named(name)
        return name

    @traitlets.observe("compared")
    def _on_compared(self, _: Any) -> None:
        self.show()

    # --- what the page gets

    def _choices(self, made: Payload) -> dict[str, Any]:
        known = {**built_in(), **self._custom}
        own = made.trace.start.input.model
        models = [made.model.name, made.provider.default_model, *([own.id or own.name or ""] if own else [])]
        return {
            "providers": [[name, provider.title] for name, provider in known.items()],
            "models": list(dict.fromkeys(model for model in models if model)),
        }

    def _show_comparison(self, made: Payload) -> None:
        if not self.compared:
            self.comparison, self._compared_pair = "", None
            return
        pair = self._compared_pair
        if pair is None or pair[0] is not made or pair[1].provider.name != self.compared:
            pair = (made, self._for(self.compared))
            self.comparison, self._compared_pair = as_json(compare_requests(*pair).as_data()), pair

    # --- what the page asks for

    def _handle(self, message: Mapping[str, Any]) -> None:
        match message:
            case {"command": "provider", "name": str(name)}:
                self._shows(self._for(name), "Vendor")
            case {"command": "model", "name": str(name)}:
                self._shows(self._made(self.payload.trace, self.provider, name), "Model")
            case {"command": "fix", "number": int(number), "label": str(label)}:
                if number >= len(self._fixes) or self._fixes[number].label != label:
                    raise CtxlabError(f"{label!r} is no longer offered: the request is another one")
                self.fix(number)
            case {"command": "compare", "name": str(name)}:
                self.compared = name
            case {"command": "back"}:
                self.back()
            case {"command": "copy", "what": "json"}:
                self.send({"copied": body_text(without_secret_fields(self.payload.body)), "what": "JSON"})
            case {"command": "copy", "what": "curl"}:
                self.send({"copied": self.payload.curl(), "what": "curl"})
            case _:
                raise self._wrong_command(message)


def _effect(before: Payload, after: Payload) -> str:
    """The effect of a change on the request, in words."""
    words = [_counts(name, len(old), len(new)) for name, old, new in _differing(before, after)]
    words += [] if after.trace is before.trace else [str(run_effect(before.trace, after.trace))]
    return "; ".join(words)


def _differing(before: Payload, after: Payload) -> tuple[tuple[str, Any, Any], ...]:
    return (("problems", before.problems, after.problems), ("losses", before.losses, after.losses))


def _counts(name: str, old: int, new: int) -> str:
    return f"{name} {old:,} \u2192 {new:,}" if old != new else f"{name} {new:,} as before"
