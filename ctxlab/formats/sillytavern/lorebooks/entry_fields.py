"""Keys of an entry's fields in a lorebook's two forms."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, cast

from ctxlab.documents.lore import POSITIONS, ROLES
from ctxlab.formats.sillytavern import coerce
from ctxlab.lazy_dataclass import dataclass

BookForm = Literal["native", "character_book"]
Data = dict[str, Any]

WORDS: Final = {**{word: number for number, word in enumerate(POSITIONS)}, "depth": 4, "before_author_note": 2}


def position(value: Any) -> int:
    """A position by its number, the number in quotes, or its name."""
    if isinstance(value, str):
        word = value.strip().lower().replace("-", "_").replace(" ", "_")
        if word in WORDS:
            return WORDS[word]
    try:
        return coerce.whole(value)
    except ValueError:
        raise ValueError("is no position") from None


def role(value: Any) -> int:
    if isinstance(value, str) and value.strip().lower() in ROLES:
        return ROLES.index(value.strip().lower())
    return coerce.whole(value)


def character_filter(value: Any) -> Data:
    if not isinstance(value, Mapping):
        raise ValueError("is no object")
    stored = cast("Mapping[str, Any]", value)
    wrong = ""
    read: Data = {"is_exclude": coerce.flag(stored.get("isExclude") or False)}
    for key in ("names", "tags"):
        try:
            read[key] = coerce.texts(stored.get(key) or ())
        except coerce.Partly as problem:
            read[key], wrong = problem.value, str(problem)
    if wrong:
        raise coerce.Partly(wrong, read)
    return read


@dataclass(frozen=True, slots=True)
class Field:
    """A field by its Python name, and the places of either form, the one that is written first.

    A place is a key, or `extensions.` and a key in there; one that begins with `!` holds the opposite. `default` is
    what the forms mean by saying nothing, where that isn't what `LoreEntry` means.
    """

    name: str
    read: Callable[[Any], Any]
    native: tuple[str, ...]
    book: tuple[str, ...]
    default: Mapping[BookForm, Any] | None = None
    unsaid: Any = None
    only_if_set: bool = False

    def places(self, form: BookForm) -> tuple[str, ...]:
        return self.native if form == "native" else self.book


def _extension(
    name: str, read: Callable[[Any], Any], native: str, key: str, *, unsaid: Any = None, newer: bool = False
) -> Field:
    """A field that a character book keeps in `extensions`."""
    inside, among = f"extensions.{key}", f"extensions.{native}"
    own = dict.fromkeys((native, key, inside, among))
    books = dict.fromkeys((inside, among, native, key))
    return Field(name, read, tuple(own), tuple(books), unsaid=unsaid, only_if_set=newer)


FIELDS: Final[tuple[Field, ...]] = (
    Field("key", coerce.texts, ("key", "keys"), ("keys", "key")),
    Field("keysecondary", coerce.texts, ("keysecondary", "secondary_keys"), ("secondary_keys", "keysecondary")),
    Field("comment", coerce.text, ("comment",), ("comment",)),
    Field("content", coerce.text, ("content",), ("content",)),
    Field("constant", coerce.flag, ("constant",), ("constant",)),
    Field("selective", coerce.flag, ("selective",), ("selective",), default={"character_book": False}),
    Field("order", coerce.number, ("order", "insertion_order"), ("insertion_order", "order")),
    Field("disable", coerce.flag, ("disable", "disabled", "!enabled"), ("!enabled", "disable", "disabled")),
    Field("position", position, ("position",), ("extensions.position", "position"), default={"character_book": 1}),
    _extension("vectorized", coerce.flag, "vectorized", "vectorized"),
    _extension("selective_logic", coerce.whole, "selectiveLogic", "selectiveLogic"),
    _extension("probability", coerce.number, "probability", "probability"),
    _extension("use_probability", coerce.flag, "useProbability", "useProbability"),
    _extension("depth", coerce.whole, "depth", "depth"),
    _extension("role", role, "role", "role", unsaid=0),
    _extension("group", coerce.text, "group", "group"),
    _extension("group_weight", coerce.number, "groupWeight", "group_weight"),
    _extension("group_override", coerce.flag, "groupOverride", "group_override"),
    _extension("use_group_scoring", coerce.flag, "useGroupScoring", "use_group_scoring"),
    _extension("exclude_recursion", coerce.flag, "excludeRecursion", "exclude_recursion"),
    _extension("prevent_recursion", coerce.flag, "preventRecursion", "prevent_recursion"),
    _extension("delay_until_recursion", coerce.whole_or_flag, "delayUntilRecursion", "delay_until_recursion"),
    _extension("scan_depth", coerce.whole, "scanDepth", "scan_depth"),
    _extension("case_sensitive", coerce.flag, "caseSensitive", "case_sensitive"),
    _extension("match_whole_words", coerce.flag, "matchWholeWords", "match_whole_words"),
    _extension("sticky", coerce.whole, "sticky", "sticky"),
    _extension("cooldown", coerce.whole, "cooldown", "cooldown"),
    _extension("delay", coerce.whole, "delay", "delay"),
    _extension("automation_id", coerce.text, "automationId", "automation_id"),
    _extension(
        "delay_until_recursion_level",
        coerce.whole,
        "delayUntilRecursionLevel",
        "delay_until_recursion_level",
        newer=True,
    ),
    _extension("display_index", coerce.whole, "displayIndex", "display_index", newer=True),
    _extension("ignore_budget", coerce.flag, "ignoreBudget", "ignore_budget", newer=True),
    _extension("outlet_name", coerce.text, "outletName", "outlet_name", newer=True),
    _extension("triggers", coerce.texts, "triggers", "triggers", newer=True),
    Field(
        "character_filter",
        character_filter,
        ("characterFilter", "character_filter", "extensions.character_filter"),
        ("character_filter", "characterFilter", "extensions.character_filter"),
        only_if_set=True,
    ),
    *(
        _extension(f"match_{name}", coerce.flag, native, f"match_{name}", newer=True)
        for name, native in (
            ("persona_description", "matchPersonaDescription"),
            ("character_description", "matchCharacterDescription"),
            ("character_personality", "matchCharacterPersonality"),
            ("character_depth_prompt", "matchCharacterDepthPrompt"),
            ("scenario", "matchScenario"),
            ("creator_notes", "matchCreatorNotes"),
        )
    ),
)


def form_of(raw: Mapping[str, Any]) -> BookForm:
    """The form that an entry is in, by the keys that only one form has."""
    if "key" in raw or "keysecondary" in raw:
        return "native"
    return "native" if {"keys", "secondary_keys", "insertion_order", "enabled"}.isdisjoint(raw) else "character_book"


FIRST: Final[Mapping[str, tuple[str, ...]]] = {
    "position": ("extensions.position",),
    "order": ("insertion_order",),
    "disable": ("disable", "disabled"),
}
"""Places that win over those beside them, whatever the form."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a field: a key of the entry, or of its extensions, which holds the value or the opposite."""

    name: str
    key: str
    is_inside: bool
    is_opposite: bool

    @classmethod
    def of(cls, name: str) -> Place:
        key = name.removeprefix("!")
        inside = key.removeprefix("extensions.")
        return cls(name, inside, inside != key, key != name)

    def value_in(self, entry: Mapping[str, Any], extensions: Mapping[str, Any]) -> Any:
        """The value at this place; None for none."""
        value = (extensions if self.is_inside else entry).get(self.key)
        return None if value == "" or value == [] else value

    def put(self, data: Data, value: Any) -> None:
        holder = data.setdefault("extensions", {}) if self.is_inside else data
        holder[self.key] = not value if self.is_opposite else value


def _in_reading_order(field: Field, form: BookForm) -> tuple[Place, ...]:
    return tuple(map(Place.of, dict.fromkeys((*FIRST.get(field.name, ()), *field.places(form)))))


PLACES: Final[Mapping[BookForm, tuple[tuple[Field, Place, tuple[Place, ...]], ...]]] = {
    form: tuple((field, Place.of(field.places(form)[0]), _in_reading_order(field, form)) for field in FIELDS)
    for form in ("native", "character_book")
}
"""By form, every field with its usual place and with all places in reading order."""
