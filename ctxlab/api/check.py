"""Look through a recording, a run or a conversation for what is wrong with it, or carried along for nothing."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

from ctxlab.api.sources import SessionSource
from ctxlab.argument_checks import checked_arguments
from ctxlab.display.progress import ProgressOption, progress_of
from ctxlab.display.short_texts import counted
from ctxlab.errors import CtxlabError, ReadError, UnknownFormat, WrongArgument
from ctxlab.formats.folder import FolderParts
from ctxlab.formats.results import Import, Loss
from ctxlab.local_models import LocalModel
from ctxlab.local_models.template_source import TemplateSource
from ctxlab.pipeline import Trace
from ctxlab.recordings.findings.find import findings_of_recording, findings_of_trace
from ctxlab.recordings.findings.finding import Finding, Findings
from ctxlab.recordings.findings.finding_rule import FindingRule
from ctxlab.recordings.recording import Recording

if TYPE_CHECKING:
    from ctxlab.studies import LoreTimeline

RuleSources: TypeAlias = Annotated[Sequence[str | FindingRule], "ids of rules, or rules"]


@checked_arguments
def check(
    what: Recording | Trace | SessionSource,
    *,
    rules: RuleSources | None = None,
    ignore: Sequence[str] = (),
    model: TemplateSource | None = None,
    progress: ProgressOption = True,
) -> Findings:
    """The findings of a recording, a run or a conversation, the worst first: each with place, cost and remedy.

    A conversation, a library or a list of messages is built first, as `build` does without options; for others give the
    run: `check(build(session, agent, model="gpt-4o"))`. A path is read as a recording where it is one. Of a folder it
    is every recording and every conversation, read file by file, each finding with its file. `rules` are those to ask,
    by id or as FindingRule, by default all that fit; those of packages are under the entry point group
    `ctxlab.findings`. `ignore` are ids of rules to leave out. `model` has a chat template, as in `ctxlab.rendered`:
    rules on the text that it makes are asked with it, and else where a run was built for a model of one's own.
    `progress`, of a folder, is as in `ctxlab.survey`. Raises UnknownName for an id that there is not, WrongArgument for
    a recording and a model.
    """
    from ctxlab.recordings.findings.registry import rules_of

    rules_of(rules, ignore)
    if isinstance(what, Trace):
        return findings_of_trace(what, rules, ignore, lore_timeline=lore_timeline_of(what), model=model)
    recording = what if isinstance(what, Recording) else None
    if isinstance(what, str | os.PathLike):
        recording = recording_at(what)
    if recording is not None:
        if model is not None:
            raise WrongArgument("a recording has the text that was sent; model= is for runs and conversations")
        return findings_of_recording(recording, rules, ignore)
    if isinstance(what, str | os.PathLike) and Path(what).expanduser().is_dir():
        return _of_folder(what, rules, ignore, progress, model)
    assert not isinstance(what, Recording)
    return _of_built(what, rules, ignore, model)


def _of_built(
    what: SessionSource, rules: RuleSources | None, ignore: Sequence[str], model: TemplateSource | None
) -> Findings:
    from ctxlab.api.build import build

    trace = build(what, model=model) if isinstance(model, LocalModel) else build(what)
    timeline = lore_timeline_of(trace)
    return findings_of_trace(trace, rules, ignore, lore_timeline=timeline, of_session=True, model=model)


def _of_folder(
    path: str | os.PathLike[str],
    rules: RuleSources | None,
    ignore: Sequence[str],
    progress: ProgressOption,
    model: TemplateSource | None,
) -> Findings:
    """The findings of every file of a folder: of a recording as it is, of conversations as they are built."""
    from ctxlab import formats

    folder = Path(path).expanduser()
    with progress_of(f"looking through {folder.name}", progress is True) as step:
        parts = formats.folder_parts(path, step=step)
    found: list[Finding] = []
    asked: dict[str, None] = {}
    notes: dict[str, None] = {}

    def take(file: str, findings: Findings) -> None:
        found.extend(finding.in_file(file) for finding in findings)
        asked.update(dict.fromkeys(findings.rules))
        notes.update(dict.fromkeys(f"{file}: {note}" for note in findings.notes))

    unread: list[Loss] = []
    for loss in parts.left_out:
        recording = _recording_or_none(folder / loss.place)
        if recording is None:
            unread.append(loss)
        else:
            take(loss.place, findings_of_recording(recording, rules, ignore))
    parts.left_out = tuple(unread)
    with progress_of(counted(len(parts), "file"), progress) as step:
        for number, (place, part) in enumerate(parts, start=1):
            try:
                for file, findings in _of_part(parts, place, part, rules, ignore, model):
                    take(file, findings)
            except CtxlabError as problem:
                notes[f"{place}: {problem}"] = None
            step(number / len(parts))
    if not asked and not notes:
        raise ReadError(parts.refusal())
    found.sort(key=lambda finding: finding.order)
    told = (*parts.left_out_sentences(), *notes)
    return Findings(tuple(found), tuple(asked), told, os.fspath(path))


def _of_part(
    parts: FolderParts,
    place: str,
    part: Import | ReadError,
    rules: RuleSources | None,
    ignore: Sequence[str],
    model: TemplateSource | None,
) -> Iterator[tuple[str, Findings]]:
    if isinstance(part, ReadError):
        raise part
    recording = _recording_or_none(parts.folder / place)
    if recording is not None:
        yield place, findings_of_recording(recording, rules, ignore)
        return
    beside = parts.for_sessions(part)
    for session in part.sessions:
        name = f"{place}, {session.id}" if len(part.sessions) > 1 else place
        yield name, _of_built(replace(beside, sessions=(session,)), rules, ignore, model)


def _recording_or_none(path: Path) -> Recording | None:
    from ctxlab.recordings.read import is_recording

    try:
        return recording_at(path) if path.is_file() and is_recording(path) else None
    except ReadError:
        return None


def recording_at(path: str | os.PathLike[str], template: str | None = None) -> Recording | None:
    """The recording at a path; None where a file is of another kind, or a folder has none or several.

    A template parts a prompt that is one text; other files are read without it.
    """
    from ctxlab.recordings.read import read_recording
    from ctxlab.recordings.readers.plain_prompt import is_prompt

    try:
        return read_recording(path, template=template if is_prompt(Path(path).expanduser()) else None)
    except UnknownFormat:
        return None
    except ReadError:
        if Path(path).expanduser().is_dir():
            return None
        raise


def lore_timeline_of(trace: Trace) -> Callable[[], LoreTimeline] | None:
    """A function that scans the books of a run at each message of its path; None where no book is in force."""
    given = trace.start.input
    if not given.books:
        return None

    def timeline() -> LoreTimeline:
        from ctxlab.api.lore import lore_timeline

        return lore_timeline(
            given.session,
            given.agent,
            books=given.books,
            leaf=given.leaf,
            user=given.user,
            model=given.model,
            timestamp=given.timestamp,
            zone=given.zone,
            seed=given.seed,
            variables=given.variables,
            pipeline=trace.pipeline,
        )

    return timeline
