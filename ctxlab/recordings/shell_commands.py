"""The commands of a shell's text: their words without quotes, and the files that they change."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import basename, normpath
from typing import Final

from ctxlab.lazy_dataclass import dataclass

LONGEST: Final = 100_000
"""Characters of a text that is read; a longer one is no command of a person or a model."""
MOST_LINES: Final = 60
"""Lines over which a quotation is followed; one that is never closed is no command."""
MOST_TRIES: Final = 300
"""Lines of a text that are read again for a quotation that goes on, so that no text takes long."""
DEEPEST: Final = 4
"""Commands within commands that are read."""
_SIGNS: Final = "();<>|&"
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_BEFORE_COMMANDS: Final = frozenset(
    {
        *("if", "then", "elif", "else", "do", "while", "until", "!", "{", "}", "time", "fi", "done"),
        *("sudo", "doas", "env", "nohup", "command", "exec", "builtin", "xargs", "nice", "stdbuf", "timeout"),
    }
)
"""Words in front of a command that is then run."""


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One command: its words, the files that it writes its output to, and the folder that `cd` went to before it.

    `start` and `end` are the characters of the text that its line has.
    """

    words: tuple[str, ...]
    written: tuple[str, ...]
    folder: str
    start: int
    end: int

    @property
    def name(self) -> str:
        """The program without its folder."""
        return basename(self.words[0]) if self.words else ""

    @property
    def changed(self) -> tuple[str, ...]:
        """The files and folders that it writes, moves or deletes, as its words have them."""
        find = _CHANGED.get(self.name)
        return (*self.written, *(find(self.words[1:]) if find is not None else ()))

    def path(self, word: str) -> str:
        """A word of it as a path from the folder in which the text begins."""
        return word if not self.folder or word.startswith(("/", "~")) else normpath(f"{self.folder}/{word}")


def shell_commands(text: str, depth: int = DEEPEST) -> Iterator[ShellCommand]:
    """The commands of a text in order, those inside `$(…)` and `sh -c` too.

    Comments, words in quotes and what is given to a command as its input are no commands. A line that no shell could
    read is left out.
    """
    if len(text) > LONGEST or not depth:
        return
    folder = ""
    for start, end, tokens in _lines(text):
        for words, written in _simple(tokens):
            command = ShellCommand(words, written, folder, start, end)
            if command.name == "cd" and len(words) > 1:
                folder = command.path(words[1])
            yield command
            for inner in _inner(command, text[start:end]):
                for found in shell_commands(inner, depth - 1):
                    yield replace(
                        found, folder=command.path(found.folder) if found.folder else folder, start=start, end=end
                    )


