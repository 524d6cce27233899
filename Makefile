# Every command of the project. The first one makes the environment (.venv) from requirements.lock; later ones
# notice that nothing changed.
#
#   make run [REPO=/path REPO=https://…]   analyse repositories (default: the one this file stands in)
#   make serve                             the API and the Dagster UI, both on this machine only
#   make check [BASE=HEAD~3]               what is quick to know: checks of the code, of the SQL that changed since BASE
#                                          (default: where the branch left main), and the tests that need no build
#   make test [TESTS=tests/api]            every test that can find a fault of a change
#   make test-all                          before a release: more random inputs, sanitizers, long damages
#   make seconds                           runs the tests and records how long each module takes
#   make lint                              style, types, import rules, SQL, links and dictionary of the docs
#   make docs                              writes docs/data-dictionary.md from the descriptions of the models
#   make bench [REPO=/path] [PYTEST_CLONE=/path]  speed and memory beside Git and PyDriller, seconds also as on a quiet machine
#   make chaos [ROUNDS=100] [FIRST=seed]   random damage and kills; afterwards the figures of an undisturbed run, or a message
#   make soak [DAYS=24] [SEED=seed]        one deployment through simulated days with decisions, readers and accidents
#   make validity DATA=/sets [REPOS=/clones] the numbers beside labels that others gave to the same changes
#   make categories DATA=/sets REPOS=/clones [WRITE=1] trains the category model; WRITE=1 replaces its seed
#   make image KEY=release.key OUT=/new   a signed release: image, bill of materials, provenance, digests
#   make published-lines PACKAGES=/folder CLONES=/clones [ADD=NAMES]  makes the index of lines that known libraries published (tests/published_lines)
#   make format | lock | clean-environment

.DEFAULT_GOAL := help
.PHONY: help run serve check check-tests check-sql test test-all seconds lint lint-python lint-types lint-sql lint-models lint-docs docs bench chaos soak validity categories published-lines format lock image clean-environment

VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# The extraction's inner loops, compiled where that is possible.
NATIVE := ingest/git/native
KERNEL := $(NATIVE)/_build.json
TESTS ?= tests
BASE ?= $(shell git merge-base HEAD @{upstream} 2>/dev/null || git merge-base HEAD main 2>/dev/null || echo HEAD)
# One file after the other, the longest first (tests/suite/order.py).
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist loadfile --no-loadscope-reorder
# How long each test took, as other tools read it.
DURATIONS := .pytest_cache/durations.xml
# Make keeps only the last of several REPO=…; where the system shows the command line, all of them count.
REPOS = $(or $(shell tr '\0' '\n' 2>/dev/null < /proc/$$PPID/cmdline | sed -n 's/^REPO=//p'),$(REPO))

# Empty: each module is compiled once, and not again by every process that a test starts.
export PYTHONDONTWRITEBYTECODE :=
export DO_NOT_TRACK := 1
export DAGSTER_DISABLE_TELEMETRY := yes
export DBT_SEND_ANONYMOUS_USAGE_STATS := false
export DBT_PROFILES_DIR := dbt_project

help:
	@sed -n 's/^#   //p' Makefile

run: $(KERNEL)
	@$(BIN)/eas analyze $(REPOS)

serve: $(KERNEL)
	@$(BIN)/eas serve

# The fast lane, at most two minutes on two quiet cores. All of it runs, whichever fails; mypy keeps what it knows.
check: $(KERNEL)
	@$(MAKE) --no-print-directory --jobs --keep-going --output-sync=target lint-python lint-types check-sql check-tests

# The shortest modules by their recorded seconds (tests/suite/order.py).
check-tests:
	$(PYTEST) --quiet --fast $(TESTS)

check-sql:
	@changed=$$(git diff --name-only --diff-filter=d $(BASE) -- 'dbt_project/models/*.sql'; \
		git ls-files --others --exclude-standard -- 'dbt_project/models/*.sql'); \
	if [ -n "$$changed" ]; then \
		EAS_WAREHOUSE_PATH=:memory: $(BIN)/sqlfluff lint --config dbt_project/.sqlfluff $$changed; \
	else \
		echo "No model changed since $(BASE)"; \
	fi

test: $(KERNEL)
	$(PYTEST) --junitxml=$(DURATIONS) $(TESTS)

test-all: $(KERNEL)
	TEST_TIER=all $(PYTEST) --junitxml=$(DURATIONS) tests

seconds: $(KERNEL)
	$(PYTEST) --junitxml=$(DURATIONS) --record-seconds tests

# Side by side: the two long ones, mypy and sqlfluff, use one core each. All of them run, whichever fails.
lint: $(READY)
	@$(MAKE) --no-print-directory --jobs --keep-going --output-sync=target lint-python lint-types lint-sql lint-models lint-docs

lint-python:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python -m tests.rules.exceptions
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cython-lint $(NATIVE)

lint-types:
	$(BIN)/mypy

lint-sql:
	EAS_WAREHOUSE_PATH=:memory: $(BIN)/sqlfluff lint --config dbt_project/.sqlfluff dbt_project/models

lint-models:
	EAS_WAREHOUSE_PATH=:memory: $(BIN)/dbt --quiet parse --project-dir dbt_project --target-path target/parsed
	$(BIN)/dbt-bouncer run --config-file dbt_project/dbt-bouncer.yml

