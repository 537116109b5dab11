"""What a step decided, in a few words, wherever a run is summed up."""

from __future__ import annotations

from typing import Any

from ctxlab.api import build
from ctxlab.context import BuildInput, Context, Table
from ctxlab.documents import Agent, AppliesTo, LoreEntry, RegexPreset, RegexRule, Session, Worldbook
from ctxlab.engines.variables.variables_of_step import variable_values
from ctxlab.pipeline import Pipeline, Services, Trace
from ctxlab.testing.fakes import WordTokenizer

SERVICES = Services(tokenizer=WordTokenizer())
AGENT = Agent.model_validate(
    {
        "presetMessages": [{"id": "p", "role": "system", "content": "{{setvar::mood::calm}}Be {{getvar::mood}}."}],
        "variableConfig": {"enabled": True, "definitions": []},
    }
)
BOOK = Worldbook(
    id="isle",
    entries={
        "1": LoreEntry(uid=1, key=("reef",), content="deep"),
        "2": LoreEntry(uid=2, key=("salt",), content="dear"),
    },
)
RULE = RegexRule(id="r", name="No Bob", regex="Bob", replacement="X", apply_to=AppliesTo(render=False, request=True))


def built() -> Trace:
    said = 'Bob, the reef! <svar name="mood" value="1"/>'
    session = Session(id="s").append("", role="system", id="root").append(said, id="u1")
    return build(session, AGENT, books=[BOOK], rules=[RegexPreset(rules=(RULE,))], services=SERVICES)


def test_each_step_says_what_it_decided_beside_what_it_changed() -> None:
    trace = built()

    told = {step.id: trace.changes(step.id).summary for step in trace.steps}

    assert told["worldbook-processor"] == "1 of 2 entries fired"
    assert told["regex-processor"] == "1 rewritten; 1 rule, 1 hit"
    assert told["injection-assembler"] == "2 added; sets mood"
    assert told["variable-processor"] == "1 write to 1 variable"
    assert told["token-limiter"] == "nothing"


def test_deciding_is_no_change() -> None:
    changes = built().changes("worldbook-processor")

    assert not changes
    assert changes.decided == "1 of 2 entries fired"
    assert repr(changes) == "Changes('worldbook-processor', 1 of 2 entries fired)"


def test_the_table_of_a_run_says_so_too() -> None:
    html = built()._repr_html_()

    row = html.partition("worldbook-processor")[2].partition("</tr>")[0]
    assert "1 of 2 entries fired" in row
    assert "nothing" not in row


def test_what_a_plugin_leaves_under_the_same_keys_is_not_misread() -> None:
    def leaves(value: Any) -> Any:
        def step(ctx: Context) -> Context:
            return ctx.put(Table("lore", value)).put(Table("variables", value)).put(Table("regex-processor", value))

        return step

    for value in (5, "rows", {"mood": "calm"}, [1, None], [{"uid": 1}]):
        trace = Pipeline.of([leaves(value)]).run(Context(BuildInput(Session(id="s"))), SERVICES)

        assert trace.changes(0).summary == "nothing"


def test_a_variable_that_was_there_before_is_not_set_anew() -> None:
    step = built().step("injection-assembler")

    assert [(value.name, value.before, value.after) for value in variable_values(step.before, step.after)] == [
        ("mood", None, "calm")
    ]
