# Two commands do all the set-up on a computer with Python 3.11+ and a C++ compiler:
#   make demo    train, compare, draw; ends with a table and demo/report.html
#   make test    lint, types, layer contracts and all fast tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORES := $(shell nproc 2>/dev/null || echo 2)

# Compiled Python files are kept, whatever the shell says: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

CPP := $(shell find cpp -name '*.cpp' -o -name '*.hpp') CMakeLists.txt

.PHONY: demo test lint types layers stubs docstrings core pytest test-torch test-gpu test-free-threaded slow docs docs-links test-docs attack compilers cross dist matrix sanitize sanitize-threads sanitize-python sanitize-python-threads bench format clean

demo: .stamp-install
	$(BIN)/svmosaic demo --out demo

test: lint types layers core pytest

lint: .stamp-install .stamp-tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell ./src ./docs ./cpp ./tests ./tools ./benchmarks ./examples ./*.md
	$(BIN)/clang-format --dry-run --Werror $(shell find cpp -name '*.cpp' -o -name '*.hpp')

types: .stamp-install .stamp-tools
	$(BIN)/mypy

layers: .stamp-install .stamp-tools
	$(BIN)/lint-imports

# The types of the compiled module, from the module itself; a test compares them.
stubs: .stamp-install .stamp-tools
	$(BIN)/python -m nanobind.stubgen -q -m svmosaic._core -p cpp/bindings/stubs.pat -o src/svmosaic/_core.pyi

# Common texts of parameters and attributes in the docstrings of all estimators; a test compares them.
docstrings: .stamp-install .stamp-tools
	$(BIN)/python tools/fill_docstrings.py

# The C++ tests, on the core that was just compiled.
core: .stamp-install .stamp-tools
	$(BIN)/cmake --build $(dir $(firstword $(wildcard build/cp*/CMakeCache.txt))) --target core_tests
	$(dir $(firstword $(wildcard build/cp*/CMakeCache.txt)))core_tests

pytest: .stamp-install .stamp-tools
	$(BIN)/python -m pytest -n $(CORES) -m "not slow and not gpu and not dask and not papers and not docs"

# The GPU engine on PyTorch's CPU device and Triton's interpreter. Installs PyTorch: gigabytes.
test-torch: .stamp-install .stamp-tools
	$(BIN)/python -m pip install -q --disable-pip-version-check 'torch>=2.6'
	$(BIN)/python -m pytest -n $(CORES) -m "not gpu" tests/engine/gpu tests/contracts/test_engines.py

# On a computer with a GPU.
test-gpu: .stamp-install .stamp-tools
	$(BIN)/python -m pip install -q --disable-pip-version-check 'torch>=2.6'
	$(BIN)/python -m pytest tests/engine/gpu tests/contracts/test_engines.py

slow: .stamp-install .stamp-tools
	$(BIN)/python -m pytest -m "slow or papers or dask"

# The documentation site, in docs/_build/html; every warning is an error.
SPHINX = $(BIN)/python -m sphinx -W -n --keep-going -q
docs: .stamp-install .stamp-docs
	$(SPHINX) -b html docs docs/_build/html
	@echo "built docs/_build/html/index.html"

# Addresses outside of the site; says so where there is no network. Links inside: make test-docs.
docs-links: .stamp-install .stamp-docs
	-$(BIN)/python -m sphinx -Q -b linkcheck -D plot_gallery=0 docs docs/_build/links
	$(BIN)/python tools/check_links.py docs/_build/links/output.json

# The site in Chromium: looks, links, keyboard, contrast. Tests of what is not installed are skipped.
AXE := build/axe/package/axe.min.js
test-docs: docs .stamp-tools
	@test -f $(AXE) || { mkdir -p build/axe && cd build/axe && npm pack -s axe-core && tar xzf axe-core-*.tgz; } || true
	$(BIN)/python -m pytest -m docs tests/docs_site

