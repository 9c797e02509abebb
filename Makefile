# The front door. The build proper is CMakeLists.txt, booting and measuring is tools/mxk; here they get short names.
CPUS ?= 4
NODES ?= 2
MEM ?= 2G
BENCH ?=
SECONDS ?= 600
FUZZ_JOBS ?= 2
FUZZ_SECONDS ?= 30
COMPARE ?=
TESTS ?=
FIGURES ?=
FIGURE ?=
PREFIX ?= /usr/local
PYTHON ?= python3

.DEFAULT_GOAL := help
.PHONY: help setup elf iso pxe image images run bench figures linux simulator mpi cluster packages install install-tsan uninstall python wheel snmalloc compare figures-check test test-long unit inner fuzzers fuzz system coverage lint clean
MAKEFLAGS += --no-print-directory
# Python keeps what it has compiled out of the sources, as tools/mxk says, too.
export PYTHONPYCACHEPREFIX := $(CURDIR)/build/pycache

# With this, reports of the sanitizers have names and lines: Debian's clang-19 brings no symbolizer of its own.
symbolizer = external_symbolizer_path=$(shell command -v llvm-symbolizer-19 || command -v addr2line)
sanitized = ASAN_OPTIONS=$(symbolizer) UBSAN_OPTIONS=$(symbolizer) TSAN_OPTIONS=$(symbolizer)
# $(call build,PRESET,TARGETS): says what is wrong, nothing else.
build = tools/configure $(1) && cmake --build --preset $(1) --target $(2) -- --quiet
# $(call needs,GROUPS): installs them, if SETUP is not no.
needs = $(if $(filter no,$(SETUP)),,@tools/setup $(1))

help: ## this list
	@echo 'make TARGET [CPUS=4] [NODES=2] [MEM=2G] [BENCH="topology; bench ..."] [COMPARE="--ops 2M"] [SECONDS=600] [SETUP=no]'
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do \
	    printf '  %-13s %s\n' "$$name" "$$text"; done

setup: ## install all that any target needs (SETUP=no: no target installs anything; tools/setup --help)
	$(call needs)

elf: ## build/metal/mxk.elf
	$(call needs,iso)
	@$(call build,metal,mxk.elf)

iso: ## build/metal/mxk.iso, for BIOS and UEFI
	$(call needs,iso)
	@$(call build,metal,mxk.iso)

pxe: ## build/metal/pxe, a directory for a TFTP server, for BIOS and UEFI (docs/server.md)
	$(call needs,iso)
	@$(call build,metal,pxe)

image: ## build/metal/mxk.img and mxk.qcow2, a disk for BIOS and UEFI, for a USB stick or a cloud (docs/cloud.md)
	$(call needs,iso image)
	@$(call build,metal,image)

images:
	$(call needs,iso image)
	@$(call build,metal,mxk.elf mxk-test.elf mxk.iso pxe image)

run: ## boot and talk to the console (Ctrl-A X quits; TESTS=yes: the kernel with the tests inside)
	$(call needs,iso run driver)
	@tools/mxk run --cpus $(CPUS) --nodes $(NODES) --mem $(MEM) $(if $(TESTS),--tests)

bench: ## what MXK does on this machine, in minutes: build/results/latest (BENCH="commands": only these, in QEMU)
	$(call needs,iso linux run driver report peers)
	@tools/mxk $(if $(BENCH),bench -- '$(BENCH)',overview)

figures: ## the figures of the thesis in both builds, and what it says of them (FIGURE="4.2 4.9": only these)
	$(call needs,iso linux run driver report peers)
	@$(call build,linux,mxk-program mxk-peers)
	@tools/mxk figure $(FIGURE)

linux: ## build/linux/mxk, the same kernel as a Linux program; mxk-peers; the library
	$(call needs,linux)
	@$(call build,linux,all)