def _lines(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Each line with the lines that its quotations go over: its place, and its words and signs."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    at, tries = 0, MOST_TRIES
    while at < len(lines):
        most = min(MOST_LINES, 1 + tries)
        found = _read(lines, at, most)
        tries -= (found[1] - at if found is not None else most) - 1
        if found is None:
            at += 1
            continue
        tokens, behind = found
        yield starts[at], starts[behind], tokens
        at = behind
        for mark in (word for sign, word in itertools.pairwise(tokens) if sign in ("<<", "<<-")):
            while at < len(lines) and lines[at].strip() != mark.lstrip("-"):
                at += 1
            at += 1


def _read(lines: Sequence[str], at: int, most: int) -> tuple[list[str], int] | None:
    """The words of a line, and the number of the line behind it; None where its quotation is not closed."""
    given = ""
    for behind in range(at + 1, min(len(lines), at + most) + 1):
        given += lines[behind - 1]
        plain = given.rstrip("\r\n")
        try:
            words = shlex.shlex(plain.replace("\\\n", " "), posix=True, punctuation_chars=_SIGNS)
            words.whitespace_split = True
            return [*words], behind
        except ValueError:
            continue
    return None


def _simple(tokens: Sequence[str]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words of each command of a line, and the files that it writes to."""
    words, written = list[str](), list[str]()
    at = 0
    while at <= len(tokens):
        token = tokens[at] if at < len(tokens) else ";"
        is_sign = bool(token) and not token.strip(_SIGNS)
        if is_sign and ("<" in token or ">" in token) and "(" not in token:
            if words and words[-1].isdecimal():
                words.pop()
            target = tokens[at + 1] if at + 1 < len(tokens) else ""
            if ">" in token and not (token.endswith("&") and (target.isdecimal() or target == "-")):
                written.append(target)
            at += 1
        elif is_sign:
            plain = _without_front(words)
            if plain or written:
                yield tuple(plain), tuple(each for each in written if each and not each.startswith("/dev/"))
            words, written = [], []
        else:
            words.append(token)
        at += 1


def _without_front(words: Sequence[str]) -> list[str]:
    """The words from the command on: without settings of variables, and words that run another command."""
    found = list(words)
    while found and (found[0] in _BEFORE_COMMANDS or _is_setting(found[0])):
        runs = found.pop(0) in _BEFORE_COMMANDS
        while runs and found and (found[0].startswith("-") or found[0][:1].isdecimal()):
            found.pop(0)
    return found


def _is_setting(word: str) -> bool:
    name, sign, _ = word.partition("=")
    return bool(sign) and name.isidentifier()


def _inner(command: ShellCommand, line: str) -> Iterator[str]:
    """Texts that the shell reads as commands inside of one: `$(…)`, `…`, and what is given to a shell by -c."""
    for word in command.words:
        if f"'{word}'" in line:  # nothing is run inside of single quotes
            continue
        for opening, closing in (("$(", ")"), ("`", "`")):
            start = word.find(opening)
            end = word.rfind(closing)
            if start >= 0 and end > start + len(opening) - 1:
                yield word[start + len(opening) : end]
    if command.name in _SHELLS:
        given = [n for n, word in enumerate(command.words) if n and word.startswith("-") and word.endswith("c")]
        yield from command.words[given[0] + 1 : given[0] + 2] if given else ()


# --- what commands change

Files = Callable[[Sequence[str]], Sequence[str]]


def _all(words: Sequence[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def _last(words: Sequence[str]) -> list[str]:
    """The file that a copy is written to."""
    folders = [word for option, word in itertools.pairwise(words) if option in ("-t", "--target-directory")]
    return folders or _all(words)[-1:]


def _but_first(words: Sequence[str]) -> list[str]:
    """Files behind a mode, an owner or a script."""
    return _all(words)[1:]


def _edited(words: Sequence[str]) -> list[str]:
    """Files that sed or perl edit in place."""
    short = [word for word in words if word.startswith("-") and not word.startswith("--")]
    in_place = any("i" in word.partition(".")[0] for word in short) or any(w.startswith("--in-place") for w in words)
    if not in_place:
        return []
    scripts = [n + 1 for n, word in enumerate(words) if word in ("-e", "-f", "--expression") or _ends_in_e(word)]
    files = [word for n, word in enumerate(words) if not word.startswith("-") and n not in scripts]
    return files if scripts else files[1:]


def _ends_in_e(word: str) -> bool:
    return word.startswith("-") and not word.startswith("--") and word.endswith("e")


def _of_git(words: Sequence[str]) -> list[str]:
    rest = without_git_options(("git", *words))[1:]
    return _all(rest[1:]) if rest and rest[0] in _GIT_CHANGES else []


def _found(words: Sequence[str]) -> list[str]:
    """Folders in which `find` deletes files or runs a command on them."""
    acts = {"-delete", "-exec", "-execdir", "-ok"} & {*words}
    first = next((n for n, word in enumerate(words) if word.startswith(("-", "(", "!"))), len(words))
    return [*words[:first]] if acts else []


def _of_dd(words: Sequence[str]) -> list[str]:
    return [word.removeprefix("of=") for word in words if word.startswith("of=")]


_GIT_CHANGES: Final = frozenset({"checkout", "restore", "rm", "mv", "reset", "apply", "stash", "clean"})
_CHANGED: Final[Mapping[str, Files]] = {
    **dict.fromkeys(("rm", "mv", "tee", "touch", "truncate", "unlink", "rmdir", "patch", "shred", "mkdir"), _all),
    **dict.fromkeys(("cp", "ln", "install", "rsync", "scp"), _last),
    **dict.fromkeys(("chmod", "chown", "chgrp"), _but_first),
    **dict.fromkeys(("sed", "perl"), _edited),
    "git": _of_git,
    "find": _found,
    "dd": _of_dd,
}
"""By the name of a command the files among its words that it changes."""


def without_git_options(words: Sequence[str]) -> list[str]:
    """The words of a git command without the options in front of what it is to do, such as -C with its folder."""
    found = list(words)
    while found[:1] == ["git"] and len(found) > 1 and found[1].startswith("-"):
        del found[1 : 3 if found[1] in ("-C", "-c") else 2]
    return found