lint-docs:
	$(BIN)/python -m dbt_project.dictionary --check
	$(BIN)/python -m dbt_project.row_access --check
	$(BIN)/python -m dbt_project.check_kinds --check
	$(BIN)/python -m dbt_project.check_episodes --check
	$(BIN)/python -m tests.docs.links

docs: $(READY)
	$(BIN)/python -m dbt_project.dictionary
	$(BIN)/python -m dbt_project.row_access
	$(BIN)/python -m dbt_project.check_kinds
	$(BIN)/python -m dbt_project.check_episodes

bench: $(KERNEL)
	@$(BIN)/python -m tests.benchmarks $(REPOS) $(if $(PYTEST_CLONE),--pytest "$(PYTEST_CLONE)")

# Prints seeds; ROUNDS=1 FIRST= repeats a round. Two rounds at a time take 15 seconds on two quiet cores.
chaos: $(KERNEL)
	@$(BIN)/python -m tests.chaos --rounds $(or $(ROUNDS),100) $(if $(FIRST),--first $(FIRST)) --at-once 2

soak: $(KERNEL)
	@$(BIN)/python -m tests.chaos.soak --days $(or $(DAYS),24) $(if $(SEED),--seed $(SEED))

# REPOS is a folder of clones here; given on the command line, it replaces the list of REPO=….
validity: $(KERNEL)
	@$(BIN)/python -m tests.validity $(if $(DATA),--data "$(DATA)") $(if $(REPOS),--repositories "$(REPOS)") \
		$(if $(OUT),--out "$(OUT)")

# Reading the histories takes an hour or two the first time; data/validity/declared-types keeps them.
categories: $(KERNEL)
	@warehouse=$$($(BIN)/python -m tests.validity.categories.declared_history --data "$(DATA)" --repositories "$(REPOS)" \
		--out data/validity) || [ -n "$$warehouse" ] || exit 2; \
	$(BIN)/python -m dbt_project.training.categories --levin "$(DATA)/levin_1151.csv" \
		--declared "$(DATA)/declared_types.csv" --declared "$(DATA)/cc_commits.csv" \
		--warehouse "$$warehouse" $(if $(WRITE),--write)

# Reads the packages in the folder, and downloads those of the list that it lacks. Sources of Debian need `deb-src`.
published-lines: $(READY)
	@$(BIN)/python -m tests.published_lines --packages "$(PACKAGES)" --clones "$(CLONES)" $(if $(ADD),--add $(ADD))

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# One resolution for Python 3.11–3.13 on every platform. Names no index: an installation uses its own.
lock: $(READY)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra dev --generate-hashes \
		--no-strip-extras --no-header --no-annotate --output-file requirements.lock pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra spark --generate-hashes \
		--constraint requirements.lock --no-strip-extras --no-header --no-annotate \
		--output-file requirements-spark.lock pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --extra celery --generate-hashes \
		--constraint requirements.lock --no-strip-extras --no-header --no-annotate \
		--output-file requirements-celery.lock pyproject.toml

# A signed release with its image: docs/operations/containers.md. KEY is the private key, OUT a new folder.
image: $(READY)
	$(BIN)/python -m orchestration.releases.building $(OUT) --key $(KEY)

clean-environment:
	rm -rf $(VENV)

# --no-deps: the lock file is complete, so there is nothing to resolve; --no-build-isolation: the build tool is
# in the lock file too. Parsing the dbt project here saves the first run the wait. The mark is written last: an
# interrupted installation starts again.
$(READY): requirements.lock pyproject.toml
	@set -e; \
	python="$(PYTHON)"; \
	for candidate in python3 python3.13 python3.12 python3.11; do \
		if [ -n "$$python" ]; then break; fi; \
		if $$candidate -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; \
		then python=$$candidate; fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "Python 3.11, 3.12 or 3.13 is needed and none is on the PATH." \
			"Install one, or name it: make PYTHON=/path/to/python3.11 …" >&2; exit 1; \
	fi; \
	echo "Preparing the environment in $(VENV) (1 GB; two minutes or more, once)"; \
	if ! $(BIN)/python -m pip --version >/dev/null 2>&1; then \
		rm -rf $(VENV); \
		if $$python -c 'import ensurepip' 2>/dev/null; then $$python -m venv $(VENV); \
		elif $$python -m pip --version >/dev/null 2>&1; then \
			$$python -m venv --without-pip $(VENV); \
			$$python -m pip --quiet --python $(BIN)/python install pip; \
		else \
			echo "$$python can neither make environments nor install packages." \
				"On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; \
		fi; \
	fi; \
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --no-deps --only-binary :all: \
		--require-hashes -r requirements.lock; \
	$(BIN)/python -m pip --quiet --disable-pip-version-check install --no-deps --no-build-isolation -e .; \
	$(BIN)/python -m orchestration.build.parsing; \
	touch $@

$(KERNEL): $(READY) $(wildcard $(NATIVE)/*.pyx $(NATIVE)/*.pxi $(NATIVE)/*/*.pxi ingest/git/*/*.py ingest/git/*/*/*.py)
	@$(BIN)/python -m ingest.git.native.build
	@touch $@
