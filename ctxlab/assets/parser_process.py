"""A process of its own for parsers in native code: what is endless or too large ends there, not where the caller runs.

Functions go by name, arguments and results as pickles over pipes; a result is plain data, and no class is loaded of it.
"""

from __future__ import annotations

import atexit
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from io import BytesIO
from typing import IO, Any, BinaryIO, ParamSpec, TypeVar, cast

from ctxlab.assets.readers.limits import shown_size
from ctxlab.errors import CtxlabError, ReadError

P = ParamSpec("P")
R = TypeVar("R")
SECONDS = 20
MEMORY_BYTES = 2_000_000_000
LENGTH = struct.Struct("<Q")
MOST_AT_ONCE = 1 << 20
FAILED = "the file made its reader fail"
PROGRAM = "import sys; sys.path[:] = sys.argv[2:]; from ctxlab.assets.parser_process import main; main()"
"""It imports from where its caller does, and never from the folder in which it is started."""
NO_MEMORY = b"memory allocation"
"""The last words of Rust before it ends a process for want of memory."""


class ParserProcess:
    """A process that calls functions, one at a time, within limits of time and, where the system has one, of memory.

    It starts with the first call; after one that fails by a limit, and in a fork, the next call starts a new one.
    """

    def __init__(self, *, seconds: float = SECONDS, memory_bytes: int = MEMORY_BYTES) -> None:
        self.seconds, self.memory_bytes = seconds, memory_bytes
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._words: IO[bytes] | None = None
        atexit.register(self.close)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def call(self, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The result of a function of a module for these arguments; the result has to be plain data.

        Raises ReadError with the function's own sentence, or when it takes too long, too much memory, or the process
        dies of it.
        """
        name = f"{function.__module__}:{function.__qualname__}"
        request = pickle.dumps((name, args, kwargs, self.seconds), pickle.HIGHEST_PROTOCOL)
        with self._lock:
            state, answer = self._answer(request)
        if state == "done":
            return cast("R", answer)
        if state == "memory":
            raise ReadError(f"reading it takes more than {shown_size(self.memory_bytes)} of memory")
        raise ReadError(str(answer))

    def close(self) -> None:
        """End the process; a call after this starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _close(process)

    def _answer(self, request: bytes) -> tuple[str, object]:
        process = self._running()
        late = _Deadline(process, self.seconds)
        try:
            with late:
                assert process.stdin is not None
                assert process.stdout is not None
                _send(process.stdin, request)
                state, answer, stays = _Plain(BytesIO(_received(process.stdout))).load()
        except (EOFError, OSError, pickle.UnpicklingError):
            self.close()
            if late.is_over:
                return "failed", f"reading it took longer than {self.seconds:g} s"
            return ("memory", None) if NO_MEMORY in self._last_words() else ("failed", FAILED)
        except BaseException:  # it was interrupted: what the process answers later would be taken for the next answer
            self.close()
            raise
        if late.is_over or not stays:
            self.close()
        return state, answer

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        if self._words is not None:
            self._words.close()
        self._words = tempfile.TemporaryFile()  # noqa: SIM115
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, str(self.memory_bytes), *filter(None, sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._words,
                bufsize=0,  # a fork would have a copy of what is in a buffer
                start_new_session=True,
            )
        except (OSError, TypeError, ValueError) as error:  # TypeError where there is no `sys.executable`
            raise CtxlabError(f"the process that reads PDFs and workbooks can't be started: {error}") from None
        return self._process

    def _last_words(self) -> bytes:
        if self._words is None:
            return b""
        self._words.seek(max(0, self._words.seek(0, os.SEEK_END) - 1000))
        return self._words.read()

    def _after_fork(self) -> None:
        """Let go of the process that belongs to the parent."""
        process, self._process, self._lock = self._process, None, threading.Lock()
        if process is not None:
            _close(process)
            process.returncode = 0  # so that it isn't waited for: it is no child of this process


class _Deadline:
    """Kills a process unless the block is left in time; never afterwards."""

    def __init__(self, process: subprocess.Popen[bytes], seconds: float) -> None:
        self.process = process
        self.is_over = self._is_left = False
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self._end)
        self._timer.daemon = True

    def __enter__(self) -> None:
        self._timer.start()

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_left = True
        self._timer.cancel()

    def _end(self) -> None:
        with self._lock:
            if not self._is_left:
                self.is_over = True
                self.process.kill()


class _Plain(pickle.Unpickler):
    """Reads numbers, texts, bytes and collections of them; no class, since the bytes come from hostile files."""

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        raise pickle.UnpicklingError(f"{module_name}.{global_name} is no plain data")


def _send(pipe: IO[bytes], data: bytes) -> None:
    left = memoryview(LENGTH.pack(len(data)) + data)
    while left:
        left = left[pipe.write(left) :]
    pipe.flush()


def _received(pipe: IO[bytes]) -> bytes:
    return _exactly(pipe, LENGTH.unpack(_exactly(pipe, LENGTH.size))[0])


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    pieces: list[bytes] = []
    while size:
        piece = pipe.read(min(size, MOST_AT_ONCE))
        if not piece:
            raise EOFError
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what is still to be written has nobody to read it
                pipe.close()


PARSERS = ParserProcess()
"""The process that PDFs and workbooks are read in."""


# --- in the process


def serve(requests: BinaryIO, answers: BinaryIO, memory_bytes: int) -> None:
    """Answer requests until there are no more."""
    _limit_memory(memory_bytes)
    while True:
        try:
            request = _received(requests)
        except EOFError:
            return
        state, answer = _called(request)
        stays = _held() < memory_bytes // 4
        _send(answers, pickle.dumps((state, answer, stays), pickle.HIGHEST_PROTOCOL))


def _called(request: bytes) -> tuple[str, object]:
    try:
        name, args, kwargs, seconds = pickle.loads(request)
        _limit_time(seconds)
        module, function = name.split(":")
        return "done", getattr(import_module(module), function)(*args, **kwargs)
    except MemoryError:
        return "memory", None
    except CtxlabError as error:
        return "failed", str(error)
    except BaseException as error:  # the libraries raise anything, panics of Rust included
        return "failed", f"{FAILED} ({type(error).__name__})"
    finally:
        _limit_time(0)


def _limit_time(seconds: float) -> None:
    """End this process some time after its parent should have ended it; 0 takes the limit away."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds * 2)


def _limit_memory(size: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has no such limit, macOS may refuse it
        import resource

        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (size if hard < 0 else min(size, hard), hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _held() -> int:
    """Bytes of memory that this process holds; 0 where the system doesn't say it.

    Not the most that it has held: of that the system counts what the caller held before this process began.
    """
    with suppress(OSError, ValueError, IndexError, AttributeError), open("/proc/self/statm", "rb") as file:  # noqa: PTH123
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def main() -> None:
    """The work of the process: requests come from its input, answers go to its output."""
    answers, sys.stdout = os.fdopen(os.dup(1), "wb"), sys.stderr
    os.dup2(2, 1)  # what a library prints is no answer
    serve(sys.stdin.buffer, answers, int(sys.argv[1]))
