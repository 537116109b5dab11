"""Milliseconds that the recorder adds to an event of a stream, and a long recording in bytes and seconds.

Wall time, for events wait on sockets: each of 10,000 events is sent when the one before has arrived, straight and
through the recorder by turns, and medians are compared.
"""

from __future__ import annotations

import json
import socket
import threading
import tracemalloc
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from ctxlab.recordings.recorder.proxy import RecordingProxy
from ctxlab.recordings.recorder.read_records import read_records
from ctxlab.recordings.recorder.record_lines import VERSION, RecordLines, line
from ctxlab.secrets import SecretMask

EVENTS = 10_000
EVENT = b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": "some words"}}]}).encode() + b"\n\n"
REQUESTS, MESSAGES, CHARACTERS = 2_000, 100, 4_000


class PacedServer:
    """Sends an event each time it is told that the last one has arrived."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}"
        self.arrived = threading.Semaphore(0)
        self.sent: list[float] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                connection.recv(65_536)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
                connection.sendall(b"Transfer-Encoding: chunked\r\n\r\n")
                for _ in range(EVENTS):
                    self.arrived.acquire()
                    self.sent.append(perf_counter())
                    connection.sendall(b"%x\r\n%b\r\n" % (len(EVENT), EVENT))
                connection.sendall(b"0\r\n\r\n")


def event_seconds(url: str, server: PacedServer) -> float:
    """The median time from sending an event to having it."""
    server.sent.clear()
    host, _, port = url.removeprefix("http://").partition(":")
    came: list[float] = []
    with socket.create_connection((host, int(port))) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        got = b""
        while not got.endswith(b"\r\n\r\n"):
            got += connection.recv(65_536)
        for _ in range(EVENTS):
            server.arrived.release()
            got = b""
            while EVENT not in got:
                got += connection.recv(65_536)
            came.append(perf_counter())
    return median(after - before for before, after in zip(server.sent, came, strict=True))


def added_milliseconds(rounds: int = 1) -> tuple[float, float]:
    """Median milliseconds of an event straight, and those that the recorder adds."""
    with TemporaryDirectory() as folder:
        server = PacedServer()
        with RecordingProxy(server.url, Path(folder) / "r.ctxrec.jsonl") as proxy:
            pairs = [(event_seconds(server.url, server), event_seconds(proxy.url, server)) for _ in range(rounds)]
        server.listener.close()
    return 1000 * median(one for one, _ in pairs), 1000 * median(two - one for one, two in pairs)


def long_recording() -> dict[str, float]:
    """A conversation that grows by a message with each request and is cut to half of it now and then."""
    text = "words of a message " * (CHARACTERS // 19)
    messages = [{"role": "user", "content": f"{number} {text}"} for number in range(REQUESTS + MESSAGES)]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "r.ctxrec.jsonl"
        lines, sent, started = RecordLines(SecretMask(), set()), 0, process_time()
        with file.open("wb") as out:
            out.write(line({"type": "recording", "version": VERSION}))
            for number in range(REQUESTS):
                start, more = divmod(number, MESSAGES)
                body = {"model": "m", "messages": messages[start * MESSAGES :][: MESSAGES + more]}
                sent += (MESSAGES + more) * CHARACTERS
                out.writelines(lines.request({"type": "request", "id": f"r{number}"}, body))
        written = process_time() - started
        size = file.stat().st_size
        tracemalloc.start()
        started = process_time()
        count = sum(len(one.body["messages"]) for one in read_records(file))
        read, memory = process_time() - started, tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return {"sent": sent, "file": size, "write": written, "read": read, "memory": memory, "messages": count}


def main() -> None:
    """Print both."""
    straight, added = added_milliseconds()
    print(f"recorder: an event takes {straight:.3f} ms straight and {added:.3f} ms more through it ({EVENTS:,} events)")
    long = long_recording()
    print(
        f"recording of {REQUESTS:,} requests: {long['sent'] / 1e6:,.0f} MB sent, {long['file'] / 1e6:,.1f} MB in the"
        f" file, written in {long['write']:.1f} s, read in {long['read']:.1f} s with {long['memory'] / 1e6:,.1f} MB"
    )


if __name__ == "__main__":
    main()
