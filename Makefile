# The front door. The build proper is CMakeLists.txt, booting and measuring is tools/mxk; here they get short names.
CPUS ?= 4
NODES ?= 2
MEM ?= 2G
BENCH ?=
SECONDS ?= 600
COMPARE ?=
FIGURES ?=
PREFIX ?= /usr/local

.DEFAULT_GOAL := help
.PHONY: help setup elf iso run bench linux install compare figures-check test unit inner fuzzers fuzz system coverage lint clean
MAKEFLAGS += --no-print-directory
export PYTHONDONTWRITEBYTECODE := 1

# GCC 12's TSan cannot place its shadow when the kernel randomises addresses by more than 28 bits.
unrandomised := $(shell [ "$$(cat /proc/sys/vm/mmap_rnd_bits 2>/dev/null || echo 28)" -le 28 ] || echo setarch -R)
# $(call build,PRESET,TARGETS): configures once; says what is wrong, nothing else.
build = { [ -e build/$(1)/build.ninja ] || cmake --preset $(1) --log-level=WARNING >/dev/null; } \
        && cmake --build --preset $(1) --target $(2) -- --quiet

help: ## this list
	@echo 'make TARGET [CPUS=4] [NODES=2] [MEM=2G] [BENCH="topology; bench ..."] [COMPARE="--ops 2M"] [SECONDS=600]'
	@sed -nE 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/p' Makefile | while IFS="$$(printf '\t')" read -r name text; do \
	    printf '  %-13s %s\n' "$$name" "$$text"; done

setup: ## install what is missing (Debian packages, Python environment)
	@tools/setup

elf: setup ## build/metal/mxk.elf
	@$(call build,metal,mxk.elf)

iso: setup ## build/metal/mxk.iso, for BIOS and UEFI
	@$(call build,metal,mxk.iso)

run: setup ## boot and talk to the console (Ctrl-A X quits)
	@tools/mxk run --cpus $(CPUS) --nodes $(NODES) --mem $(MEM)

bench: setup ## measure in QEMU; results in build/results/latest
	@tools/mxk bench $(if $(BENCH),-- '$(BENCH)')

linux: setup ## build/linux/mxk, the same kernel as a Linux program; mxk-peers; the library
	@$(call build,linux,all)

install: linux ## the library and the program below PREFIX=/usr/local
	@cmake --install build/linux --prefix $(PREFIX)

compare: linux ## MXK and its peers at native speed, interleaved (an hour; COMPARE="--ops 2M" is quick)
	@tools/mxk compare $(COMPARE)

figures-check: linux ## fails where a figure that MXK is to reach is not reached (FIGURES=--quick: a look)
	@tools/mxk figures-check $(FIGURES)

test: ## everything: lint and the three rings of tests
	@$(MAKE) lint
	@$(MAKE) unit
	@$(MAKE) inner
	@$(MAKE) fuzzers
	@$(MAKE) system

# A lost wake-up shows as a hang; the deadline makes it a failure.
unit: setup ## first ring: unit tests on the host, under ASan+UBSan and under TSan
	@$(call build,linux-asan,mxk-unit)
	@echo 'unit tests, ASan+UBSan:' && timeout 300 build/linux-asan/mxk-unit --gtest_brief=1
	@$(call build,linux-tsan,mxk-unit)
	@echo 'unit tests, TSan:' && timeout 300 $(unrandomised) build/linux-tsan/mxk-unit --gtest_brief=1

# In QEMU they run as part of the system tests. Both shapes: as the machine is, and more cores than it has.
inner: linux ## second ring: the tests inside the kernel, in the Linux program, plain and under both sanitizers
	@$(call build,linux-asan,mxk-program)
	@$(call build,linux-tsan,mxk-program)
	@for build in linux linux-asan linux-tsan; do for shape in '' '--cores 8 --nodes 2'; do \
	    echo "tests inside, $$build $$shape:"; \
	    timeout 300 $(unrandomised) build/$$build/mxk $$shape test >build/inner.log 2>&1 || { cat build/inner.log; exit 1; }; \
	    tail -n 1 build/inner.log; done; done

fuzzers: setup ## first ring, too: every fuzzer for 30 s
	@$(call build,linux-fuzz,all)
	@echo 'fuzzers:' && tests/fuzz/run --seconds 30

fuzz: setup ## every fuzzer for SECONDS=600, going on from what was found before
	@$(call build,linux-fuzz,all)
	@tests/fuzz/run --keep --seconds $(SECONDS)

system: elf iso linux ## third ring: boot the kernel in QEMU in many shapes, use it and the program like a person
	@echo 'system tests:' && build/venv/bin/python -m pytest tests/system -q -n 2 -p no:cacheprovider

coverage: setup ## share of the portable code's lines that the host tests run
	@$(call build,linux-coverage,mxk-unit mxk-program)
	@tools/coverage

lint: setup ## formats, house rules, clang-tidy, ruff
	@cmake --preset linux --log-level=WARNING >/dev/null
	@cmake --preset metal --log-level=WARNING >/dev/null
	@tools/lint

clean: ## remove what was built; results and the Python environment stay
	@rm -rf build/metal build/metal-debug build/linux build/linux-asan build/linux-tsan build/linux-coverage build/linux-fuzz build/fuzz build/coverage
