"""Do one of the works in this process, and print its CPU seconds, children's too, and the most memory in MB."""

from __future__ import annotations

import gc
import importlib
import resource
import sys
from time import process_time

from tests.bench.memory import most_megabytes


def children() -> resource.struct_rusage:
    return resource.getrusage(resource.RUSAGE_CHILDREN)


def main(name: str) -> None:
    module, work = name.split(".")
    running = getattr(importlib.import_module(f"tests.bench.scenarios.{module}"), work)()
    next(running)
    gc.collect()
    before, started = children(), process_time()
    next(running, None)
    seconds = process_time() - started
    after = children()
    seconds += after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(seconds, max(most_megabytes(), after.ru_maxrss / 1024))


main(sys.argv[1])