# Tests of estimators, each in eight threads at once and ten times over, on a Python without the global lock. Files of models
# are left out where there is no safetensors for such a Python.
FREE_THREADED ?= python3.14t
FREE_TESTS ?= tests/classification/test_ollawv.py tests/classification/test_smo_classifier.py tests/regression/test_smo_regressor.py
FREE_BIN := build/free-threaded/bin
test-free-threaded:
	$(FREE_THREADED) -m venv build/free-threaded
	$(FREE_BIN)/python -m pip install -q --disable-pip-version-check --only-binary=:all: numpy scipy scikit-learn joblib pandas \
	  hypothesis pytest pytest-run-parallel nanobind scikit-build-core cmake ninja
	$(FREE_BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation .
	$(FREE_BIN)/python -m pytest -o addopts= -p no:cacheprovider --parallel-threads 8 --iterations 10 -m "not slow" \
	  -k "not saved and not files" $(FREE_TESTS)

# Every reader, command and kind of fit under attack, JOBS of them at the same time; the figures go to a file with the date.
MINUTES ?= 10
SEED ?= 0
JOBS ?= 1
attack: .stamp-install .stamp-tools
	$(BIN)/python tools/attack --minutes $(MINUTES) --seed $(SEED) --jobs $(JOBS) --out docs/attacks/$(shell date +%Y-%m-%d).md

# The core and its C++ tests with every compiler of the list that is installed, all warnings being errors.
COMPILERS ?= g++-11 g++-12 g++-13 g++-14 clang++-14 clang++-16 clang++-19
compilers: .stamp-venv
	@for compiler in $(COMPILERS); do \
	  command -v $$compiler > /dev/null || { echo "$$compiler: not installed"; continue; }; \
	  echo "$$compiler" && \
	  $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=Release --log-level=WARNING \
	    -DSVMOSAIC_PYTHON=OFF -DSVMOSAIC_WERROR=ON -DSVMOSAIC_PRECOMPILE=OFF -DSVMOSAIC_UNITY=OFF -DCMAKE_CXX_COMPILER=$$compiler -B build/$$compiler && \
	  $(BIN)/cmake --build build/$$compiler --target core_tests && build/$$compiler/core_tests || exit 1; \
	done

# The core and its tests for macOS and Windows, with Zig's clang and libc++; CROSS names targets.
cross: .stamp-venv
	$(BIN)/python -m pip install -q --disable-pip-version-check ziglang
	$(BIN)/python tools/cross_compile.py --jobs $(CORES) $(CROSS)

# A release, built and tried: archive of sources, wheels, installation without a compiler; DIST has options. The files are in dist/.
dist:
	$(PYTHON) tools/distribution $(DIST)

# Tests with the oldest and the newest NumPy, SciPy and scikit-learn; MATRIX names rows and options.
matrix:
	$(PYTHON) tools/matrix.py $(MATRIX)

# The core with AddressSanitizer and UndefinedBehaviorSanitizer, and its C++ tests.
SANITIZED = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=Debug \
  -DSVMOSAIC_WERROR=ON -DSVMOSAIC_UNITY=OFF -DPython_EXECUTABLE=$(abspath $(BIN)/python) \
  -Dnanobind_DIR=$(shell $(BIN)/python -m nanobind --cmake_dir 2>/dev/null)
sanitize: .stamp-venv
	$(SANITIZED) -B build/sanitize -DSVMOSAIC_SANITIZE=address,undefined
	$(BIN)/cmake --build build/sanitize --target core_tests
	build/sanitize/core_tests

# The same with ThreadSanitizer.
sanitize-threads: .stamp-venv
	$(SANITIZED) -B build/sanitize-threads -DSVMOSAIC_SANITIZE=thread
	$(BIN)/cmake --build build/sanitize-threads --target core_tests
	build/sanitize-threads/core_tests

# Some Python tests on the core with AddressSanitizer and UndefinedBehaviorSanitizer; SANITIZED_TESTS names others.
SANITIZED_TESTS ?= tests/contracts/test_core_bounds.py tests/contracts/test_dual_gaps.py \
  tests/contracts/test_tuning_regression.py tests/classification/test_l2_classifiers.py \
  tests/classification/test_ollawv.py tests/classification/test_smo_classifier.py tests/datasets/test_libsvm.py \
  tests/persistence/test_damaged_files.py tests/persistence/test_pickle_and_skops.py tests/regression/test_smo_regressor.py
sanitize-python: .stamp-install .stamp-tools
	$(SANITIZED) -B build/sanitize -DSVMOSAIC_SANITIZE=address,undefined
	$(BIN)/cmake --build build/sanitize --target _core
	$(BIN)/python tools/sanitized.py build/sanitize address -- -m pytest -p no:cacheprovider \
	  -m "not slow and not gpu and not dask and not papers" $(SANITIZED_TESTS)

# Fits and predictions in many threads, Python's and the core's, with ThreadSanitizer.
sanitize-python-threads: .stamp-install .stamp-tools
	$(SANITIZED) -B build/sanitize-threads -DSVMOSAIC_SANITIZE=thread
	$(BIN)/cmake --build build/sanitize-threads --target _core
	$(BIN)/python tools/sanitized.py build/sanitize-threads thread -- tools/threaded_fits.py

# Every figure of the README, under half an hour on two quiet cores.
bench: .stamp-install .stamp-tools
	$(BIN)/python -m pip install -q -e '.[bench]' --no-build-isolation
	$(BIN)/python benchmarks/engine.py --out benchmarks/results/engine.csv
	$(BIN)/python benchmarks/classification.py --repeat 3 --out benchmarks/results/classification.csv
	$(BIN)/python benchmarks/svm_drop_in.py --out benchmarks/results/svm_drop_in.csv
	$(BIN)/python benchmarks/scaling.py --out benchmarks/results/scaling.csv \
	  --figure benchmarks/results/scaling.svg
	$(BIN)/python benchmarks/nested_cv.py --out benchmarks/results/nested_cv.csv
	$(BIN)/python benchmarks/multi_target.py --out benchmarks/results/multi_target.csv

format: .stamp-install .stamp-tools
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(shell find cpp -name '*.cpp' -o -name '*.hpp')

# The environment; made once and reused. What the demo needs, and no more. The tools that compile come first; the packages are
# installed while the core compiles. -qq: errors only.
PIP = $(BIN)/python -m pip install -qq --disable-pip-version-check
REQUIREMENTS = $(BIN)/python tools/requirements.py
.stamp-venv: pyproject.toml tools/requirements.py
	@test -x $(BIN)/python || { echo "making $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@$(REQUIREMENTS) build > $@.txt && $(PIP) -r $@.txt cmake ninja && mv $@.txt $@

# What tests, checks and benchmarks need besides.
.stamp-tools: .stamp-venv
	@echo "installing test tools (a minute on the first run)"
	@$(BIN)/python tools/requirements.py dev > $@.txt && $(PIP) -r $@.txt && mv $@.txt $@

# What the documentation site needs besides.
.stamp-docs: .stamp-venv
	@echo "installing what the documentation needs"
	@$(BIN)/python tools/requirements.py docs > $@.txt && $(PIP) -r $@.txt && mv $@.txt $@

.stamp-packages: .stamp-venv
	@$(REQUIREMENTS) run all river > $@.txt && $(PIP) -r $@.txt && mv $@.txt $@

# The package itself; compiled anew when a C++ source is newer.
.stamp-core: .stamp-venv $(CPP)
	@$(PIP) --no-build-isolation --no-deps -e .
	@touch $@

.stamp-install: pyproject.toml tools/requirements.py $(CPP)
	@echo "compiling svmosaic, installing what it needs (two minutes on the first run)"
	@$(MAKE) -s -j2 .stamp-core .stamp-packages
	@touch $@

clean:
	rm -rf build .stamp-* demo docs/_build docs/auto_examples docs/api/generated docs/api/backreferences docs/_static/start
