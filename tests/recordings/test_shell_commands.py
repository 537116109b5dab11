"""Commands are read as a shell reads them: quotations, comments and input are none."""

from __future__ import annotations

import pytest

from ctxlab.documents import MessageNode
from ctxlab.engines.compression import SourceText, compression_report
from ctxlab.recordings.compressions.rule_breaches import first_breaches
from ctxlab.recordings.shell_commands import MOST_LINES, shell_commands


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("rm -rf src/a.py && ls", ["src/a.py"]),
        ("cat a.py > b.py 2>&1", ["b.py"]),
        ("echo a>>b", ["b"]),
        ("cd src && rm a.py", ["src/a.py"]),
        ("sudo git -C repo checkout -- a.py", ["a.py"]),
        ('echo "$(rm a.py)"', ["a.py"]),
        ("bash -lc 'rm a.py; ls'", ["a.py"]),
        ("cat > a.py <<'EOF'\nrm b.py\nEOF\ntouch c.py", ["a.py", "c.py"]),
        ("sed -i.bak 's/a/b/' a.py b.py", ["a.py", "b.py"]),
        ("sed -Ei -e s/a/b/ a.py", ["a.py"]),
        ("find src -name '*.pyc' -delete", ["src"]),
        ("if [ -f a ]; then mv a b; fi", ["a", "b"]),
        ("FOO=1 timeout 5 rm \\\n  a.py", ["a.py"]),
        ("cp a.py b.py", ["b.py"]),
        ("dd if=a of=b", ["b"]),
        ("rm '灯 塔.md'", ["灯 塔.md"]),
        ("python x.py | tee a.log", ["a.log"]),
        # nearly
        ("echo 'rm src/a.py'", []),
        ("echo '$(rm src/a.py)'", []),
        ("# rm src/a.py\nls", []),
        ("ls src 2>/dev/null", []),
        ("grep -r 'a > b' src", []),
        ("sed -n 1,5p src/a.py", []),
        ("git log -- src/a.py", []),
        ("git commit -m 'rm src/a.py; mv b c'", []),
        ("diff <(cat a) <(cat b)", []),
        ("cat <<EOF\nrm a.py\nEOF", []),
        ("echo 'never closed\n", []),
    ],
)
def test_files_that_commands_change(text: str, changed: list[str]) -> None:
    assert [command.path(word) for command in shell_commands(text) for word in command.changed] == changed


def test_no_text_takes_long() -> None:
    lines = "".join(f"echo {chr(34 if n % 2 else 39)} {n}\n" for n in range(MOST_LINES * 40))
    assert len([*shell_commands(lines)]) < MOST_LINES * 40


def breach(rule: str, command: str | list[str]) -> list[str]:
    facts = compression_report([SourceText("u", "user", rule)], "Nothing.").facts
    rules = [fact for fact in facts if fact.kind == "rule"]
    return [each.evidence for each in first_breaches(rules, [_calling(command)])]


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (["bash", "-lc", "ls && rm src/core/a.py"], ["src/core/a.py"]),
        (["rm", "src/core/a.py"], ["src/core/a.py"]),
        (["ls -l", "rm src/core/a.py"], ["src/core/a.py"]),
        (["echo", "rm src/core/a.py"], []),
    ],
)
def test_a_command_may_be_a_list_of_words_or_of_commands(command: list[str], found: list[str]) -> None:
    assert breach("Never change anything in `src/core`.", command) == found


def _calling(command: str | list[str]) -> MessageNode:
    calls = [{"requestId": "c", "toolName": "Bash", "args": {"command": command}}]
    data = {"id": "a", "role": "assistant", "content": "", "metadata": {"toolCallsRequested": calls}}
    return MessageNode.model_validate(data)


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("rm src/core/main.py", ["src/core/main.py"]),
        ("cd src/core && rm main.py", ["main.py"]),
        ("echo x > src/core/new.py", ["src/core/new.py"]),
        ("cat src/core/main.py > /tmp/copy", []),
        ("echo 'rm src/core/main.py'", []),
        ("grep -n 'a > b' src/core/main.py", []),
        ("git log --oneline src/core  # rm src/core", []),
    ],
)
def test_a_breach_of_a_rule_on_files_is_a_command_that_changes_them(command: str, found: list[str]) -> None:
    assert breach("Never change anything in `src/core`.", command) == found


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("git add . && git push", ["git push"]),
        ("git -C repo push --tags", ["git -C repo push"]),
        ("echo 'then git push'", []),
        ("ls  # git push", []),
        ("git commit -m 'before git push'", []),
    ],
)
def test_a_breach_of_a_rule_on_commands_is_one_that_is_run(command: str, found: list[str]) -> None:
    assert breach("Never run `git push`.", command) == found
