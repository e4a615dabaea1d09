# Two commands matter: `make demo` and `make test`. Both set everything up first.
PYTHON ?= python3
VENV ?= .venv
BUNDLED = plugin/silcrow/simulator/bundled/repository-tour.jsonl.gz
FILE ?= $(BUNDLED)
# The bundled recording runs in a small window, with an agent that marks what it is done with.
ARGS ?= $(if $(filter $(BUNDLED),$(FILE)),--window 60000 --agent-drops oracle)
PYTEST_ARGS ?= -n auto -q

READY = $(VENV)/.ready
# Not every shell expands the tilde in FILE=~/…
RECORDING = $(patsubst ~/%,$(HOME)/%,$(FILE))

EXAMPLES ?= 20000
JOBS ?= 2

.PHONY: demo test check soak bench mutants lifetime setup recording clean

setup: $(READY)

$(READY): pyproject.toml
	@echo "Setting up $(VENV), once; this takes a minute or two ..." >&2
	@$(VENV)/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { rm -rf $(VENV); $(PYTHON) -m venv $(VENV); }
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	@$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $(READY)

demo: $(READY)
	@$(VENV)/bin/silcrow simulate "$(RECORDING)" $(ARGS)

test: $(READY)
	@$(VENV)/bin/python -m pytest $(PYTEST_ARGS)

check: $(READY)
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/pyright
	$(VENV)/bin/lint-imports

# Random sessions in numbers that `make test` cannot wait for; SEED=… plays the same ones again.
soak: $(READY)
	@PYTHONPATH=tests $(VENV)/bin/python -m properties --examples $(EXAMPLES) --jobs $(JOBS) $(if $(SEED),--seed $(SEED))

# What a pass costs, as ratios to a basis measured in the same run. Takes some minutes.
bench: $(READY)
	@PYTHONPATH=tests $(VENV)/bin/python -m bench.contention
	@PYTHONPATH=tests $(VENV)/bin/python -m bench $(SIZES)

# Breaks the code on purpose, one place at a time, and sees that a test notices. Takes minutes.
mutants: $(READY)
	@PYTHONPATH=tests $(VENV)/bin/python -m mutants

# How threads, loops and processes end, with the oldest and the newest aiosqlite in range.
lifetime:
	@PYTHON=$(PYTHON) bash .ci/aiosqlite

# Runs the scripted agent again and replaces the bundled recording.
recording: $(READY)
	$(VENV)/bin/python -m silcrow.testing.scripted_agent

clean:
	rm -rf $(VENV) .wheel-venv .aiosqlite-venvs dist build
