"""A recording that a command names, or what comes through a pipe for `-`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ctxlab.cli.inputs.read_file import PIPE_NAME, is_pipe, piped
from ctxlab.cli.output.progress import progress

if TYPE_CHECKING:
    from ctxlab.recordings.recording import Recording


def read_recording_file(path: Path, template: str | None = None) -> Recording:
    """The recording in a file, or in standard input for `-`; a template parts a prompt that is one text."""
    from ctxlab.formats.decode import source_of
    from ctxlab.recordings.read import read_recording, recording_of
    from ctxlab.recordings.recorder.read_records import is_record_file

    if not is_pipe(path):
        with progress(f"reading {path.name}", file=path):
            return read_recording(path, template=template)
    with progress("reading standard input"), TemporaryDirectory() as folder:
        data = piped()
        if not is_record_file(data[:128]):
            return recording_of(source_of(data, PIPE_NAME))
        file = Path(folder) / PIPE_NAME
        file.write_bytes(data)
        return read_recording(file)
