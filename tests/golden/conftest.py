"""The closing table, also where only this folder is run."""

from __future__ import annotations

import pytest

from golden import table


def pytest_configure(config: pytest.Config) -> None:
    if not config.pluginmanager.is_registered(table):
        config.pluginmanager.register(table, "golden.table")
