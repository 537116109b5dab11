"""Keys of vendors: given, from the environment, or from the keyring of the machine; never shown."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, Final, NoReturn

from ctxlab.errors import CtxlabError, MissingKey, WrongArgument
from ctxlab.providers.provider import Provider
from ctxlab.secrets import HIDDEN
from ctxlab.secrets.known_secrets import SHORTEST_MASKED
from ctxlab.wires import RESPONSES

VARIABLES: Final[Mapping[str, tuple[str, ...]]] = {
    RESPONSES.name: ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
}
"""Environment variables of a provider's key that aren't named after it; the first that is set counts."""
WITHOUT_KEY: Final = frozenset({"openai-compatible"})
"""Providers that are asked without a key where there is none: many servers of one's own want none."""


class Key:
    """A key that no text has: not its repr, not a copy, not a pickle. `source` is where it is from.

    >>> Key("sk-secret")
    Key(***)
    """

    __slots__ = ("_reveal", "source")

    def __init__(self, text: str, source: str = "key=") -> None:
        text = text.strip()
        if not text:
            raise WrongArgument(f"{source} is empty; it takes a key")
        if not (text.isascii() and text.isprintable() and " " not in text):
            raise WrongArgument(f"{source} has a character that no key has, such as a space; copy the key anew")
        self._reveal: Callable[[], str] = lambda: text
        self.source = source

    def reveal(self) -> str:
        """The key itself, for the header of a request and nothing else."""
        return self._reveal()

    def masked(self, text: str) -> str:
        """A text with `***` for the key."""
        key = self._reveal()
        return text.replace(key, HIDDEN) if len(key) >= SHORTEST_MASKED else text

    def __repr__(self) -> str:
        return f"Key({HIDDEN})"

    def __deepcopy__(self, memo: Any) -> Key:
        return self

    def __copy__(self) -> Key:
        return self

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise CtxlabError("a key is not pickled: let the other process read it from the environment")


def key_for(
    provider: Provider,
    key: str | Key | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    from_keyring: Callable[[str, str], str | None] | None = None,
) -> Key | None:
    """The key for a provider: the given one, else of the environment, else of the keyring (service "ctxlab").

    None where there is none and the provider may do without. Raises MissingKey, which names the variable, where it
    may not.
    """
    if isinstance(key, Key):
        return key
    if key is not None:
        return Key(key)
    environment = os.environ if environment is None else environment
    variables = VARIABLES.get(provider.name, (variable_of(provider.name),))
    for variable in variables:
        if environment.get(variable, "").strip():
            return Key(environment[variable], variable)
    stored = (from_keyring or _from_keyring)("ctxlab", provider.name)
    if stored:
        return Key(stored, "the keyring")
    if provider.name in WITHOUT_KEY:
        return None
    raise MissingKey(
        f"there is no key for {provider.title}: give key=, or set the environment variable {' or '.join(variables)}"
    )


def variable_of(name: str) -> str:
    """The environment variable that is named after a provider.

    >>> variable_of("my-vendor")
    'MY_VENDOR_API_KEY'
    """
    return "".join(each if each.isalnum() else "_" for each in name).upper() + "_API_KEY"


def _from_keyring(service: str, name: str) -> str | None:
    """A key of the machine's keyring; None where the package `keyring` isn't installed or no keyring answers."""
    if find_spec("keyring") is None:
        return None
    import importlib

    keyring: Any = importlib.import_module("keyring")
    try:
        return keyring.get_password(service, name)
    except keyring.errors.KeyringError:
        return None
