# Every target sets up what it needs by itself: a virtual environment in .venv from a bare Python 3.11+.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
.DEFAULT_GOAL := help

.PHONY: help chat dev test test-long test-peers lint bench notebook check-model check-qdrant clean

help:
	@echo "make chat   start a conversation that remembers (data in ./data)"
	@echo "make dev    the agent in langgraph dev, for Studio and the SDK (same data)"
	@echo "make test   linters, types and the whole test suite"
	@echo "make test-long  the tests that take an hour"
	@echo "make test-peers  the tests of the peers that bench peers measures"
	@echo "make bench  recall on the bundled question set, with times"
	@echo "make check-model   try the model that you configured, with small questions"
	@echo "make check-qdrant  try the Qdrant server that you configured"
	@echo "make notebook  run the notebooks again and keep what they say"

$(VENV)/.chat: pyproject.toml
	@echo "palimpsest: setting up $(VENV) (once; about a minute)"
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "palimpsest needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 ...")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "palimpsest: no virtual environment could be made; on Debian or Ubuntu: apt-get install python3-venv"; exit 1; }
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -q -e .
	@touch $@

$(VENV)/.dev: pyproject.toml $(VENV)/.chat
	@echo "palimpsest: installing the test tools"
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -q -e '.[dev]'
	@touch $@

$(VENV)/.server: pyproject.toml $(VENV)/.chat
	@echo "palimpsest: installing the LangGraph server"
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -q -e '.[server]'
	@touch $@

dev: $(VENV)/.server
	@$(BIN)/palimpsest dev

chat: $(VENV)/.chat
	@$(BIN)/palimpsest chat

lint: $(VENV)/.dev
	@echo "palimpsest: ruff";          $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@echo "palimpsest: mypy --strict"; $(BIN)/mypy
	@echo "palimpsest: import-linter"; $(BIN)/lint-imports

test: lint
	@echo "palimpsest: pytest"
	@$(BIN)/python -m pytest -m "not slow and not peers" -n auto --dist worksteal

test-long: $(VENV)/.dev
	@echo "palimpsest: the long tests (about an hour)"
	@$(BIN)/python -m pytest -m slow

test-peers: $(VENV)/.dev
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -q -e '.[peers]'
	@$(BIN)/python -m pytest -m peers

bench: $(VENV)/.chat
	@$(BIN)/palimpsest bench retrieval
	@$(BIN)/palimpsest bench latency
	@$(BIN)/palimpsest bench branching

notebook: $(VENV)/.dev
	@$(BIN)/python tests/notebooks/test_notebooks.py

$(VENV)/.openai: pyproject.toml $(VENV)/.chat
	@echo "palimpsest: installing the client for OpenAI's protocol"
	@$(BIN)/python -m pip install --disable-pip-version-check --progress-bar off -q -e '.[openai]'
	@touch $@

check-model: $(VENV)/.openai
	@$(BIN)/palimpsest check model

check-qdrant: $(VENV)/.chat
	@$(BIN)/palimpsest check qdrant

clean:
	rm -rf $(VENV)
