# `make demo` and `make test` do all set-up themselves; `.venv/bin/grader` is the command after either.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTEST := $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help demo test test-fast lint bench llm-smoke lock services clean

help:  ## List the targets
	@grep -hE '^[a-z%-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if (3, 11) <= v < (3, 14) else f"Python 3.11 to 3.13 is needed, {v.major}.{v.minor} is here; use make PYTHON=python3.12")'
	@$(PYTHON) -c 'import ensurepip, venv' || { echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --disable-pip-version-check -q --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --disable-pip-version-check -q --no-deps --no-build-isolation -e .
	@touch $@

demo: $(STAMP)  ## Install, grade the shipped answers, write a report
	$(BIN)/grader demo

test: $(STAMP) services  ## Every kind of check, at a size for 25 minutes on 2 cores
	$(MAKE) lint
	$(PYTEST) -n 2 --dist loadgroup

test-fast: $(STAMP)  ## The checks that need no service, in under 2 minutes
	$(PYTEST) -n 2 --dist loadgroup -m "not docker and not bwrap and not postgres and not slow"

lint: $(STAMP)  ## Style, types, layers, and the question bank
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/grader bank lint

services: $(STAMP)
	@BIN=$(BIN) sh tests/services.sh

bench: $(STAMP)  ## Every measurement; each is also a command of its own
	$(BIN)/python -m bench

llm-smoke: $(STAMP)  ## Judge with a real small model served on this machine (builds it, minutes)
	$(BIN)/python -m tests.smoke.llm_smoke

lock:  ## Renew requirements.lock from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --extra all --group dev --universal --python-version 3.11 \
	  --generate-hashes --no-emit-index-url --no-annotate --no-header -o requirements.lock

prove-%: $(STAMP)  ## The full size of one claim, e.g. make prove-wire
	$(BIN)/python -m tests.prove $*

clean:  ## Remove the environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis out
