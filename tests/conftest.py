"""What all tests share: the table of golden cases at the end of a run, and the order of files on several workers."""

import gc
import os

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.golden.table", "tests.machine_use", "pytester"]

# How long a draw or a call takes says what else the machine does. One tree has one result: `make laws` draws anew.
settings.register_profile(
    "on a busy machine",
    settings(),
    deadline=None,
    derandomize="CTXLAB_DRAW_ANEW" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("on a busy machine")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: a worker whose test waits for a browser or a kernel keeps none of them busy."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On workers the files that take minutes come first: begun last, one would keep a single core busy in the end."""
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


def pytest_collection_finish() -> None:
    """What the collection made stays to the end: no later search for garbage looks at it again."""
    gc.freeze()
