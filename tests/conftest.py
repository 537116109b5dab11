"""What all tests share: the table of golden cases at the end of a run."""

pytest_plugins = ["tests.golden.table", "pytester"]
