"""The program's settings as a request depends on them: each with its value, and the file that it is from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import Any, Final, Literal

from ctxlab.formats.results import Loss
from ctxlab.formats.sillytavern import coerce
from ctxlab.formats.sillytavern.data_folder.folder import SETTINGS
from ctxlab.lazy_dataclass import dataclass
from ctxlab.pipeline import SILLYTAVERN_1_12, SILLYTAVERN_1_19, Dialect

State = Literal["used", "not run"]
"""`not run` is an extension that may change the prompt, and that is none of a build."""
DEFAULT: Final = "default"
LORE, INJECTION, LOADER = "worldbook-processor", "injection-assembler", "session-loader"
STRATEGIES: Final = ("evenly", "agent", "global")
Read = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class ProgramSetting:
    """A setting of the program that its requests depend on.

    `path` is its place in settings.json and `default` what the program does without it. `step` is the setting of a step
    that it becomes; without one the reader itself follows it.
    """

    path: str
    default: Any
    step: str = ""
    read: Read = field(default=lambda value: value)


def _strategy(value: Any) -> str:
    number = coerce.whole(value)
    if not 0 <= number < len(STRATEGIES):
        raise ValueError("is none of 0, 1 and 2")
    return STRATEGIES[number]


def _lore(key: str, default: Any, setting: str, read: Read) -> ProgramSetting:
    return ProgramSetting(f"world_info_settings.{key}", default, f"{LORE}.{setting}", read)


PROGRAM_SETTINGS: Final = (
    _lore("world_info_depth", 2, "scan_depth", coerce.whole),
    _lore("world_info_recursive", False, "recursion", coerce.flag),
    _lore("world_info_case_sensitive", False, "case_sensitive", coerce.flag),
    _lore("world_info_match_whole_words", False, "whole_words", coerce.flag),
    _lore("world_info_use_group_scoring", False, "group_scoring", coerce.flag),
    _lore("world_info_budget", 25, "budget_percent", coerce.number),
    _lore("world_info_budget_cap", 0, "budget_cap_tokens", coerce.whole),
    _lore("world_info_max_recursion_steps", 0, "max_passes", coerce.whole),
    _lore("world_info_character_strategy", 1, "first", _strategy),
    _lore("world_info_include_names", True, "include_names", coerce.flag),
    _lore("world_info_min_activations", 0, "min_activations", coerce.whole),
    _lore("world_info_min_activations_depth_max", 0, "min_activations_depth", coerce.whole),
    ProgramSetting("power_user.pin_examples", False),
    ProgramSetting("power_user.strip_examples", False),
    ProgramSetting("power_user.prefer_character_prompt", True),
    ProgramSetting("power_user.prefer_character_jailbreak", True),
    ProgramSetting("power_user.experimental_macro_engine", True),
    ProgramSetting("power_user.user_prompt_bias", ""),
    ProgramSetting("power_user.reasoning.add_to_prompts", False, f"{INJECTION}.reasoning_in_text", coerce.flag),
    ProgramSetting("power_user.reasoning.max_additions", 1),
    ProgramSetting("power_user.reasoning.prefix", "<think>\n", f"{INJECTION}.reasoning_prefix", coerce.text),
    ProgramSetting("power_user.reasoning.suffix", "\n</think>", f"{INJECTION}.reasoning_suffix", coerce.text),
    ProgramSetting("power_user.reasoning.separator", "\n", f"{INJECTION}.reasoning_separator", coerce.text),
    ProgramSetting("oai_settings.custom_prompt_post_processing", ""),
    ProgramSetting("extension_settings.note.allowWIScan", False, f"{LORE}.scan_note", coerce.flag),
)
"""All but those of the preset in use, which its reader follows."""


@dataclass(frozen=True, slots=True)
class SettingInUse:
    """A setting with its value: the file that it is `where`, what it becomes, and what came of it."""

    setting: str
    value: Any
    where: str
    step: str = ""
    state: State = "used"


@dataclass(frozen=True, slots=True)
class ProgramSettings:
    """The content of settings.json."""

    raw: Mapping[str, Any]

    def at(self, path: str, default: Any = None) -> Any:
        """The value at a path such as `power_user.personas`; the default where there is none."""
        value: Any = self.raw
        for key in path.split("."):
            if not isinstance(value, Mapping) or key not in value:
                return default
            value = value[key]  # pyright: ignore[reportUnknownVariableType]
        return value

    def object(self, path: str) -> Mapping[str, Any]:
        return coerce.as_object(self.at(path))

    def where(self, path: str) -> str:
        """The file that a value is from."""
        return SETTINGS if self.at(path, self) is not self else DEFAULT

    def in_use(self) -> Iterator[SettingInUse]:
        """The settings that requests depend on."""
        for known in PROGRAM_SETTINGS:
            value = self.at(known.path, known.default)
            yield SettingInUse(known.path, value, self.where(known.path), known.step)

    def steps(self, losses: list[Loss]) -> dict[str, Any]:
        """Settings of steps by name, as `with_settings` takes them."""
        found: dict[str, Any] = {}
        for known in PROGRAM_SETTINGS:
            value = self.at(known.path, known.default)
            if not known.step:
                continue
            try:
                found[known.step] = known.read(value)
            except ValueError as problem:
                losses.append(
                    Loss(
                        f"{SETTINGS}, {known.path}",
                        f"{coerce.shown(value)} {problem}; {coerce.shown(known.default)} is used",
                    )
                )
                found[known.step] = known.read(known.default)
        return {**found, **dict(self._together())}

    def _together(self) -> Iterator[tuple[str, Any]]:
        """Settings of steps that several of the program's decide on."""
        if self.at("power_user.strip_examples"):
            yield f"{INJECTION}.examples", "none"
        elif self.at("power_user.pin_examples"):
            yield f"{INJECTION}.examples", "messages"
        newest = self.at("power_user.reasoning.max_additions", 1)
        if self.at("power_user.reasoning.add_to_prompts") and isinstance(newest, int):
            yield f"{LOADER}.reasoning_newest", max(0, newest)

    @property
    def dialect(self) -> Dialect:
        """The way of the program: its version's, with the older macro engine where that is chosen."""
        is_new = self.at("power_user.experimental_macro_engine", True)
        return SILLYTAVERN_1_19 if is_new else SILLYTAVERN_1_12