# Staged in build/packages, where dh leaves its files; dpkg-buildpackage makes the same in the sources.
packages: packaged ## Debian packages of program, library and kernel, in build/packages
	$(call needs,packages)
	@rm -rf build/packages && mkdir -p build/packages && cp -r debian build/packages/
	@cd build/packages && { debian/rules binary ROOT=$(CURDIR) PACKAGES=$(CURDIR)/build/packages >build.log 2>&1 || { tail -n 20 build.log >&2; exit 1; }; }
	@lintian --allow-root --tag-display-limit 0 --fail-on error,warning build/packages/*.deb
	@ls build/packages/*.deb

.PHONY: packaged
packaged: images
	$(call needs,linux)
	@$(call build,linux,mxk-program mxk-library mxk-headers)

simulator: ## what `tools/mxk simulate` loads into QEMU (docs/simulation.md)
	$(call needs,linux simulator driver)
	@$(call build,linux,mxk-simulator)

mpi: ## build/linux/mxk-mpi-openmpi and mxk-mpi-mpich, locks over MPI (docs/locks-mpi.md)
	$(call needs,linux mpi)
	@$(call build,linux,mxk-mpi)

.PHONY: mpi-mutants
mpi-mutants: mpi
	@$(call build,linux,mxk-mpi-mutants)

cluster: ## build/linux/mxk-cluster-openmpi and mxk-cluster-mpich, several machines over MPI (docs/cluster.md)
	$(call needs,linux mpi)
	@$(call build,linux,mxk-cluster)

.PHONY: cluster-test
cluster-test: cluster
	@$(call build,linux,mxk-cluster-test)

install: linux ## the library and the program below PREFIX=/usr/local
	@cmake --install build/linux --prefix $(PREFIX)
	@cp build/linux/install_manifest.txt build/linux/installed.txt # which later installations elsewhere leave alone

install-tsan: tsan_prefix = $(if $(filter file,$(origin PREFIX)),build/linux-tsan/prefix,$(PREFIX))
install-tsan: ## the library for programs under ThreadSanitizer, by g++ or Clang, below PREFIX=build/linux-tsan/prefix
	$(call needs,linux tests)
	@$(call build,linux-tsan,mxk-library mxk-headers)
	@for part in library licence; do cmake --install build/linux-tsan --component $$part --prefix $(tsan_prefix) || exit 1; done

uninstall: ## what `make install` has put there last
	@[ -e build/linux/installed.txt ] || { echo 'uninstall: expected build/linux/installed.txt, which make install writes' >&2; exit 1; }
	@while read -r file || [ -n "$$file" ]; do \
	    rm -f "$(DESTDIR)$$file"; folder=$(DESTDIR)$${file%/*}; \
	    while case "$$folder" in */mxk*) rmdir "$$folder" 2>/dev/null ;; *) false ;; esac; do folder=$${folder%/*}; done; \
	done <build/linux/installed.txt
	@rm build/linux/installed.txt

# The module takes MXK as a program of another project does: installed.
python: linux ## the Python module over mxk::Table, with what it is compared with (examples/python)
	$(call needs,python)
	@cmake --install build/linux --prefix build/linux/python/prefix >/dev/null
	@cmake -S examples/python -B build/linux/python/module --log-level=WARNING -DCMAKE_PREFIX_PATH=$(CURDIR)/build/linux/python/prefix \
	    -DPython_EXECUTABLE=$(CURDIR)/build/linux/python/env/bin/python >/dev/null
	@cmake --build build/linux/python/module -- --no-print-directory >/dev/null

# The module linked to the library, and then with the shared libraries that it needs inside.
wheel: ## the Python module as a wheel for PYTHON=python3, in build/wheels
	$(call needs,linux wheel)
	@$(call build,linux,mxk-program mxk-library mxk-headers)
	@rm -rf build/wheels/prefix
	@for part in library licence; do cmake --install build/linux --component $$part --prefix build/wheels/prefix >/dev/null || exit 1; done
	@tools/wheel "$(PYTHON)"

snmalloc: linux ## snmalloc as a peer of bench heap, where cargo can fetch its crate
	@command -v cargo >/dev/null || { echo 'snmalloc: expected cargo, which is not there (Debian: cargo)' >&2; exit 1; }
	@cargo build --quiet --release --locked --manifest-path peers/snmalloc/Cargo.toml --target-dir build/snmalloc
	@ln -sf ../../snmalloc/release/libsnmalloc.so build/linux/peer-libraries/

compare: python ## MXK and its peers at native speed, interleaved (hours; COMPARE="--ops 2M" is quick)
	$(call needs,driver report peers)
	@$(call build,linux,all)
	@tools/mxk compare $(COMPARE)

figures-check: python ## fails where a figure that MXK is to reach is not reached (FIGURES=--quick: a look)
	$(call needs,driver report peers)
	@$(call build,linux,all)
	@tools/mxk figures-check $(FIGURES)

# First all that has to be compiled, two builds at a time, so that no core is idle at the end of one; then what runs for minutes and often waits, two at a time;
# last what looks at the time as a person does, alone. What has failed is said once more at the end, where one looks first.
test: lint ## everything: lint and the three rings of tests
	@$(MAKE) -j2 machines programs-asan programs-tsan linux images
	@rm -f build/failures.log
	@$(MAKE) -j2 --output-sync=target unit-tsan fuzzers unit-asan unit-model inner-tsan inner-asan FUZZ_JOBS=1 FUZZ_SECONDS=5 || { cat build/failures.log 2>/dev/null; exit 1; }
	@$(MAKE) system; failed=$$?; tools/slowest || failed=1; tools/skips || failed=1; exit $$failed

test-long: images linux simulator mpi-mutants cluster-test concurrent-asan unit-model ## what takes longer: the long tests of all three rings (hours)
	@build/linux/mxk-test 'test --long'
	@MXK_LONG_TESTS=1 build/linux-asan/mxk-unit
	@tests/fuzz/run --seconds $(SECONDS) columns plans models
	@MXK_LONG_TESTS=1 build/linux/mxk-lock-model && MXK_LONG_TESTS=1 build/linux/mxk-model
	@MXK_LONG_TESTS=1 build/venv/bin/python -P -m pytest tests/system -q -n 2 -p no:cacheprovider

# $(call logged,NAME,COMMAND): prints the command's summary; if it fails all it has said is in build/NAME.log, and what shows why is printed.
# A lost wake-up shows as a hang; the deadline makes it a failure.
logged = $(sanitized) timeout 1200 $(2) >build/$(1).log 2>&1; rc=$$?; grep -E '^\[(=+\] [0-9]+ tests? from .* ran|  PASSED|  SKIPPED \] [0-9])|^[0-9]+ passed' build/$(1).log; [ $$rc = 0 ] || \
         { { echo "$(1) ended with $$rc, 124 is the deadline; build/$(1).log has all of it:"; \
             grep -A 45 -E '(WARNING|ERROR): [A-Za-z]+Sanitizer|runtime error:' build/$(1).log | cut -c -180 | head -n 100; \
             grep -E -B 12 ' FAIL |  FAILED  |: Failure$$' build/$(1).log | cut -c -250 | tail -n 60; tail -n 12 build/$(1).log; } | tee -a build/failures.log; exit 1; }

.PHONY: machines programs-asan programs-tsan programs-model unit-asan unit-tsan unit-model concurrent-asan inner-asan inner-tsan
machines: setup
	@$(if $(filter no,$(SETUP)),,tools/setup machines ||) echo 'the other machines cannot be had here: their tests are skipped'
programs-asan: setup
	@$(call build,linux-asan,mxk-unit mxk-test mxk-fuzzers)
programs-tsan: setup
	@$(call build,linux-tsan,mxk-concurrent mxk-test mxk-library mxk-headers)

programs-model: setup
	@$(call build,linux,mxk-model mxk-lock-model mxk-lock-policies)

unit: unit-asan unit-tsan unit-model ## first ring: unit tests on the host, of one thread under ASan+UBSan, of several under TSan, and the model checker
unit-asan: programs-asan
	@echo 'unit tests, asan:'; $(call logged,$@,build/linux-asan/mxk-unit)
unit-tsan: programs-tsan
	@echo 'unit tests, tsan:'; $(call logged,$@,build/linux-tsan/mxk-concurrent)
unit-model: programs-model ## lock-free protocols and locks under the model checker of the memory model (docs/tests-model.md)
	@echo 'model checker:'; $(call logged,$@,sh -c 'build/linux/mxk-lock-model && build/linux/mxk-lock-policies && build/linux/mxk-model')
concurrent-asan: programs-asan ## the unit tests of several threads under ASan+UBSan, too (five minutes, part of make test-long)
	@$(call build,linux-asan,mxk-concurrent)
	@$(call logged,$@,build/linux-asan/mxk-concurrent)

# More cores than the machine has, on two nodes. The shape of the machine itself, and others, without sanitizers, in the
# Linux program and in QEMU, are part of the system tests.
inner: inner-asan inner-tsan ## second ring: the tests inside the kernel, in the Linux program under both sanitizers
inner-asan inner-tsan: inner-%: programs-%
	@shape='--cores 8 --nodes 2'; echo "tests inside, $* $$shape:"; $(call logged,$@,build/linux-$*/mxk-test $$shape test)

fuzzers: programs-asan ## first ring, too: every fuzzer for FUZZ_SECONDS=30
	@echo 'fuzzers:' && tests/fuzz/run --seconds $(FUZZ_SECONDS) --jobs $(FUZZ_JOBS)

fuzz: programs-asan ## every fuzzer for SECONDS=600, beginning with what was found before
	@tests/fuzz/run --keep --seconds $(SECONDS)

system: images linux simulator mpi-mutants cluster-test ## third ring: boot the kernel in QEMU in many shapes, use it and the program like a person
	@echo 'system tests:' && build/venv/bin/python -P -m pytest tests/system -q -n 2 -p no:cacheprovider

coverage: setup ## share of the portable code's lines that the host tests run
	@$(call build,linux-coverage,mxk-unit mxk-concurrent mxk-test)
	@tools/coverage

lint: setup ## formats, house rules, clang-tidy, ruff, licences
	@tools/configure linux && tools/configure metal
	@tools/lint

clean: ## remove what was built; results and the Python environment stay
	@rm -rf build/metal build/metal-debug build/linux build/linux-asan build/linux-tsan build/linux-coverage build/fuzz build/coverage
