# Two commands are all a fresh machine needs: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
READY := .venv/.ready

.PHONY: demo test check format bench notebook lock clean

demo: $(READY)
	@$(BIN)/ctxlab demo

test: $(READY) check
	@$(BIN)/python -m pytest -q -n auto --dist loadgroup

check: $(READY)
	@$(BIN)/ruff format --check --quiet ctxlab tests datasets || (echo "run: make format"; exit 1)
	@$(BIN)/ruff check --quiet ctxlab tests datasets
	@$(BIN)/lint-imports --no-logo > .venv/imports.log || (cat .venv/imports.log; exit 1)
	@$(BIN)/basedpyright --level error > .venv/types.log || (cat .venv/types.log; exit 1)
	@echo "check: format, lint, layers and types are clean"

format: $(READY)
	@$(BIN)/ruff format ctxlab tests datasets
	@$(BIN)/ruff check --fix ctxlab tests datasets

bench: $(READY)
	@$(BIN)/python -m tests.bench

notebook: $(READY)
	@$(BIN)/jupyter lab notebooks

# The environment is rebuilt only when what it is made of changes. uv is quick; where it can't reach the index, pip does it.
INSTALL := --quiet --requirement requirements.lock --editable .
$(READY): pyproject.toml requirements.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv \
		|| (rm -rf .venv && $(PYTHON) -m pip install --quiet virtualenv && $(PYTHON) -m virtualenv --quiet .venv)
	@test -x $(UV) || $(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.5" || true
	@$(UV) pip install --python $(BIN)/python $(INSTALL) --no-deps \
		|| $(BIN)/python -m pip install --disable-pip-version-check --no-deps $(INSTALL)
	@touch $(READY)

# Pins every dependency, for every platform, without naming where it comes from.
lock: $(READY)
	@$(UV) pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
		--all-extras --output-file requirements.lock pyproject.toml

clean:
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis build dist
