"""Record our own cases anew: python -m tests.sillytavern.record [NAME ...] [--missing] [--folder FOLDER]

The real program must be there (`make sillytavern`). Each case is opened in its page and its turns are clicked; what it
sent goes into `recorded/`, with those who spoke in a group, since it may have drawn them. Without names all are
recorded. Then each request is built from the folder as the program had it before that turn, and both are compared.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Error

import ctxlab
from tests.gallery.pages import browsing
from tests.sillytavern.case_folder import Case, WrittenFolder
from tests.sillytavern.comparison import Verdict, difference, verdict_on
from tests.sillytavern.own_cases import OWN_CASES, OwnCase
from tests.sillytavern.own_recordings import RecordedTurn, is_recorded, keep
from tests.sillytavern.real_program import BUTTONS, OpenChat, running

PATIENCE_SECONDS = 150
"""For a request, once a turn is asked for."""
CLEARED = ("characters", "chats", "groups", "group chats", "worlds")
"""What the next case has none of."""
LISTENS = """async () => {
    const paths = { oai: "openai.js", power: "power-user.js", lore: "world-info.js", groups: "group-chats.js" };
    const found = Object.entries(paths).map(async ([name, file]) => [name, await import(`/scripts/${file}`)]);
    window.parts = { script: await import("/script.js"), ...Object.fromEntries(await Promise.all(found)) };
    window.usual = structuredClone({ oai: parts.oai.oai_settings, power: parts.power.power_user });
    window.told = { speakers: [], running: 0 };
    const { eventSource, eventTypes, characters } = SillyTavern.getContext();
    eventSource.on(eventTypes.GROUP_MEMBER_DRAFTED, (id) => told.speakers.push(characters[id].name));
    eventSource.on(eventTypes.GROUP_WRAPPER_STARTED, () => { told.running += 1; });
    eventSource.on(eventTypes.GROUP_WRAPPER_FINISHED, () => { told.running -= 1; });
}"""
CLOSES = """async () => {
    // What is still to be saved would be saved as the next case's.
    parts.script.cancelDebouncedChatSave();
    await parts.script.closeCurrentChat();
}"""
OPENS = """async ({ settings, preset, count, said }) => {
    const { script, oai, power, lore, groups } = parts;
    const context = SillyTavern.getContext();
    Object.keys(power.power_user).filter((key) => !(key in usual.power)).forEach((key) => delete power.power_user[key]);
    Object.assign(power.power_user, structuredClone(usual.power), settings.power_user);
    Object.assign(context.extensionSettings, settings.extension_settings);
    script.setUserName(settings.username, { toastPersonaNameChange: false });
    lore.worldInfoCache.clear();
    await lore.updateWorldInfoList();
    lore.selected_world_info.length = 0;
    lore.setWorldInfoSettings(settings.world_info_settings, { world_names: [...lore.world_names] });
    $("#settings_preset_openai").val(oai.openai_setting_names[preset]).trigger("change");
    await oai.getPresetApplicationPromise();
    Object.assign(oai.oai_settings, structuredClone(usual.oai), settings.oai_settings);
    await script.getCharacters();
    if (settings.active_group) {
        await groups.openGroupById(settings.active_group);
    } else {
        const id = context.characters.findIndex(({ avatar }) => avatar === settings.active_character);
        await script.selectCharacterById(id, { switchMenu: false });
    }
    const last = script.chat.at(-1)?.mes;
    const open = [script.name1, script.chat.length, last, oai.oai_settings.preset_settings_openai].join(" / ");
    if (open !== [settings.username, count, said, preset].join(" / ")) throw new Error(`it has open: ${open}`);
}"""
SETTINGS = """async (changed) => {
    const { oai_settings } = await import("/scripts/openai.js");
    Object.assign(oai_settings, changed);
    told.speakers = [];
}"""
ASKS = """([text, button]) => {
    // It offers to switch the newer engine of macros on: no is said by closing.
    document.querySelectorAll("dialog[open]").forEach((dialog) => dialog.remove());
    const box = document.querySelector("#send_textarea");
    box.value = text;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    [...document.querySelectorAll(button)].at(-1).click();
}"""
DONE = "() => told.running === 0 && !parts.script.is_send_press && !parts.script.isChatSaving"


@dataclass(slots=True)
class Recorded:
    """A case with its turns, and for each turn the folder as it was before."""

    case: OwnCase
    turns: list[RecordedTurn] = field(default_factory=list[RecordedTurn])
    before: list[tuple[Path, str]] = field(default_factory=list[tuple[Path, str]])


def recorded(chat: OpenChat, own: OwnCase, folder: Path) -> Recorded:
    """Open the case in the program's page, and ask for its turns one after the other."""
    chat.page.evaluate(CLOSES)
    chat.page.wait_for_function(DONE)
    for place in CLEARED:
        shutil.rmtree(chat.data / place, ignore_errors=True)
        (chat.data / place).mkdir(parents=True, exist_ok=True)
    case = Case.at(own.write(folder / own.name))
    if case.clock is not None:
        chat.page.clock.set_fixed_time(case.clock)
    written = WrittenFolder.of(case, chat.data)
    given = {"settings": written.settings, "preset": case.name, "count": len(own.said), "said": own.said[-1][1]}
    chat.page.evaluate(OPENS, given)
    chat.page.wait_for_function(DONE)
    found = Recorded(own)
    for number, turn in enumerate(own.turns):
        chat.page.evaluate(SETTINGS, turn.get("oai", {}))
        chat.page.wait_for_function(DONE)
        found.before.append((chat.save(folder / str(number)), written.chat))
        found.turns.append(_turn(chat, turn))
    return found


