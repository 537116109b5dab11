"""Compiles a stored rule: pattern and flags, macros filled in, trim strings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Literal

from ctxlab.context import Origin, Span, Text
from ctxlab.documents import Note, RegexRule
from ctxlab.engines.macros import MacroEnv, expand
from ctxlab.engines.macros.expand import may_have_macros
from ctxlab.engines.regexes.parse_replacement import Grammar, Replacement, Segment, split_at_match
from ctxlab.engines.regexes.pattern import Pattern, parse_pattern, unknown_flags, written_flags
from ctxlab.engines.regexes.rule_selection import Stage
from ctxlab.lazy_dataclass import dataclass
from ctxlab.lazy_pattern import lazy_pattern

Compat = Literal["ctxlab", "reference", "sillytavern-1.19"]

DEFAULT_FLAGS = "gm"
SPECIAL = lazy_pattern(r"[.*+?^${}()|\[\]\\]")
SCRIPT = "scripts are not run; ctxlab runs no code out of a rule"


@dataclass(frozen=True, slots=True, eq=False)
class RuleTexts:
    """A rule's texts with macros replaced by their values."""

    regex: str
    replacement: tuple[Segment, ...]
    trim: tuple[str, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class CompiledRule:
    """A runnable replacement, or the reason why there is none. `remarks` are notes for people."""

    replacement: Replacement | None
    why_not: str | None = None
    remarks: tuple[str, ...] = ()


def compiled_rule(
    rule: RegexRule, env: MacroEnv, *, stage: Stage = "request", compat: Compat = "ctxlab"
) -> CompiledRule:
    """The rule compiled. `compat="reference"` is as the reference treats it at this stage."""
    if rule.has_script and not (compat == "reference" and stage == "request"):
        return CompiledRule(None, SCRIPT)
    texts = rule_texts(rule, env.at(f"rule:{rule.id}"), stage=stage, compat=compat)
    remarks = list(dict.fromkeys(note.text for note in texts.notes))
    strange = unknown_flags(texts.regex, flavor=rule.flavor)
    if strange is not None:
        remarks.append(f"it looks for {texts.regex!r} as it stands, slashes included: {strange!r} are not known flags")
    pattern = pattern_of(rule, texts.regex, compat=compat)
    replacement = Replacement(pattern, texts.replacement, texts.trim, _grammar(rule, texts, compat))
    return CompiledRule(replacement, remarks=tuple(remarks))


def pattern_of(rule: RegexRule, regex: str | None = None, *, compat: Compat = "ctxlab") -> Pattern:
    """The pattern of a rule. Its flags are those in `/body/flags`, else the rule's, else its default ones, else gm.

    The reference asks the rule first, and rules are made with gm there, so that an `/a/i` loses its i.
    """
    text = rule.regex if regex is None else regex
    written, given_flags = written_flags(text, flavor=rule.flavor), rule.flags or ""
    flags = (given_flags or written) if compat == "reference" else (written or given_flags)
    if not flags:
        flags = DEFAULT_FLAGS if rule.default_flags is None else rule.default_flags
    return Pattern(parse_pattern(text, default_flags="", flavor=rule.flavor).body, flags, rule.flavor)


def rule_texts(rule: RegexRule, env: MacroEnv, *, stage: Stage = "request", compat: Compat = "ctxlab") -> RuleTexts:
    """The rule's texts, with macros expanded as its substitution mode says.

    A value is words: a `$` in it refers to nothing. With ESCAPED it is no pattern either.
    """
    as_request = compat == "reference" and stage == "request"
    expands = rule.substitution_mode != "NONE" and not as_request
    escapes = rule.substitution_mode == "ESCAPED"
    notes: list[Note] = []
    regex, trim = rule.regex, rule.trim_strings or ()
    if expands:
        regex = _inserted(regex, env, notes, escapes=escapes, compat=compat)
        # A trim string is no pattern: there is nothing to escape in it.
        escapes = escapes and compat == "reference"
        trim = tuple(_inserted(text, env, notes, escapes=escapes, compat=compat) for text in trim)
    in_replacement = rule.macros_in_replacement
    if in_replacement is None:
        in_replacement = rule.substitution_mode != "NONE"
    template = rule.replacement if as_request else unescaped(rule)
    if compat == "reference":
        segments: Iterable[Segment] = (Segment("template", template),)
    else:
        segments = _segments(template, env if in_replacement else None, notes)
    return RuleTexts(regex, tuple(segments), () if as_request else tuple(filter(None, trim)), tuple(notes))


def unescaped(rule: RegexRule) -> str:
    r"""The replacement with `\n` and `\t` as what they mean; Python's templates read escapes of their own."""
    if rule.flavor == "python" or rule.escapes_in_replacement is False:
        return rule.replacement
    return rule.replacement.replace("\\n", "\n").replace("\\t", "\t")


def _grammar(rule: RegexRule, texts: RuleTexts, compat: Compat) -> Grammar:
    if rule.flavor == "python":
        return "python"
    if compat == "sillytavern-1.19" and "sillytavern" in (rule.carried or {}):
        return "arguments"
    return "braces" if compat == "reference" and texts.trim else "javascript"


def _inserted(text: str, env: MacroEnv, notes: list[Note], *, escapes: bool, compat: Compat) -> str:
    if compat == "reference":
        return str(expand(text, env, compat=compat, transform=_escaped if escapes else None).text)
    pieces = _pieces(text, env, notes)
    return "".join([_escaped(words) if is_value and escapes else words for is_value, words in pieces])


def _escaped(value: str) -> str:
    return SPECIAL.sub(r"\\\g<0>", value)


def _segments(template: str, env: MacroEnv | None, notes: list[Note]) -> Iterator[Segment]:
    for segment in split_at_match(template):
        if segment.kind == "match" or env is None:
            yield segment
            continue
        for is_value, words in _pieces(segment.text, env, notes):
            yield Segment("words" if is_value else "template", words)


def _pieces(text: str, env: MacroEnv, notes: list[Note]) -> Iterator[tuple[bool, str]]:
    """The text in pieces: values of macros, and what is written between them."""
    if "{{" not in text and (env.engine == "seed" or not may_have_macros(text)):
        yield False, text
        return
    own = Origin("rule")
    expansion = expand(Text.of(text, own), env)
    notes += expansion.notes
    for is_value, spans in groupby(expansion.text.spans, key=lambda span: span.origin != own):
        yield is_value, "".join(span.text if is_value else _as_written([span]) for span in spans)


def _as_written(spans: Iterable[Span]) -> str:
    r"""The source text before macros were expanded: in a pattern, `\{{` is no macro escape."""
    return "".join(_as_written(span.was) if span.was else span.text for span in spans)
