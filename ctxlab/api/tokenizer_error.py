"""The error of a tokenizer's counts, by kind of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, cast

from ctxlab.api.tokenizers import TokenizerSource, tokenizer_of
from ctxlab.argument_checks import checked_arguments
from ctxlab.engines.tokens.model_encodings import BY_KIND
from ctxlab.engines.tokens.open_vocabularies import VOCABULARIES, counts_of_vocabulary
from ctxlab.errors import WrongArgument
from ctxlab.pipeline import Trace
from ctxlab.studies.tokenizer_error import Count, TokenizerErrors, error_of

Texts = Annotated[Trace | str | Sequence[str], "a run, a text or several texts"]
References = Annotated[TokenizerSource | Sequence[TokenizerSource], "a tokenizer as for `build`, or several of them"]


@checked_arguments
def tokenizer_error(
    texts: Texts, tokenizer: TokenizerSource | None = None, *, reference: References | None = None
) -> TokenizerErrors:
    """The error of a tokenizer's counts of some texts, by kind of text: prose by script, code, numbers, hexadecimal.

    Of a run its sent texts are counted, by default with its own tokenizer; other texts by default with `by-kind`, the
    estimate for models whose vocabulary isn't at hand. `reference` is one tokenizer or several that count the truth,
    such as a model's own files. Without it the counts of five open vocabularies are estimated, each near its own by
    about 5 %; `measured` says which it is.

    Raises WrongArgument where there is no text to count.

    >>> tokenizer_error("0.25,0.5,0.125", "estimator").total.highest < 1.2
    True
    """
    counter = tokenizer_of(_default(texts) if tokenizer is None else tokenizer)
    given = _references(reference)
    found = _texts(texts)
    if not any(found):
        raise WrongArgument("texts has no character to count; give texts that have some")
    references = given or {name: cast("Count", counts_of_vocabulary(name)) for name in VOCABULARIES}
    return error_of(found, counter.name, counter.count, references, measured=bool(given))


def _default(texts: Any) -> TokenizerSource:
    return texts.services.tokenizer if isinstance(texts, Trace) else BY_KIND


def _texts(texts: Any) -> Sequence[str]:
    if isinstance(texts, Trace):
        return [str(draft.text) for draft in texts.result.drafts]
    return [texts] if isinstance(texts, str) else texts


def _references(reference: Any) -> Mapping[str, Count]:
    if reference is None:
        return {}
    several = isinstance(reference, Sequence) and not isinstance(reference, str)
    counters = [tokenizer_of(each) for each in (cast("Sequence[Any]", reference) if several else [reference])]
    if not counters:
        raise WrongArgument("reference has no tokenizer; leave it out, or name at least one")
    found: dict[str, Count] = {}
    for counter in counters:
        name = counter.name if counter.name not in found else f"{counter.name} {len(found) + 1}"
        found[name] = counter.count
    return found
