# The two commands of the README: `make demo` and `make test`. Both set up what they need in .venv first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
NODE := pbem/web/node_modules/.installed
# A file of tests stays with one worker, so that its servers, its browser and its matches are there once.
WORKERS := -n auto --dist loadfile --no-loadscope-reorder

.PHONY: demo page test node script quick lint types layers rows size bench golden release catalogues site clean

demo: $(VENV)/.runs            ## set up and play a whole three-seat match of Wyatt Earp, then audit it
	$(BIN)/pbem demo --game wyatt-earp --seats 3 --out demo

page: $(VENV)/.runs node       ## the web app for `pbem host` of this copy, and of what is installed from it; needs npm
	rm -rf build/page pbem/web/built
	@mkdir -p build pbem/web/built
	$(BIN)/pbem web build build/page --archive pbem/web/built/page.zip
	cp build/page/LICENSES.txt pbem/web/built

test: $(STAMP) node lint types layers rows   ## set up and run every check and every test
	$(BIN)/pytest $(WORKERS) -rs

node: $(NODE)                  ## Pyodide and libsodium, which the page and its judge need, by their lock

script: $(STAMP) node          ## the page's own scripts: types, lint, unit tests; part of `make test`
	$(BIN)/pytest -n 0 -q tests/web/test_script.py

quick: $(STAMP)                ## the inner loop: under a minute on two cores; names what it leaves out
	$(BIN)/python -m tests.quick

lint: $(STAMP)
	$(BIN)/ruff check pbem tests examples/third-game examples/library
	$(BIN)/ruff format --check pbem tests examples/third-game examples/library

types: $(STAMP)
	$(BIN)/mypy

layers: $(STAMP)               ## imports point down only
	$(BIN)/lint-imports --no-logo

rows: $(STAMP)                 ## rule row -> tests; fails on an uncovered row
	$(BIN)/python -m tests.rule_coverage --quiet

size: $(STAMP)                 ## how large pbem/ is, and what is aimed at
	$(BIN)/python -m tests.size

bench: $(STAMP)                ## ratios, measured in one run
	$(BIN)/python -m tests.bench

golden: $(STAMP)               ## write all kept files anew and say what changed; KIND="records letters" only these
	$(BIN)/python -m tests.golden $(KIND)

site: $(STAMP)                 ## the pages as a small site in build/site; a dead link is a fault
	$(BIN)/python -m tests.docs.site build/site

release: $(STAMP)             ## build wheel and sdist twice, try them, say what is in them; URLS="Source=https://…" names where the project is
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[release]"
	$(BIN)/python -m tests.release $(foreach url,$(URLS),--url $(url))

catalogues: $(STAMP)           ## extract all messages, bring them into every language, compile
	$(BIN)/python -m tests.languages extract update compile

$(NODE): pbem/web/package-lock.json
	@if command -v npm >/dev/null; then \
	  cd pbem/web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && touch node_modules/.installed; \
	else echo "npm is not installed: what the page needs of it is not there, its tests say so"; [ "$$PBEM_REQUIRE" != all ]; fi

$(VENV)/.runs: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[test]"
	touch $@ $(VENV)/.runs

clean:
	rm -rf $(VENV) build dist demo pbem/web/built
