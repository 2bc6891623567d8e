# Two commands do everything from a clean clone, on a machine with Python (3.11 or newer), git and make:
#   make preview    the first embedded preview of the `ci` stack
#   make test       everything that needs no root, no cluster, no cloud
# Neither asks for an account. What is done once is not done again.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

VENV := .venv
PY := $(VENV)/bin/python
# What is compiled once, so that no later start compiles it again.
CODE := $(wildcard nodeworthy infra userdata policies nodes)
# Two tests at a time on two cores; PYTEST_WORKERS=0 runs them in one process, for a debugger.
PYTEST_WORKERS ?= auto

PIP := $(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes
# The one that is locked: it links what it has kept, where pip unpacks all of it again.
UV := VIRTUAL_ENV=$(VENV) $(VENV)/bin/uv
LOCK := $(VENV)/bin/uv pip compile --generate-hashes --no-emit-index-url --no-header --universal --python-version 3.11 --quiet

# The environment belongs to one lock in one place: where either differs, it is made anew.
LOCKED := $(VENV)/.locked-$(shell { cat locks/all.txt; pwd; } | cksum | cut -d ' ' -f 1)
INSTALLED := $(VENV)/.installed-$(shell { cat locks/all.txt pyproject.toml; pwd; } | cksum | cut -d ' ' -f 1)

# Where a machine tells Python to keep no bytecode, every start would compile everything again.
unexport PYTHONDONTWRITEBYTECODE
unexport PYTHONPATH
unexport PYTHONHOME

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: venv
venv: $(INSTALLED) ## .venv with everything, exactly as locked

$(INSTALLED): $(LOCKED)
	@$(UV) pip install --quiet --no-deps --no-build-isolation --editable .
	@$(PY) -m compileall -q $(CODE) $(VENV)/lib/python3.*/site-packages/yaml
	@$(PY) -m nodeworthy.known.tables
	@rm -f $(VENV)/.installed-* && touch $@

$(LOCKED):
	@echo "installing what locks/all.txt names into $(VENV) (once, some seconds)"
	@rm -rf $(VENV)
	@python=$$(sh tools/find_python.sh) && $$python -m venv $(VENV) || { \
		echo "make: Python could not make a virtual environment (on Debian and Ubuntu: apt-get install python3-venv)" >&2; \
		exit 1; }
	@sed -n '/^uv==/,/# via/p' locks/all.txt | $(PIP) --requirement /dev/stdin
	@$(UV) pip install --quiet --no-deps --require-hashes --requirement locks/all.txt || { \
		echo "make: pip tries it, which knows of pip.conf (slower)" >&2; $(PIP) --requirement locks/all.txt; }
	@touch $@

.PHONY: preview
preview: venv ## an embedded preview of the ci stack: resources, findings, how much was evaluated
	@$(PY) -m nodeworthy preview --stack ci

.PHONY: test
test: venv ## everything that needs no root, no cluster, no cloud (under three minutes)
	@$(PY) -m pytest tests --ignore=tests/real --ignore=tests/lab -m "not long and not night" -n $(PYTEST_WORKERS)

.PHONY: test-long
test-long: venv ## what takes seconds a test: whole stacks previewed, docs/ written anew, a quarter of the rest of the cases
	@$(PY) -m pytest tests --ignore=tests/real --ignore=tests/lab -m "long and not night" -n $(PYTEST_WORKERS)

.PHONY: test-day
test-day: venv ## both, collected once
	@$(PY) -m pytest tests --ignore=tests/real --ignore=tests/lab -m "not night" -n $(PYTEST_WORKERS)

.PHONY: test-night
test-night: venv ## what takes minutes: every case asked three ways, and all of what comes in turns by day (NODEWORTHY_DAY=2026-11-28)
	@$(PY) -m pytest tests --ignore=tests/lab -m "night or drawn" -n $(PYTEST_WORKERS)
	@$(PY) -m pytest tests/lab -m drawn -n $(PYTEST_WORKERS)

.PHONY: fuzz
fuzz: venv ## inputs that nobody writes by hand (SECONDS=1200, SEED=1); what takes 5 s or 1 GiB, crashes or is obeyed fails
	@$(PY) -m tests.fuzz --seconds $(or $(SECONDS),1200) --seed $(or $(SEED),1)

.PHONY: mutants
mutants: venv ## do the tests bite? rules and facts made wrong, a line at a time (SEED=1, COUNT=300, ONLY=part of a path)
	@$(PY) -m tests.mutants --seed $(or $(SEED),1) --count $(or $(COUNT),300) $(if $(ONLY),--only $(ONLY))

.PHONY: undecided
undecided: venv ## the parts of conditions in rules and facts that no test sees come out both ways (ONLY=part of a path; five minutes)
	@$(PY) -m tests.mutants.undecided $(if $(ONLY),--only $(ONLY))

.PHONY: lint
lint: venv ## ruff, mypy --strict, the import directions
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy
	@$(VENV)/bin/lint-imports --no-logo

.PHONY: format
format: venv ## what ruff can put right by itself
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .

.PHONY: docs
docs: venv ## writes docs/: rules with their executed examples, commands, exit codes, tables
	@$(PY) tools/generate_docs.py

.PHONY: docs-check
docs-check: venv ## fails where docs/ is not what `make docs` would write
	@$(PY) tools/generate_docs.py --check

.PHONY: site
site: venv ## builds docs/ as a site into site/, with the playground (needs npm); a warning is an error
	@NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --quiet --strict --clean
	@$(PY) tools/playground_page.py site/playground

.PHONY: site-check
site-check: site ## follows every link and anchor of the site; fails where one ends nowhere, or a page loads from elsewhere
	@$(PY) tools/site_check.py site

.PHONY: extension
extension: ## the extension for VS Code, build/nodeworthy.vsix (needs npm)
	@rm -rf build/vscode && mkdir -p build && cp -r editors/vscode build/vscode && cp LICENSE build/vscode/
	@cd build/vscode && npm ci --silent --ignore-scripts
	@cd build/vscode && node_modules/.bin/vsce package --allow-missing-repository --out ../nodeworthy.vsix

.PHONY: goldens
goldens: venv ## writes the expected outputs of tests/cases anew (RULE=id: of one rule); read the diff
	@$(PY) -m pytest tests/test_cases.py tests/test_turned_cases.py tests/facts/test_read.py --update-goldens -n $(PYTEST_WORKERS) $(if $(RULE),-k $(RULE))

.PHONY: case
case: venv ## lays a case out whole in build/case, with what it shares with others (CASE=rule/name)
	@$(PY) -m tests.case_files $(or $(CASE),$(error make case CASE=rule/name)) build/case

.PHONY: boot-scripts
boot-scripts: venv ## writes the boot scripts of tests/userdata/golden anew; read the diff
	@$(PY) -m userdata --fleet tests/userdata/Pulumi.families.yaml --out tests/userdata/golden

.PHONY: tools
tools: ## builds the real programs that tests use (needs Go; minutes, once)
	@$$(sh tools/find_python.sh) tools/build.py

ACCEPT_TORCH := $(HOME)/.cache/nodeworthy/accept-torch

.PHONY: accept-tools
accept-tools: ## torch for the programs of `accept`, in an environment of its own (5 GB, once)
	@test -x $(ACCEPT_TORCH)/bin/python || $$(sh tools/find_python.sh) -m venv $(ACCEPT_TORCH)
	@$(ACCEPT_TORCH)/bin/python -c "import numpy, torch" 2>/dev/null || $(ACCEPT_TORCH)/bin/pip install --quiet torch==2.15.0 numpy

.PHONY: test-accept
test-accept: venv accept-tools ## the programs of `accept` on processors, with their injected faults (minutes)
	@NODEWORTHY_TORCH=$(ACCEPT_TORCH)/bin/python $(PY) -m pytest -n 0 tests/accept/test_programs.py tests/accept/test_slow_networks.py tests/accept/test_look.py

.PHONY: test-real
test-real: venv ## the tests that need root or the real programs; REQUIRE=1 forbids them to skip
	@$(PY) -m pytest tests/real -m "not night" -n $(PYTEST_WORKERS) $(if $(REQUIRE),--require-tools)

.PHONY: test-lab
test-lab: venv ## the tests in booted nodes (root; two minutes more the first time); REQUIRE=1 forbids them to skip
	@$(PY) -m pytest tests/lab -m "not long and not night" -n $(PYTEST_WORKERS) $(if $(REQUIRE),--require-tools)

.PHONY: lab-faults
lab-faults: venv ## injects every known fault into fresh nodes, and writes docs/lab-faults.md (root; minutes)
	@$(PY) -m nodeworthy lab faults --format markdown --output docs/lab-faults.md

.PHONY: preview-cli
preview-cli: venv ## the same preview by the real pulumi CLI, with policies/ as its policy pack (STACK=prod: of another stack)
	@$(PY) -m tests.real.preview_cli --stack $(or $(STACK),ci)

.PHONY: bench
bench: venv ## measures what the README promises; a table, and JSON in bench/results/
	@$(PY) -m bench

.PHONY: speed
speed: venv ## the same, and writes docs/speed.md of it; on a machine that does nothing else (WORDS=check: of some)
	@$(PY) -m bench $(WORDS); code=$$?; $(PY) tools/generate_docs.py && exit $$code

.PHONY: strangers
strangers: venv ## how true check is on fetched public files (DIR=folder, SET=first: the other list); see bench/exam
	@$(PY) -m bench.exam $(or $(DIR),$(error DIR=folder of the fetched files; how to fetch them: bench/exam/__init__.py)) \
		--set $(or $(SET),second) --format $(or $(FORMAT),text)

.PHONY: lock
lock: venv ## resolves pyproject.toml into locks/, with hashes: everything, what builds a wheel, what the image and the action have
	@$(LOCK) pyproject.toml --all-extras --group dev --output-file locks/all.txt
	@$(LOCK) --group build --constraints locks/all.txt --output-file locks/build.txt
	@$(LOCK) pyproject.toml --extra aws --extra cluster --extra nodes --constraints locks/all.txt \
		--output-file locks/image.txt
	@$(LOCK) pyproject.toml --constraints locks/all.txt --output-file locks/check.txt
	@$(LOCK) pyproject.toml --extra pulumi --constraints locks/all.txt --output-file locks/preview.txt

.PHONY: image
image: ## builds Containerfile (BUILDER=docker, podman or buildah; BASE=image@sha256:… pins its base)
	@$(or $(BUILDER),docker) build $(if $(BASE),--build-arg BASE=$(BASE)) --tag nodeworthy:latest --file Containerfile .

.PHONY: release-dry
release-dry: venv ## all of a release but its publication: built twice, bill of materials, provenance, signed and verified
	@$(PY) tools/release.py dry

.PHONY: release-cut
release-cut: venv ## CHANGELOG.md: the section of this version, of what is unreleased
	@$(PY) tools/release.py cut

.PHONY: release
release: venv ## a release of a clean, tagged commit into build/release, signed with KEY=file; publishes nothing
	@$(PY) tools/release.py make --key $(or $(KEY),$(error make release KEY=file; docs/releasing.md says how))

COMPILED := build/compiled

.PHONY: compiled
compiled: venv ## a wheel for this machine of which what reads boot scripts is compiled (needs a C compiler; minutes)
	@rm -rf $(COMPILED) && HATCH_BUILD_HOOK_ENABLE_CUSTOM=1 $(PY) -m hatchling build --target wheel --directory $(COMPILED)

.PHONY: test-compiled
test-compiled: compiled ## that wheel against the cases and what reads scripts: what it says is what the sources say
	@$(PY) tools/compiled_tree.py $(COMPILED) && cd $(COMPILED)/tree && NODEWORTHY_COMPILED=1 ../../../$(PY) -m pytest \
		tests/test_compiled.py tests/test_cases.py tests/test_turned_cases.py tests/boot tests/facts tests/source -n $(PYTEST_WORKERS)

.PHONY: clean
clean: ## removes .venv and every cache of the tree
	@rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