def _turn(chat: OpenChat, turn: Mapping[str, Any]) -> RecordedTurn:
    """Type what goes with the turn, click, and wait until the program is done: its requests."""
    chat.endpoint.replies = list(turn.get("replies") or ([turn["reply"]] if "reply" in turn else []))
    kind = turn["do"]
    text = f"/trigger await=true {turn['who']}" if kind == "trigger" else turn.get("send", "")
    chat.page.evaluate(ASKS, [text, BUTTONS["normal" if kind == "trigger" else kind]])
    bodies = [chat.endpoint.requests.get(timeout=PATIENCE_SECONDS)]
    chat.page.wait_for_function(DONE)
    while not chat.endpoint.requests.empty():
        bodies.append(chat.endpoint.requests.get())
    speakers = chat.page.evaluate("() => told.speakers")
    return RecordedTurn(tuple(tuple(body["messages"]) for body in bodies), tuple(speakers))


def _recorded(cases: Sequence[OwnCase], folder: Path) -> Iterator[Recorded]:
    """The cases, those with a clock last, since it stays as it is set."""
    with browsing() as browser, running(folder / "program", browser) as program:
        for own in cases:  # the page reads the names of presets only while it loads
            WrittenFolder.of(Case.at(own.write(folder / own.name / own.name)), program.data)
        with program.opened() as chat:
            chat.page.evaluate(LISTENS)
            for own in sorted(cases, key=lambda case: case.about.get("clock", "")):
                start = time.monotonic()
                try:
                    found = recorded(chat, own, folder / own.name)
                except Error:  # a late write of the last case's chat: once more
                    found = recorded(chat, own, folder / f"{own.name} again")
                print(f"{own.name}: {len(found.turns)} turns, {time.monotonic() - start:.1f} s", flush=True)
                keep(own, found.turns)
                yield found


def _from_its_folder(found: Recorded) -> Iterator[Verdict]:
    """The first request of each turn, built from the folder that the program has written."""
    for (path, chat), turn, asked in zip(found.before, found.turns, found.case.turns, strict=True):
        kind = "normal" if asked["do"] == "trigger" else asked["do"]
        speaker = turn.speakers[0] if turn.speakers and ("draws" in asked or "who" in asked) else None
        clock = found.case.about.get("clock")
        try:
            built = ctxlab.sillytavern(
                path,
                chat=chat,
                kind=kind,
                text=asked.get("send"),
                speaker=speaker,
                **({"timestamp": clock, "zone": "UTC"} if clock else {}),
            ).build()
            verdict = verdict_on(turn.requests[0], built.messages)
            lines = difference(turn.requests[0], built.messages)
        except Exception as error:  # a ruler goes on
            verdict, lines = "error", [f"{type(error).__name__}: {error}"]
        if verdict != "equal":
            print(f"{verdict} {found.case.name}#{found.turns.index(turn)}", *lines, sep="\n    ")
        yield verdict


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sillytavern.record", description=__doc__)
    parser.add_argument("names", nargs="*", help="cases, or the beginnings of their names")
    parser.add_argument("--missing", action="store_true", help="only those that aren't recorded as they are now")
    parser.add_argument("--folder", type=Path, help="keep here what the program has written")
    given = parser.parse_args(arguments)
    cases = [case for case in OWN_CASES if not given.names or case.name.startswith(tuple(given.names))]
    if given.missing:
        cases = [case for case in cases if not is_recorded(case)]
    with tempfile.TemporaryDirectory() as folder:
        found = list(_recorded(cases, given.folder or Path(folder)))
        counts = Counter(verdict for each in found for verdict in _from_its_folder(each))
    print(f"recorded {len(found)} of {len(cases)} cases; built from the program's folder:", dict(counts))
    return 0 if len(found) == len(cases) else 1


if __name__ == "__main__":
    sys.exit(main())
