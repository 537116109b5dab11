"""Session variables: the cases through ctxlab's public API, with the reference's rules of reading and writing.

Compared are the messages, what each tag changed, and the values in the end where something changed. How a panel lays
out its variables isn't, but for the list.
"""

from __future__ import annotations

import re
from typing import Any

from ctxlab.context import BuildInput, Context
from ctxlab.documents import Session
from ctxlab.pipeline import Pipeline, Services
from ctxlab.processors import VariableProcessor
from tests.golden.adapter import Adapter
from tests.golden.cases import Case
from tests.golden.forms import Data, Form, drafts_of, form_of_draft, form_of_message, forms_by_key, text_of
from tests.golden.materials import AGENT, agent_of, tokenizer_of
from tests.reports import left

SNAPSHOT = "sessionVariableSnapshot"
PANEL = re.compile(r"\$\[svars::(?!list\])[\w.:-]+\]", re.ASCII)


def run(data: Data) -> Any:
    agent = agent_of({"agentConfig": config_of(data)})
    step = VariableProcessor(VariableProcessor.Settings(compat="reference"))
    messages = data["messages"]
    context = Context(BuildInput(Session(), agent=agent), drafts_of(messages))
    result = Pipeline.of([step]).run(context, Services(tokenizer_of({}))).result
    inputs = forms_by_key(messages)
    forms = [form_of_draft(draft, inputs) for draft in result.drafts]
    return {
        "messages": [_plain(form, message) for form, message in zip(forms, messages, strict=True)],
        **changed(
            [_change(row) for row in (left(result, "variables") or ())],
            (left(result, "session-variables") or (None,))[0],
        ),
    }


def expected(case: Case) -> Any:
    before, after = case.input["messages"], case.expected["messages"]
    kept = [message.get("metadata", {}).get(SNAPSHOT) for message in after]
    new = [(n, now) for n, (was, now) in enumerate(zip(before, kept, strict=True)) if now and now != snapshot_of(was)]
    changes = [{"message": n, **change} for n, snapshot in new for change in snapshot.get("changes") or ()]
    return {
        "messages": [_plain(form_of_message(now), was) for was, now in zip(before, after, strict=True)],
        **changed([_finite(change) for change in changes], new[-1][1]["values"] if new else None),
    }


def config_of(data: Data) -> Data:
    """The agent of a case."""
    return data.get("agentConfig") or {**AGENT, "variableConfig": data.get("variableConfig")}


def snapshot_of(message: Data) -> Data | None:
    return (message.get("metadata") or {}).get(SNAPSHOT)


def changed(changes: list[Data], values: Any) -> Data:
    return {"changes": changes, "values": _finite(values)} if changes else {"changes": []}


def _change(row: Data) -> Data:
    """A row of ours in the reference's words; no value is left out."""
    told = {"opValue": row["value"], "oldValue": row["from"], "newValue": row["to"]}
    given = {name: value for name, value in told.items() if value is not None}
    return _finite({"message": int(row["key"]), "path": row["path"], "op": row["op"], **given})


def _finite(value: Any) -> Any:
    """What is no number in JSON is None, and None is as good as absent."""
    if isinstance(value, dict):
        made = {key: _finite(item) for key, item in value.items()}
        return {key: item for key, item in made.items() if item is not None}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    infinite = isinstance(value, float) and value - value != 0
    return None if infinite or (isinstance(value, str) and value.startswith("__num__:")) else value


def _plain(form: Form, given: Data) -> Form:
    """A form without the snapshots that the reference writes into messages, and without the layout of panels."""
    metadata = {key: value for key, value in form.get("metadata", {}).items() if key != SNAPSHOT}
    plain = {key: value for key, value in form.items() if key != "metadata"}
    before, *after = PANEL.split(text_of(given))
    if after and form["text"] != text_of(given) and form["text"].startswith(before) and len(after) == 1:
        plain["text"] = f"{before}<panel>{after[0]}" if form["text"].endswith(after[0]) else form["text"]
    return {**plain, **({"metadata": metadata} if metadata else {})}


ADAPTERS: dict[str, Adapter] = {
    "variable_processor": Adapter(run, expected),
    "session_variables": Adapter(run, expected),
}
